"""Indexes for the lists of mails that always need a person; built while the service goes on."""

from __future__ import annotations

import sqlalchemy as sa

from migrations.online import create_index, drop_index

revision = "2f9c7ad4e815"
down_revision = "b60f3e91d27c"
branch_labels = None
depends_on = None


INDEXES = {"ix_predictions_needs_person": ["label", "email_id"], "ix_predictions_needs_person_newest": ["email_id"]}


def upgrade() -> None:
    for name, columns in INDEXES.items():
        create_index(
            name,
            "predictions",
            columns,
            postgresql_where=sa.text("reasons @> '[\"needs_person\"]'"),
            sqlite_where=sa.text("instr(reasons, '\"needs_person\"') > 0"),
        )


def downgrade() -> None:
    for name in reversed(INDEXES):
        drop_index(name, "predictions")
