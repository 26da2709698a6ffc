// A mail's page: verdicts by button and key, roles of words, and why on request.
"use strict";

(() => {
  const at = (id) => document.getElementById(id);

  async function give(body, words) {
    const { force } = at("verdict").dataset; // taken over from another agent
    if (force) body.force = true;
    try {
      await Console.request("POST", `/v1/emails/${at("verdict").dataset.id}/feedback`, body);
    } catch (error) {
      Console.notice(error.message);
      return;
    }
    delete at("verdict").dataset.unsaved;
    Console.later(words);
    if (at("queue")?.dataset.queue === "yes" && body.verdict !== "withdrawn") await Review.next();
    else location.reload();
  }

  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  /** The label and the words as they stand on the page: accepted where they are the model's, else corrected.
   *  Words that no agent marked are not sent with another label: they were made for the model's, and are not judged. */
  function judge(label) {
    const { model, modelSpans, judged, unsaved } = at("verdict").dataset;
    const spans = at("words") ? Spans.current() : [];
    if (label === model && same(spans, Spans.bare(JSON.parse(modelSpans)))) return give({ verdict: "accepted" }, "Accepted.");
    const to = label.replaceAll("_", " ");
    if (unsaved || judged) return give({ verdict: "corrected", label, spans }, `Corrected to ${to}, with the words as marked.`);
    return give({ verdict: "corrected", label }, `Corrected to ${to}.${spans.length ? " The words were not judged." : ""}`);
  }

  function marksAreRight() {
    return give({ verdict: "corrected", label: at("verdict").dataset.label, spans: Spans.current() }, "The words are right.");
  }

  function whenMarked() {
    at("save-spans").disabled = false;
    at("verdict").dataset.unsaved = "yes";
    if (at("accept")) at("accept").textContent = "Accept with the words as marked";
  }

  /** Another agent has the mail: its buttons come when this one takes it over. */
  function takeOver() {
    at("verdict").dataset.force = "yes";
    for (const id of ["verdicts", "marking"]) at(id)?.removeAttribute("hidden");
    at("theirs").remove();
    (at("accept") ?? at("withdraw")).focus();
  }

  /** What was corrected becomes a case of the shop's own suite, with the first words of each role. */
  function addAsCase() {
    const { id, label } = at("verdict").dataset;
    const { refund, keep } = at("as-case").dataset;
    const body = { email_id: id, label, refund: refund || null, keep: keep || null };
    return Console.addCase(at("as-case"), "/v1/checks/cases", body);
  }

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

  function onKey(event) {
    if (Console.isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const { label, labels } = at("verdict").dataset;
    const judging = /^[0-9aurnpcs]$/.test(event.key);
    if (judging && at("theirs")) return Console.notice(`${at("theirs-words").textContent} Take it over first.`);
    const digit = /^[0-9]$/.test(event.key) ? (Number(event.key) + 9) % 10 : null;
    const role = { r: "refund", n: "keep", p: "replace", c: "" }[event.key];
    if (event.key === "a" && at("accept")) at("accept").click();
    else if (event.key === "u" && at("withdraw")) at("withdraw").click();
    else if (event.key === "w") askWhy();
    else if (event.key === "m" && at("words")) at("words").focus();
    else if (event.key === "s" && at("save-spans")?.disabled === false) judge(label);
    else if (role !== undefined && at("words")) setRole(role);
    else if (digit !== null) judge(labels.split(",")[digit]);
  }

  function setRole(role) {
    if (!Spans.mark(role)) Console.notice("Choose words first: with the mouse, or with m and Shift and the arrows.");
  }

  document.addEventListener("DOMContentLoaded", () => {
    const verdict = at("verdict");
    at("accept")?.addEventListener("click", () => judge(verdict.dataset.model));
    at("correct")?.addEventListener("click", () => judge(at("other-label").value));
    at("withdraw")?.addEventListener("click", () => give({ verdict: "withdrawn" }, "Open again."));
    at("as-case")?.addEventListener("click", addAsCase);
    at("take-over")?.addEventListener("click", takeOver);
    at("marks-right")?.addEventListener("click", marksAreRight);
    at("marks-exchange")?.addEventListener("click", Spans.exchange);
    addEventListener("beforeunload", (event) => {
      if (verdict.dataset.unsaved) event.preventDefault();
    });
    for (const [id, words] of [["claim", "It is yours."], ["release", "Put back."]]) {
      const button = at(id);
      if (!button) continue;
      button.addEventListener("click", async () => {
        try {
          await Console.request("POST", `/v1/review/${verdict.dataset.id}/${id}`);
          Console.later(words);
          location.reload();
        } catch (error) {
          Console.notice(error.message);
        }
      });
    }
    at("ask-why")?.addEventListener("click", askWhy);
    if (at("words")) {
      Spans.begin(at("words"), JSON.parse(verdict.dataset.spans), whenMarked);
      for (const button of at("marking").querySelectorAll("[data-role]")) {
        button.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the chosen words chosen
        button.addEventListener("click", () => setRole(button.dataset.role));
      }
      at("save-spans").addEventListener("click", () => judge(verdict.dataset.label));
    }
    document.addEventListener("keydown", onKey);
  });
})();
