from __future__ import annotations

import pytest

from service.intake.mime import parse_mail
from tests.service.intake.builder import mail, part

OWN = ("Help@Shop.example", "orders@shop.example")


def reason(**headers: str) -> str | None:
    return parse_mail(mail(part("Refund it."), **headers), own_addresses=OWN).automatic


def test_own_address_as_sender_is_automatic() -> None:
    assert reason(From="Shop <help@SHOP.example>") == "own address"


def test_own_address_in_a_name_is_not_the_sender() -> None:
    assert reason(From='"help@shop.example" <mina@example.org>') is None


@pytest.mark.parametrize(
    "headers",
    [
        {"List_Id": "<help.shop.example>", "Precedence": "list"},  # the shop's address is a Google group
        {"List_Id": "Help <help.shop.example>", "List_Post": "<mailto:help@shop.example>"},
    ],
)
def test_mail_through_the_shops_own_group_is_a_persons(headers: dict[str, str]) -> None:
    assert reason(**headers) is None


def test_bulk_mail_through_the_shops_own_group_is_automatic() -> None:
    assert reason(List_Id="<help.shop.example>", Precedence="bulk") == "precedence: bulk"


def test_mail_through_another_list_is_automatic() -> None:
    assert reason(List_Id="<cooks.example.org>", Precedence="list") == "precedence: list"
