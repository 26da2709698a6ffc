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

  document.getElementById("run-all")?.addEventListener("click", runAll);
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".adopt");
    if (!button) return;
    const run = document.getElementById("run").dataset.id;
    Console.addCase(button, `/v1/checks/runs/${run}/cases/${button.dataset.number}/adopt`, {});
  });
  Console.follow("runs");
  Console.follow("run");
});
