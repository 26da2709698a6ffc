"""Runs of the suites and their cases. The release before writes none."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "7e3a95f0c2d8"
down_revision = "c90e5f2b71a8"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "suite_runs",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("suite", sa.String(200), nullable=False),
        sa.Column("suite_sha256", sa.String(64), nullable=False),
        sa.Column("model_version", sa.String(64), nullable=False),
        sa.Column("trigger", sa.String(16), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seconds", sa.Double()),
        sa.Column("n_cases", sa.Integer()),
        sa.Column("n_passed", sa.Integer()),
        sa.Column("pair_accuracy", sa.Double()),
        sa.Column("both_same_ratio", sa.Double()),
        sa.Column("failed_critical", sa.Integer()),
        sa.Column("groups", JSON),
        sa.Column("complaints", JSON),
        sa.PrimaryKeyConstraint("id", name="pk_suite_runs"),
    )
    for column in ("suite", "model_version", "state"):
        op.create_index(f"ix_suite_runs_{column}_id", "suite_runs", [column, "id"])
    op.create_table(
        "suite_run_cases",
        sa.Column("run_id", sa.String(36), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("case_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("capability", sa.Text(), nullable=False),
        sa.Column("severity", sa.String(16), nullable=False),
        sa.Column("passed", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("order_gap", sa.Double()),
        sa.Column("readings", JSON, nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["suite_runs.id"], name="fk_suite_run_cases_run_id_suite_runs"),
        sa.PrimaryKeyConstraint("run_id", "number", name="pk_suite_run_cases"),
    )


def downgrade() -> None:
    op.drop_table("suite_run_cases")
    op.drop_table("suite_runs")
