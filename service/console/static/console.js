// What every page has: the theme switch, ages that go on, help by "?", one line of notice, and requests to the service.
"use strict";

const Console = (() => {
  const root = document.documentElement;
  const FOLLOW_MS = 1500;
  let noticeTimer = 0;

  /** Say something to eyes and to screen readers for a few seconds. */
  function notice(words) {
    const place = document.getElementById("notice");
    place.textContent = words;
    clearTimeout(noticeTimer);
    noticeTimer = setTimeout(() => (place.textContent = ""), 6000);
  }

  /** Say something on the page that comes next. */
  function later(words) {
    try {
      sessionStorage.setItem("notice", words);
    } catch {
      notice(words); // storage may be forbidden
    }
  }

  function sayWhatWasLeft() {
    try {
      const words = sessionStorage.getItem("notice");
      if (words) notice(words);
      sessionStorage.removeItem("notice");
    } catch {
      return; // nothing was left where nothing can be stored
    }
  }

  /** A request to the service: its status and parsed answer, or an Error whose message is the problem's own sentence. */
  async function exchange(method, address, body) {
    const token = document.querySelector('meta[name="csrf-token"]')?.content;
    const headers = {};
    if (token) headers["X-CSRF-Token"] = token;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    let response;
    try {
      response = await fetch(address, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    } catch {
      throw new Error("The service does not answer. Nothing was lost; try again in a moment.");
    }
    const { status } = response;
    if (status === 204) return { status, answer: null }; // nothing is there to be read, whatever type it is said to have
    const kind = response.headers.get("content-type") ?? "";
    const answer = kind.includes("json") ? await response.json() : await response.text();
    if (response.ok) return { status, answer };
    const error = new Error(answer.detail ?? `The service answered ${status}.`);
    error.problem = answer;
    if (answer.claimed_until) error.message = `${answer.claimed_by} has this mail until ${clock(answer.claimed_until)}.`;
    if (status === 401) error.message = "You are signed out. Sign in again; this page stays as it is.";
    throw error;
  }

  /** The same, for whom the answer is enough. */
  async function request(method, address, body) {
    return (await exchange(method, address, body)).answer;
  }

  /** A part of this page, by its id, as the service has it now; what had the focus in it keeps it. */
  async function renew(id) {
    const whole = new DOMParser().parseFromString(await request("GET", location.href), "text/html");
    const fresh = whole.getElementById(id);
    const old = document.getElementById(id);
    if (!fresh) return location.reload(); // another page came, such as the sign-in
    const all = (part) => [...part.querySelectorAll("a, button, input, select, summary, [tabindex]")];
    const held = all(old).indexOf(document.activeElement);
    const key = (element) => element.getAttribute("href") ?? element.id + element.textContent;
    const open = [...old.querySelectorAll("details")].map((details) => details.open);
    [...fresh.querySelectorAll("details")].forEach((details, number) => (details.open = open[number] ?? false));
    const same = held < 0 ? null : all(fresh).find((element) => key(element) === key(document.activeElement));
    old.replaceWith(document.adoptNode(fresh)); // the service's own page, in which mail is escaped
    same?.focus({ preventScroll: true });
    document.getElementById("serving").textContent = whole.getElementById("serving").textContent;
    showAges();
  }

  /** Add a case to the shop's own suite; the button gives way to the way there, also where the suite holds it already. */
  async function addCase(button, address, body) {
    let id;
    try {
      id = (await request("POST", address, body)).id;
      notice("Added to the shop's own suite; it counts from the next run on.");
    } catch (error) {
      notice(error.message);
      id = error.problem?.case_id;
    }
    if (!id) return;
    const link = document.createElement("a");
    link.href = `/checks/cases/${id}`;
    link.textContent = "In our own suite";
    button.replaceWith(link);
    link.focus();
  }

  const followed = new Set();

  /** Keep a part of this page new for as long as it is marked busy, and say what came of it when it is not any more. */
  async function follow(id) {
    const busy = () => document.getElementById(id)?.dataset.busy !== undefined;
    if (!busy() || followed.has(id)) return;
    followed.add(id);
    while (busy()) {
      await new Promise((done) => setTimeout(done, FOLLOW_MS));
      try {
        if (!document.hidden) await renew(id);
      } catch (error) {
        notice(error.message); // the service may be away for a while
      }
    }
    followed.delete(id);
    notice(document.getElementById(id).dataset.done);
  }

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  function switchTheme() {
    root.dataset.theme = isDark() ? "light" : "dark";
    showTheme();
    try {
      localStorage.setItem("theme", root.dataset.theme);
    } catch {
      notice("This browser forbids storage: the theme lasts until you leave the page.");
    }
  }

  function showTheme() {
    document.getElementById("theme").setAttribute("aria-pressed", String(isDark()));
  }

  /** A moment as this machine's clock shows it. */
  function clock(moment) {
    return new Date(moment).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  }

  function showAges() {
    for (const time of document.querySelectorAll("time[data-clock]")) time.textContent = clock(time.dateTime);
    const limits = [[60, 1, "s"], [3600, 60, "m"], [86400, 3600, "h"], [7 * 86400, 86400, "d"]];
    for (const time of document.querySelectorAll("time[data-age]")) {
      const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(time.dateTime)) / 1000));
      const limit = limits.find(([most]) => seconds < most);
      if (limit) time.textContent = Math.floor(seconds / limit[1]) + limit[2];
    }
  }

  /** Whether a key is meant for a field and not for the page. */
  function isTyping(event) {
    return event.target.closest("input:not([type=checkbox]), textarea, select, dialog") !== null;
  }

  function start() {
    const theme = document.getElementById("theme");
    theme.addEventListener("click", switchTheme);
    showTheme();
    sayWhatWasLeft();
    const help = document.getElementById("help");
    const opener = document.getElementById("help-open");
    opener.addEventListener("click", () => help.showModal());
    document.addEventListener("keydown", (event) => {
      if (event.key === "?" && !isTyping(event)) help.showModal();
    });
    showAges();
    setInterval(showAges, 20000);
  }

  document.addEventListener("DOMContentLoaded", start);
  return { notice, later, exchange, request, renew, addCase, follow, isTyping, showAges, clock };
})();
