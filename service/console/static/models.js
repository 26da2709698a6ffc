// Promote a model, by force too, or roll back, after one question; a promotion that goes on is followed to its end.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const at = (id) => document.getElementById(id);
  const sure = at("sure");
  let wanted = null;

  /** force: a reason is needed, and goes with it. */
  function ask(question, words, address, done, force = false) {
    at("sure-title").textContent = question;
    at("sure-words").textContent = words;
    at("sure-optional").hidden = force;
    at("sure-reason").required = force;
    at("sure-reason").value = at("sure-fault").textContent = "";
    wanted = { address, done, force };
    sure.returnValue = "no";
    sure.showModal();
    at("sure-reason").focus();
  }

  /** A reason of blanks is none: the dialog stays and says so. */
  at("sure-form").addEventListener("submit", (event) => {
    if (event.submitter?.value !== "yes" || !wanted.force || at("sure-reason").value.trim()) return;
    event.preventDefault();
    at("sure-fault").textContent = "Promoting by force needs a reason in words.";
    at("sure-reason").focus();
  });

  sure.addEventListener("close", async () => {
    if (sure.returnValue !== "yes") return;
    const reason = at("sure-reason").value.trim() || null;
    const body = wanted.force ? { reason, force: true } : { reason };
    try {
      const answer = await Console.request("POST", wanted.address, body);
      Console.later(answer.runs ? `${answer.version} is being checked; it serves where no suite refuses it.` : wanted.done);
    } catch (error) {
      if (!error.problem?.failing) return Console.notice(error.message);
      Console.later(`${error.message}. It does not serve; why is told under Promotions.`);
    }
    location.reload();
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest(".promote, .force, #rollback");
    if (!button) return;
    const all = "Every running service follows, between two batches.";
    if (button.id === "rollback") return ask("Go back to the model before?", all, "/v1/models/rollback", "Rolled back.");
    const { version } = button.dataset;
    const force = button.classList.contains("force");
    const words = force ? `The suites refuse it; it serves all the same, and the reason is kept. ${all}` : `The suites are run on it first. ${all}`;
    const address = `/v1/models/${encodeURIComponent(version)}/promote`;
    ask(`Let ${version} serve${force ? " by force" : ""}?`, words, address, `${version} serves.`, force);
  });
  Console.follow("models");
});
