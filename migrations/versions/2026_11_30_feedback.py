"""Feedback: verdicts of agents on predictions. A new table, of which the release before knows nothing."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "3a7e5d0c9b14"
down_revision = "e60b83d5f419"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "feedback",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("email_id", sa.String(36), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(16), nullable=False),
        sa.Column("label", sa.String(32), nullable=False),
        sa.Column("spans", JSON, nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["email_id"], ["emails.id"], name="fk_feedback_email_id_emails", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_feedback"),
        sa.UniqueConstraint("email_id", "number", name="uq_feedback_email_id_number"),
    )
    op.create_index("ix_feedback_verdict_email_id", "feedback", ["verdict", "email_id"])


def downgrade() -> None:
    op.drop_table("feedback")
