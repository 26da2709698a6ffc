"""When a mail was erased. Null in rows that still hold their text, and in those that the release before writes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "b60f3e91d27c"
down_revision = "5d21c8f47ea6"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("emails", sa.Column("erased_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    op.drop_column("emails", "erased_at")
