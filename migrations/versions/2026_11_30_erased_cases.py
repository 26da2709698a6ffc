"""When a shop's case was erased, and by which addresses it is found then. The release before writes neither."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "6d1e94b7c035"
down_revision = "a91c64e7d20f"
branch_labels = None
depends_on = None

JSON = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    op.add_column("shop_cases", sa.Column("owners", JSON))
    op.add_column("shop_cases", sa.Column("erased_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    op.drop_column("shop_cases", "erased_at")
    op.drop_column("shop_cases", "owners")
