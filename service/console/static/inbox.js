// The inbox: keys, many at once, undo, and new mails as they come.
"use strict";

(() => {
  const list = () => document.getElementById("mails");
  const undoable = []; // a map each: a mail's id and the verdict that stood before
  let turn = Promise.resolve();
  const newest = new Map(); // a mail's id and how many verdicts it had after this page's last one

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

  function chosen() {
    return [...list().querySelectorAll("input[name=mail]:checked")].map((box) => box.closest("li"));
  }

  /** The rows that a key or button acts on: the chosen ones, else the one at hand. */
  function targets() {
    const many = chosen();
    if (many.length) return many;
    const one = current();
    if (!one) Console.notice("Go to a mail first, with j or k.");
    return one ? [one] : [];
  }

  /** Do what `change` does to each row, a few at a time; what was refused is told with its reason. The rows it did. */
  async function work(rows, change, done) {
    if (!rows.length) return; // why there is none was told
    const waiting = [...rows];
    const changed = [];
    const refused = [];
    const next = async () => {
      for (let row = waiting.shift(); row; row = waiting.shift()) {
        try {
          await change(row);
          changed.push(row);
        } catch (error) {
          refused.push(error);
        }
      }
    };
    await Promise.all([next(), next(), next(), next()]);
    await refresh(changed);
    const sentence = changed.length ? `${changed.length === 1 ? "Mail" : `${changed.length} mails`} ${done}.` : "";
    const problem = refused.length ? ` ${refused.length} refused: ${refused[0].message}` : "";
    Console.notice(sentence + problem);
  }

  async function give(id, body) {
    const { status, answer } = await Console.exchange("POST", `/v1/emails/${id}/feedback`, body);
    newest.set(id, answer.feedback.length);
    return status === 201 ? answer.feedback : null; // the same verdict again is no new one
  }

  /** One verdict for each row, with what undoes it: the verdict that stood before, word for word, or none. */
  async function judge(rows, bodyOf, done) {
    const undo = new Map();
    await work(
      rows,
      async (row) => {
        const { id } = row.dataset;
        const history = await give(id, bodyOf(row));
        if (history) undo.set(id, asBody(history.at(-2)));
      },
      done,
    );
    if (undo.size) undoable.push(undo);
  }

  /** A verdict of the history as it is given again. */
  function asBody(verdict) {
    if (!verdict || verdict.verdict === "withdrawn") return { verdict: "withdrawn" };
    const { reason } = verdict;
    if (verdict.verdict === "accepted") return { verdict: "accepted", reason };
    const spans = verdict.spans_judged ? verdict.spans : undefined;
    return { verdict: "corrected", label: verdict.label, spans, reason };
  }

  /** One act after another, in the order of the keys, however quickly they are struck. */
  function inTurn(act) {
    turn = turn.then(act).catch((error) => Console.notice(error.message));
  }

  function accept() {
    const rows = targets();
    inTurn(() => judge(rows, () => ({ verdict: "accepted" }), "accepted"));
  }

  function correct(label) {
    const body = (row) =>
      row.dataset.model === label ? { verdict: "accepted" } : { verdict: "corrected", label };
    const rows = targets();
    inTurn(() => judge(rows, body, `labelled ${label.replaceAll("_", " ")}`));
  }

  /** Bring back what stood before the last verdict of this page, unless somebody else has judged the mail since. */
  async function undo() {
    const last = undoable.pop();
    if (!last) return Console.notice("There is nothing to undo.");
    const rows = [...last.keys()].map((id) => document.getElementById(`mail-${id}`) ?? lost(id));
    await work(
      rows,
      async (row) => {
        const { id } = row.dataset;
        const { feedback } = await Console.request("GET", `/v1/emails/${id}`);
        const mine = feedback.length === newest.get(id);
        if (mine) await give(id, last.get(id));
        last.delete(id);
        if (!mine) throw new Error(`${feedback.at(-1).actor} has judged it since.`);
      },
      "as before",
    );
    if (last.size) undoable.push(last); // what did not reach the service
  }

  /** A row that has left the page still has its id. */
  function lost(id) {
    const row = document.createElement("li");
    row.dataset.id = id;
    return row;
  }

  function parse(html) {
    const holder = document.createElement("template");
    holder.innerHTML = html; // the service's own rows, in which mail is escaped
    return [...holder.content.querySelectorAll("li")];
  }

  /** Show rows as they are now; the filters do not take a row away that was just worked on. */
  async function refresh(rows) {
    const ids = rows.map((row) => row.dataset.id);
    for (let at = 0; at < ids.length; at += 50) {
      const html = await Console.request("GET", `/inbox/rows?ids=${ids.slice(at, at + 50).join(",")}`);
      for (const fresh of parse(html)) {
        const old = document.getElementById(fresh.id);
        if (!old) continue;
        const [focused, isCurrent] = [old.contains(document.activeElement), old.classList.contains("current")];
        old.replaceWith(fresh);
        fresh.classList.toggle("current", isCurrent);
        if (focused) fresh.querySelector("a.words").focus();
      }
    }
    showChosen();
  }

  function showChosen() {
    const count = chosen().length;
    document.getElementById("many").hidden = count === 0;
    document.getElementById("many-count").textContent = `${count} chosen`;
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

  /** Back from a mail, the mail at hand and what was scrolled to are those of before. */
  function keepPlace() {
    addEventListener("pagehide", () => {
      const place = { search: location.search, id: current()?.id, top: scrollY };
      try {
        sessionStorage.setItem("place", JSON.stringify(place));
      } catch {
        return; // storage may be forbidden; the inbox then begins at its top
      }
    });
    let place;
    try {
      place = JSON.parse(sessionStorage.getItem("place"));
    } catch {
      return;
    }
    const [entry] = performance.getEntriesByType("navigation");
    if (entry?.type !== "back_forward" || place?.search !== location.search) return;
    const row = document.getElementById(place.id);
    if (!row) return;
    goTo(row);
    scrollTo(0, place.top);
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

  /** Keep the present filters under a name, or forget a kept view. */
  function watchViews() {
    const keep = document.getElementById("keep");
    const filters = new URLSearchParams([...new URLSearchParams(location.search)].filter(([k, v]) => v && k !== "before"));
    keep.hidden = filters.size === 0;
    keep.addEventListener("submit", async (event) => {
      event.preventDefault();
      const name = document.getElementById("keep-name").value.trim();
      await change("POST", "/v1/views", { name, query: filters.toString() }, `Kept as ${name}.`);
    });
    for (const button of document.querySelectorAll("[data-forget]")) {
      button.addEventListener("click", () => change("DELETE", `/v1/views/${button.dataset.forget}`, undefined, "Forgotten."));
    }
  }

  async function change(method, address, body, words) {
    try {
      await Console.request(method, address, body);
      Console.later(words);
      location.reload();
    } catch (error) {
      Console.notice(error.message);
    }
  }

  function onKey(event) {
    if (Console.isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = current();
    const rows = [...list().children];
    const labels = list().dataset.labels.split(",");
    const digit = /^[0-9]$/.test(event.key) ? (Number(event.key) + 9) % 10 : null;
    if (event.key === "j") goTo(row ? row.nextElementSibling ?? row : rows[0]);
    else if (event.key === "k") goTo(row ? row.previousElementSibling ?? row : rows[0]);
    else if (event.key === "a") accept();
    else if (event.key === "u") inTurn(undo);
    else if (event.key === "x" && row) row.querySelector("input[name=mail]").click();
    else if (digit !== null && labels[digit]) correct(labels[digit]);
    else if (event.key === "/") {
      document.getElementById("q").focus();
      event.preventDefault();
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.addEventListener("keydown", onKey);
    list().addEventListener("change", showChosen);
    document.addEventListener("visibilitychange", () => (document.title = document.title.replace("(new) ", "")));
    for (const select of document.querySelectorAll("#filters select")) {
      select.addEventListener("change", () => select.form.requestSubmit());
    }
    document.getElementById("many-accept").addEventListener("click", accept);
    document.getElementById("many-correct").addEventListener("click", () => {
      correct(document.getElementById("many-label").value);
    });
    document.getElementById("many-clear").addEventListener("click", () => {
      for (const row of chosen()) row.querySelector("input[name=mail]").checked = false;
      showChosen();
    });
    watchViews();
    keepPlace();
    showChosen();
    if (list().dataset.live === "yes") listen();
  });
})();
