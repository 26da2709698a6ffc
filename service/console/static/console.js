// What every page has: the theme switch, ages that go on, help by "?", one line of notice, and requests to the service.
"use strict";

const Console = (() => {
  const root = document.documentElement;
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

  /** A request to the service: the parsed answer, or an Error whose message is the problem's own sentence. */
  async function request(method, address, body) {
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
    if (response.status === 204) return null; // nothing is there to be read, whatever type it is said to have
    const kind = response.headers.get("content-type") ?? "";
    const answer = kind.includes("json") ? await response.json() : await response.text();
    if (response.ok) return answer;
    const error = new Error(answer.detail ?? `The service answered ${response.status}.`);
    error.status = response.status;
    if (response.status === 401) error.message = "You are signed out. Sign in again; this page stays as it is.";
    throw error;
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

  function showAges() {
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
    setInterval(showAges, 20000);
  }

  document.addEventListener("DOMContentLoaded", start);
  return { notice, later, request, isTyping, showAges };
})();
