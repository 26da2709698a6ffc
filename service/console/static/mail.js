// A mail's page: why it got its label, on request.
"use strict";

(() => {
  const at = (id) => document.getElementById(id);

  async function askWhy(event) {
    event?.preventDefault();
    const link = at("ask-why");
    if (!link) return;
    link.setAttribute("aria-busy", "true");
    link.textContent = "Reading the mail without each word …";
    try {
      const response = await fetch(link.href, { headers: { "X-Piece": "yes" } });
      if (!response.ok) throw new Error(`The service answered ${response.status}.`);
      const piece = document.createElement("template");
      piece.innerHTML = await response.text(); // the service's own table, in which mail is escaped
      link.replaceWith(piece.content);
    } catch (error) {
      link.textContent = "Which words moved the label";
      link.removeAttribute("aria-busy");
      Console.notice(error instanceof TypeError ? "The service does not answer." : error.message);
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    at("ask-why").addEventListener("click", askWhy);
    document.addEventListener("keydown", (event) => {
      const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (event.key === "w" && plain && !Console.isTyping(event)) askWhy();
    });
  });
})();
