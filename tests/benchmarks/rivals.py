"""The same model behind LitServe and BentoML, with an insert for each request into the same kind of database.

Served by tests.benchmarks.other_servers; each reads `texts` in batches of at most 32 with the order check, as the
service does, and answers a request after its row is committed (SQLite, write-ahead log, synchronous FULL).
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from model.classifier import Classifier
from model.decision import Read, read_texts

TABLE = (
    "create table if not exists emails (id integer primary key, message_id text unique, text text, label text,"
    " confidence real, answer text)"
)
MAX_BATCH, WINDOW_SECONDS = 32, 0.002


class Router:
    """Reads batches and stores each mail in a commit of its own."""

    def __init__(self) -> None:
        self._classifier = Classifier(Path(os.environ["BENCH_MODEL"]))
        self._database = sqlite3.connect(os.environ["BENCH_DATABASE"], timeout=30, check_same_thread=False)
        self._database.execute("pragma journal_mode = wal")
        self._database.execute("pragma synchronous = full")
        self._database.execute(TABLE)
        self._database.commit()

    def read(self, texts: list[str]) -> list[Read]:
        return list(read_texts(self._classifier, texts, default_threshold=0.95))

    def store(self, mail: dict[str, Any], read: Read) -> dict[str, Any]:
        prediction = read.prediction
        answer = {
            "message_id": mail["message_id"],
            "label": prediction.label,
            "confidence": prediction.confidence,
            "probabilities": prediction.probabilities,
            "decision": read.decision.decision,
            "spans": [asdict(span) for span in prediction.spans],
        }
        row = (mail["message_id"], mail["text"], prediction.label, prediction.confidence, json.dumps(answer))
        with self._database:
            self._database.execute(
                "insert into emails (message_id, text, label, confidence, answer) values (?, ?, ?, ?, ?)", row
            )
        return answer


def serve_with_litserve(port: int) -> None:
    import litserve

    from tests.benchmarks.rivals_litserve import Api

    api = Api(max_batch_size=MAX_BATCH, batch_timeout=WINDOW_SECONDS)
    litserve.LitServer(api, accelerator="cpu", workers_per_device=1).run(
        host="127.0.0.1", port=port, num_api_servers=1, generate_client_file=False, log_level="error"
    )


def serve_with_bentoml(port: int) -> None:
    import bentoml

    bentoml.serve("tests.benchmarks.rivals_bento:BentoRouter", host="127.0.0.1", port=port, blocking=True)


if __name__ == "__main__":
    {"litserve": serve_with_litserve, "bentoml": serve_with_bentoml}[sys.argv[1]](int(sys.argv[2]))
