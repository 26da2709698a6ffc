// Runs: asked for, and followed until they end; and a run's case taken into the shop's own suite.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  async function runAll() {
    try {
      await Console.request("POST", "/v1/checks/runs", {});
      Console.notice("Running; what is found comes by itself.");
      await Console.renew("runs");
      Console.follow("runs");
    } catch (error) {
      Console.notice(error.message);
    }
  }

  /** The case is in the suite now, or was: the button gives way to the way there. */
  async function adopt(button) {
    const run = document.getElementById("run").dataset.id;
    let id;
    try {
      id = (await Console.request("POST", `/v1/checks/runs/${run}/cases/${button.dataset.number}/adopt`, {})).id;
      Console.notice("Added to the shop's own suite; it counts from the next run on.");
    } catch (error) {
      Console.notice(error.message);
      id = error.problem?.case_id;
    }
    if (!id) return;
    const link = document.createElement("a");
    link.href = `/checks/cases/${id}`;
    link.textContent = "In our own suite";
    button.replaceWith(link);
    link.focus();
  }

  document.getElementById("run-all")?.addEventListener("click", runAll);
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".adopt");
    if (button) adopt(button);
  });
  Console.follow("runs");
  Console.follow("run");
});
