"""SQLite: how far the full-text index has forgotten what was erased. The release before forgets in its own way."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "9b3f71d8a2e4"
down_revision = "6d1e94b7c035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_bind().dialect.name != "sqlite":
        return
    op.create_table(
        "mail_words_forgetting",
        sa.Column("wanted", sa.Integer(), nullable=False),  # counts erasures
        sa.Column("forgotten", sa.Integer(), nullable=False),  # up to which one the index holds nothing
        sa.Column("passing", sa.Integer()),  # up to which one it will, when the pass that is under way has ended
        sa.Column("segments", sa.Text()),  # of the index when that pass began: [[id, last page], …]
    )
    op.execute("insert into mail_words_forgetting values (1, 0, null, null)")


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.drop_table("mail_words_forgetting")
