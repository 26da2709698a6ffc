// Runs before the page is painted: a chosen theme does not flash, and what only scripts can serve does not push in later.
"use strict";
(() => {
  document.documentElement.classList.add("scripts");
  const stored = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // storage may be forbidden; then the browser's scheme decides
    }
  };
  const chosen = stored();
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
