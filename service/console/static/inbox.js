// The inbox: keys, and new mails as they come.
"use strict";

(() => {
  const list = () => document.getElementById("mails");

  function current() {
    return document.activeElement?.closest("#mails > li") ?? list().querySelector(":scope > li.current");
  }

  function goTo(row) {
    if (!row) return;
    list().querySelector(".current")?.classList.remove("current");
    row.classList.add("current");
    row.querySelector("a.words").focus();
    row.scrollIntoView({ block: "nearest" });
  }

  function parse(html) {
    const holder = document.createElement("template");
    holder.innerHTML = html; // the service's own rows, in which mail is escaped
    return [...holder.content.querySelectorAll("li")];
  }

  async function addNew(ids) {
    const unknown = ids.filter((id) => !document.getElementById(`mail-${id}`));
    if (!unknown.length) return;
    const filters = new URLSearchParams(location.search);
    for (let at = 0; at < unknown.length; at += 50) {
      filters.set("ids", unknown.slice(at, at + 50).join(","));
      const rows = parse(await Console.request("GET", `/inbox/rows?${filters}`));
      for (const row of rows.reverse()) {
        if (document.getElementById(row.id)) continue;
        row.classList.add("new");
        const before = [...list().children].find((other) => other.dataset.id < row.dataset.id);
        list().insertBefore(row, before ?? null);
      }
      if (rows.length) document.getElementById("empty")?.remove();
    }
    document.title = document.hidden ? `(new) ${document.title.replace("(new) ", "")}` : document.title;
  }

  /** Listen for new mails; the browser comes back by itself where the service was away for a while. */
  function listen() {
    const live = document.getElementById("live");
    const newest = list().firstElementChild?.dataset.id ?? "";
    const source = new EventSource(`/inbox/events?after=${newest}`);
    source.addEventListener("open", () => (live.textContent = "live"));
    source.addEventListener("mail", (event) => addNew(JSON.parse(event.data)).catch((error) => Console.notice(error.message)));
    source.addEventListener("reload", () => location.reload());
    source.addEventListener("error", () => {
      live.textContent = "not live: the service does not answer";
      if (source.readyState !== EventSource.CLOSED) return;
      source.close(); // it was answered with an error, signed out perhaps: ask again, less often
      setTimeout(listen, 5000);
    });
    addEventListener("pagehide", () => source.close());
  }

  function onKey(event) {
    if (Console.isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = current();
    const rows = [...list().children];
    if (event.key === "j") goTo(row ? row.nextElementSibling ?? row : rows[0]);
    else if (event.key === "k") goTo(row ? row.previousElementSibling ?? row : rows[0]);
    else if (event.key === "/") {
      document.getElementById("q").focus();
      event.preventDefault();
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.addEventListener("keydown", onKey);
    document.addEventListener("visibilitychange", () => (document.title = document.title.replace("(new) ", "")));
    for (const select of document.querySelectorAll("#filters select")) {
      select.addEventListener("change", () => select.form.requestSubmit());
    }
    if (list().dataset.live === "yes") listen();
  });
})();
