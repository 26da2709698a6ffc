"""What tells a mail from another, and its conversation.

Null in older rows, and in those of an older release that goes on writing.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "b4d2a9137c60"
down_revision = "c3a9d07b51e8"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("emails", sa.Column("reused_message_id", sa.String(998)))
    op.add_column("emails", sa.Column("sender_address", sa.String(320)))
    op.add_column("emails", sa.Column("content_hash", sa.String(64)))
    op.add_column("emails", sa.Column("identity", sa.String(64)))
    op.add_column("emails", sa.Column("conversation_id", sa.String(36)))
    op.create_table(
        "conversation_references",
        sa.Column("message_id", sa.String(998), nullable=False),
        sa.Column("conversation_id", sa.String(36), nullable=False),
        sa.PrimaryKeyConstraint("message_id", name="pk_conversation_references"),
    )


def downgrade() -> None:
    op.drop_table("conversation_references")
    for name in ("conversation_id", "identity", "content_hash", "sender_address", "reused_message_id"):
        op.drop_column("emails", name)
