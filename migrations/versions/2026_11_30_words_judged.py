"""Whether an agent judged a mail's words too, or only its label. Null in what the release before writes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "c47e0a95b1d3"
down_revision = "9b3f71d8a2e4"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("feedback", sa.Column("spans_judged", sa.Boolean()))


def downgrade() -> None:
    op.drop_column("feedback", "spans_judged")
