"""Who does what only one process is to do. The release before claims nothing, and does it in each process."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "a91c64e7d20f"
down_revision = "b71c5e0d42a9"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "claims",
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("holder", sa.String(36), nullable=False),
        sa.Column("renewed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_claims"),
    )


def downgrade() -> None:
    op.drop_table("claims")
