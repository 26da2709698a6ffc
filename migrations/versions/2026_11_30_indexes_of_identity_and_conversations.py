"""The indexes of identity and conversations; built while the service goes on."""

from __future__ import annotations

from migrations.online import create_index, drop_index

revision = "c90e5f2b71a8"
down_revision = "b4d2a9137c60"
branch_labels = None
depends_on = None

INDEXES = {
    "ix_emails_identity": ["identity"],
    "ix_emails_content_hash_id": ["content_hash", "id"],
    "ix_emails_sender_address_id": ["sender_address", "id"],
    "ix_emails_conversation_id_id": ["conversation_id", "id"],
}


def upgrade() -> None:
    for name, columns in INDEXES.items():
        create_index(name, "emails", columns, unique=columns == ["identity"])


def downgrade() -> None:
    for name in reversed(INDEXES):
        drop_index(name, "emails")
