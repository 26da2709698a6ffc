"""Indexes for the lists: by label and decision together, and one for each reason; built while the service goes on."""

from __future__ import annotations

import sqlalchemy as sa

from migrations.online import create_index, drop_index

revision = "e60b83d5f419"
down_revision = "d17a4c86e3f2"
branch_labels = None
depends_on = None

REASONS = ("low_confidence", "order_check_failed", "truncated", "unsupported_language", "no_text", "automatic_mail")


def upgrade() -> None:
    create_index("ix_predictions_label_decision_email_id", "predictions", ["label", "decision", "email_id"])
    for reason in REASONS:
        create_index(
            f"ix_predictions_{reason}",
            "predictions",
            ["label", "email_id"],
            postgresql_where=sa.text(f"reasons @> '[\"{reason}\"]'"),
            sqlite_where=sa.text(f"instr(reasons, '\"{reason}\"') > 0"),
        )
        create_index(
            f"ix_predictions_{reason}_newest",
            "predictions",
            ["email_id"],
            postgresql_where=sa.text(f"reasons @> '[\"{reason}\"]'"),
            sqlite_where=sa.text(f"instr(reasons, '\"{reason}\"') > 0"),
        )


def downgrade() -> None:
    for reason in reversed(REASONS):
        drop_index(f"ix_predictions_{reason}_newest", "predictions")
        drop_index(f"ix_predictions_{reason}", "predictions")
    drop_index("ix_predictions_label_decision_email_id", "predictions")
