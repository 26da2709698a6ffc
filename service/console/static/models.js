// Promote a model or roll back, after one question.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const sure = document.getElementById("sure");
  let wanted = null;

  function ask(question, address, done) {
    document.getElementById("sure-title").textContent = question;
    wanted = { address, done };
    sure.returnValue = "no";
    sure.showModal();
  }

  sure.addEventListener("close", async () => {
    if (sure.returnValue !== "yes") return;
    try {
      const answer = await Console.request("POST", wanted.address);
      Console.later(answer && answer.runs ? `The suites run on ${answer.version}; it serves where none fails.` : wanted.done);
      location.reload();
    } catch (error) {
      Console.notice(error.message);
    }
  });

  for (const button of document.querySelectorAll(".promote")) {
    const version = button.dataset.version;
    const address = `/v1/models/${encodeURIComponent(version)}/promote`;
    button.addEventListener("click", () => ask(`Let ${version} serve?`, address, `${version} serves.`));
  }
  const back = document.getElementById("rollback");
  back.addEventListener("click", () => ask("Go back to the model before?", "/v1/models/rollback", "Rolled back."));
});
