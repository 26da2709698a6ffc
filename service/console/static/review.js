// The queue: claim the next mail and open it.
"use strict";

const Review = (() => {
  /** Claim the next mail in line that nobody has and go to it; what was held goes back where it was not decided. */
  async function next() {
    const unsaved = document.querySelector("[data-unsaved]");
    if (unsaved && !confirm("The words that you marked are not saved. Leave them?")) return;
    unsaved?.removeAttribute("data-unsaved");
    try {
      const taken = await Console.request("POST", "/v1/review/next?put_back=true");
      if (taken?.email) {
        location.assign(`/mails/${taken.email.id}?queue=yes`);
        return;
      }
    } catch (error) {
      Console.notice(error.message);
      return;
    }
    Console.later("Nothing is left to take.");
    location.assign("/review");
  }

  return { next };
})();

document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("next");
  if (!button) return;
  button.addEventListener("click", Review.next);
  document.addEventListener("keydown", (event) => {
    if (event.key === "g" && !Console.isTyping(event) && !event.ctrlKey && !event.metaKey) Review.next();
  });
});
