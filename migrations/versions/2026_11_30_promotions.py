"""Which model serves, with its history. The release before knows nothing of it and serves the model of its settings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "4b7d20c9e1a5"
down_revision = "8c1f0b6e4d27"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "promotions",
        sa.Column("number", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("action", sa.String(16), nullable=False),
        sa.Column("from_version", sa.String(64), nullable=False),
        sa.Column("to_version", sa.String(64), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("forced", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("verdict", JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_promotions"),
    )


def downgrade() -> None:
    op.drop_table("promotions")
