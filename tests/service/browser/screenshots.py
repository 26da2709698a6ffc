"""Pictures of every page in both themes, with the released model and mails as customers write them.

python -m tests.service.browser.screenshots        # writes docs/screenshots/*.png
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from time import sleep

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from model.classifier import Classifier
from service.settings import SUITES, Settings, released_model
from service.upgrade import upgrade
from tests.service.browser.conftest import PATIENCE_MS
from tests.service.browser.live import QUIET, LiveServer, chromium
from tests.service.test_models import make_model

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "docs" / "screenshots"
SAMPLES = ROOT / "service" / "samples.jsonl"
SUITE = "scope"
UNSURE = 12.0  # temperature of a model that is in doubt about everything, which the suite refuses
MOST_BYTES = 100_000
COLOURS = 96  # of a palette: a page has few, and the files stay small
REPLY = """Refund the delivery fee, please, not the cake. The cake was lovely, but it came two hours late.

Mina

On Mon, 30 Nov 2026 at 10:00, Sweet Shop <help@shop.example> wrote:
> We are sorry to hear that. Shall we refund the cake?
"""


class OneSuite(Settings):
    """Enough for a picture; all of them take minutes."""

    def suite_files(self) -> list[Path]:
        return [SUITES / f"{SUITE}.yaml"]


def fill(server: LiveServer) -> dict[str, str]:
    """Send the mails, run a suite, add a case and have a model refused; the pages by name."""
    for line in SAMPLES.read_text(encoding="utf-8").splitlines():
        server.send(**json.loads(line))
    reply = server.send(message_id="<reply@x>", subject="Re: Order 5513", text=REPLY, **{"from": "mina@example.org"})
    run = server.run_suites(suites=[SUITE])
    case = server.ask("POST", "/v1/checks/cases", email_id=reply["id"], label="refund_fee", keep="cake")
    for number in range(3):
        server.ask("POST", f"/v1/checks/runs/{run}/cases/{number}/adopt")
    server.ask("POST", "/v1/models/unsure/promote")
    while not server.ask("GET", "/v1/audit?action=model_promotion_refused")["data"]:
        sleep(1)
    return {
        "inbox": "/",
        "mail": f"/mails/{reply['id']}",
        "review": "/review",
        "checks": "/checks",
        "run": f"/checks/{run}",
        "cases": "/checks/cases",
        "case": f"/checks/cases/{case['id']}",
        "lab": "/lab",
        "models": "/models",
        "health": "/health",
    }


def prepare(page: Page, name: str) -> None:
    """Bring a page to what is worth a picture."""
    if name == "mail":
        page.locator("#ask-why").click()
        page.locator(".influences").wait_for()
    if name == "models":
        page.locator("#history-title").scroll_into_view_if_needed()
    if name == "lab":
        page.locator("#arranged .reading").wait_for()
        page.get_by_role("button", name="Exchange the two phrases").click()
        page.locator("#tiles button").nth(2).click()
        expect(page.locator("#from-word")).to_contain_text("“")


def main() -> int:
    executable = chromium()
    if executable is None:
        sys.stderr.write("no Chromium on this machine; `apt-get install chromium` brings one\n")
        return 2
    FOLDER.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp())
    settings = OneSuite(
        database_url=f"sqlite:///{scratch}/router.db",
        models_folder=scratch / "models",
        check_at_start="off",
        require_keys=False,
    )
    make_model(released_model(), scratch / "models" / "unsure", "unsure", UNSURE)
    upgrade(settings.database_url)
    server = LiveServer(settings, Classifier(released_model()))
    try:
        pages = fill(server)
        expect.set_options(timeout=PATIENCE_MS)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=executable, args=QUIET)
            for scheme in ("light", "dark"):
                page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme=scheme)
                for name, address in pages.items():
                    page.goto(server.url + address)
                    prepare(page, name)
                    target = FOLDER / f"{name}-{scheme}.png"
                    picture = Image.open(BytesIO(page.screenshot(animations="disabled", caret="hide")))
                    picture.convert("RGB").quantize(COLOURS).save(target, optimize=True)
                    sys.stdout.write(f"{target.relative_to(ROOT)} {target.stat().st_size} bytes\n")
                    if target.stat().st_size > MOST_BYTES:
                        sys.stderr.write(f"{target.name} is over {MOST_BYTES} bytes\n")
                        return 1
                page.close()
            browser.close()
    finally:
        server.stop()
        shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
