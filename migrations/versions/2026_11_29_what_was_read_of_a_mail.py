"""What was read of a mail, and its attachments.

Null in older rows, and in those of an older release that goes on writing.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "8c1f0b6e4d27"
down_revision = "15ff832c16a5"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.add_column("emails", sa.Column("source", sa.String(8)))
    op.add_column("emails", sa.Column("cut", JSON))
    op.add_column("emails", sa.Column("context", sa.Text()))
    op.add_column("emails", sa.Column("attachments", JSON))


def downgrade() -> None:
    for name in ("attachments", "context", "cut", "source"):
        op.drop_column("emails", name)
