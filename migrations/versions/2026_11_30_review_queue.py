"""The review queue. Mails that are stored without a row in it, also by the release before, get one from the service."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "5d21c8f47ea6"
down_revision = "3a7e5d0c9b14"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "reviews",
        sa.Column("email_id", sa.String(36), nullable=False),
        sa.Column("due_at", MOMENT, nullable=False),
        sa.Column("claimed_by", sa.Text()),
        sa.Column("claimed_until", MOMENT),
        sa.ForeignKeyConstraint(["email_id"], ["emails.id"], name="fk_reviews_email_id_emails", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("email_id", name="pk_reviews"),
    )
    op.create_index("ix_reviews_due_at_email_id", "reviews", ["due_at", "email_id"])
    op.create_index("ix_reviews_claimed_by_claimed_until", "reviews", ["claimed_by", "claimed_until"])


def downgrade() -> None:
    op.drop_table("reviews")
