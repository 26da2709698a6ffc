"""The shop's own cases. The release before knows none."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "c51f80d9ab36"
down_revision = "7e3a95f0c2d8"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "shop_cases",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("email_id", sa.String(36)),
        sa.Column("case", JSON, nullable=False),
        sa.Column("retired", sa.Boolean(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", "revision", name="pk_shop_cases"),
    )


def downgrade() -> None:
    op.drop_table("shop_cases")
