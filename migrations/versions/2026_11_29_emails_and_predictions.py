"""Emails and predictions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "15ff832c16a5"
down_revision = None
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "emails",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("message_id", sa.String(998)),
        sa.Column("sender", sa.Text()),
        sa.Column("recipients", JSON, nullable=False),
        sa.Column("subject", sa.Text()),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("received_at", MOMENT),
        sa.Column("details", JSON, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_emails"),
        sa.UniqueConstraint("message_id", name="uq_emails_message_id"),
    )
    op.create_table(
        "predictions",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("email_id", sa.String(36)),
        sa.Column("model_version", sa.String(64), nullable=False),
        sa.Column("label", sa.String(32), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=False),
        sa.Column("probabilities", JSON, nullable=False),
        sa.Column("spans", JSON, nullable=False),
        sa.Column("order_check", JSON),
        sa.Column("decision", sa.String(16), nullable=False),
        sa.Column("reasons", JSON, nullable=False),
        sa.Column("truncated", sa.Boolean(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["email_id"], ["emails.id"], name="fk_predictions_email_id_emails", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_predictions"),
        sa.UniqueConstraint("email_id", name="uq_predictions_email_id"),
    )
    op.create_index("ix_predictions_label_email_id", "predictions", ["label", "email_id"])
    op.create_index("ix_predictions_decision_email_id", "predictions", ["decision", "email_id"])


def downgrade() -> None:
    op.drop_table("predictions")
    op.drop_table("emails")
