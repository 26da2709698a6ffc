// Runs before the page is painted, so that a chosen theme does not flash.
"use strict";
(() => {
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
