// One of the shop's own cases: words and labels from the form into the case, and back to the service.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("case");
  const address = `/v1/checks/cases/${form.dataset.id}`;

  async function change(method, where, body, words) {
    try {
      await Console.request(method, where, body);
      Console.later(words);
      location.reload();
    } catch (error) {
      Console.notice(error.message);
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const told = JSON.parse(form.dataset.case);
    for (const field of form.querySelectorAll("[data-field]")) {
      const { place, field: name } = field.dataset;
      (place ? told[place] : told)[name] = field.value;
    }
    change("PUT", address, { case: told }, "Saved; it counts from the next run on.");
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  document.getElementById("retire")?.addEventListener("click", () => {
    change("POST", `${address}/retire`, undefined, "Retired; it runs no more, and is kept.");
  });
});
