// Ask for a run of every suite and show it as soon as it is there.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("run-all");
  if (!button) return; // this role may look only
  button.addEventListener("click", async () => {
    try {
      await Console.request("POST", "/v1/checks/runs", {});
      Console.later("Running; load the page again for what was found.");
      location.reload();
    } catch (error) {
      Console.notice(error.message);
    }
  });
});
