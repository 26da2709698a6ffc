// The customer's words and their roles: chosen with mouse or keys, marked, and kept as offsets in characters.
"use strict";

const Spans = (() => {
  const NAMES = { refund: "to refund", keep: "not to refund", replace: "to replace" };
  let place, first, letters, spans, whenChanged;

  /** place: the element with the words; offsets count characters of the whole text, of which it shows a part. */
  function begin(element, standing, changed) {
    place = element;
    first = Number(element.dataset.start);
    letters = [...element.textContent]; // characters, as the service counts them, not UTF-16 units
    spans = standing;
    whenChanged = changed;
    element.tabIndex = 0;
    element.setAttribute("role", "textbox");
    element.setAttribute("aria-readonly", "true");
    element.setAttribute("aria-multiline", "true");
    element.setAttribute("aria-labelledby", "words-title");
    element.addEventListener("focus", () => {
      if (!getSelection().rangeCount || !place.contains(getSelection().anchorNode)) getSelection().collapse(place, 0);
    });
    element.addEventListener("keydown", onKey);
  }

  /** Go by word; with Shift choose words. The page's own text has no caret, so the selection is moved here. */
  function onKey(event) {
    const way = { ArrowRight: "forward", ArrowDown: "forward", ArrowLeft: "backward", ArrowUp: "backward" }[event.key];
    if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const step = event.key === "ArrowUp" || event.key === "ArrowDown" ? "line" : "word";
    const selection = getSelection();
    selection.modify(event.shiftKey ? "extend" : "move", way, step);
    if (place.contains(selection.focusNode)) return;
    const edge = way === "forward" ? place.childNodes.length : 0; // the last word does not lead on into the page
    if (event.shiftKey) selection.extend(place, edge);
    else selection.collapse(place, edge);
  }

  function offsetOf(node, offset) {
    const range = document.createRange();
    range.selectNodeContents(place);
    range.setEnd(node, offset);
    return [...range.toString()].length;
  }

  const isLetter = (at) => /[\p{L}\p{N}\p{M}]/u.test(letters[at] ?? "");
  const isSpace = (at) => /\s/u.test(letters[at] ?? "");

  /** The chosen words as [start, end] among the shown letters, widened to whole words; null where none are chosen. */
  function chosen() {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0).cloneRange();
    if (!range.intersectsNode(place)) return null;
    if (!place.contains(range.startContainer)) range.setStart(place, 0); // drawn in from outside
    if (!place.contains(range.endContainer)) range.setEnd(place, place.childNodes.length);
    let start = offsetOf(range.startContainer, range.startOffset);
    let end = offsetOf(range.endContainer, range.endOffset);
    while (start < end && isSpace(start)) start++;
    while (end > start && isSpace(end - 1)) end--;
    if (start === end) return null;
    while (start > 0 && isLetter(start) && isLetter(start - 1)) start--;
    while (end < letters.length && isLetter(end) && isLetter(end - 1)) end++;
    return [start, end];
  }

  function trimmed(span) {
    let { start, end } = span;
    while (start < end && isSpace(start - first)) start++;
    while (end > start && isSpace(end - 1 - first)) end--;
    return { ...span, start, end };
  }

  /** Give the chosen words a role, or none; what they take from other spans is cut off those. */
  function mark(role) {
    const found = chosen();
    if (!found) return false;
    const [start, end] = [found[0] + first, found[1] + first];
    const left = spans.flatMap((span) => {
      if (span.end <= start || span.start >= end) return [span];
      return [{ ...span, end: Math.min(span.end, start) }, { ...span, start: Math.max(span.start, end) }]
        .filter((piece) => piece.start < piece.end)
        .map(trimmed)
        .filter((piece) => piece.start < piece.end);
    });
    spans = role ? [...left, { role, start, end }] : left;
    spans.sort((a, b) => a.start - b.start);
    draw();
    whenChanged();
    return true;
  }

  /** What is to be refunded is not, and the reverse. */
  function exchange() {
    const other = { refund: "keep", keep: "refund" };
    spans = spans.map((span) => ({ ...span, role: other[span.role] ?? span.role }));
    draw();
    whenChanged();
  }

  function draw() {
    const pieces = [];
    let read = 0;
    for (const span of spans) {
      const [start, end] = [Math.max(span.start - first, read), Math.min(span.end - first, letters.length)];
      if (start >= end) continue;
      const element = document.createElement("mark");
      element.className = span.role;
      element.title = NAMES[span.role];
      element.textContent = letters.slice(start, end).join("");
      pieces.push(letters.slice(read, start).join(""), element);
      read = end;
    }
    pieces.push(letters.slice(read).join(""));
    place.replaceChildren(...pieces);
  }

  const bare = (list) => list.map(({ role, start, end }) => ({ role, start, end }));

  return { begin, mark, exchange, bare, current: () => bare(spans) };
})();
