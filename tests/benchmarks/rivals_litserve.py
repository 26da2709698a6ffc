"""LitServe starts its workers anew and finds its API by name in a module; it reads the annotations as they stand here.

See tests.benchmarks.rivals.
"""

from typing import Any

import litserve

from model.decision import Read
from tests.benchmarks.rivals import Router

Stored = tuple[dict[str, Any], Read]


class Api(litserve.LitAPI):
    def setup(self, device: str) -> None:  # noqa: ARG002 — LitServe names it
        self.router = Router()

    def decode_request(self, request: dict[str, Any]) -> dict[str, Any]:
        return request

    def batch(self, inputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return inputs

    def predict(self, mails: list[dict[str, Any]]) -> list[Stored]:
        return list(zip(mails, self.router.read([mail["text"] for mail in mails]), strict=True))

    def unbatch(self, output: list[Stored]) -> list[Stored]:
        return output

    def encode_response(self, output: Stored) -> dict[str, Any]:
        return self.router.store(*output)
