"""Views of the inbox that agents keep, and an index by which an agent finds what they handled."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "b71c5e0d42a9"
down_revision = "2f9c7ad4e815"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "saved_views",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_views")),
        sa.UniqueConstraint("actor", "name", name=op.f("uq_saved_views_actor_name")),
    )
    op.create_index("ix_feedback_actor_email_id", "feedback", ["actor", "email_id"])


def downgrade() -> None:
    op.drop_index("ix_feedback_actor_email_id", "feedback")
    op.drop_table("saved_views")
