// The order lab: words as tiles that are dragged or moved by keys; every change is read anew by the service.
"use strict";

(() => {
  const at = (id) => document.getElementById(id);
  const state = { text: "", order: null, focus: 0, from: null, positions: true, off: new Set(), chosen: null };
  const MOVERS = ["earlier", "later", "exchange", "shuffle", "written", "positions", "all-heads"];
  let answer = null;
  let weights = null;
  let asked = 0;

  function words() {
    return answer.words.map((word) => word.text);
  }

  /** Ask for both readings; of several answers under way only the last one asked for is shown. */
  async function read() {
    const turn = ++asked;
    busy(true);
    const body = { text: state.text, positions: state.positions, heads_off: [...state.off].map(headOf) };
    if (state.order) body.order = state.order;
    if (state.from !== null) body.attention_from = state.from;
    try {
      const found = await Console.request("POST", "/v1/explain", body);
      if (turn !== asked) return;
      answer = found;
      at("fault").textContent = "";
    } catch (error) {
      if (turn !== asked) return;
      at("fault").textContent = error.message;
      if (state.order) showGap(); // what stands there is as old as it was
      else forget();
      busy(false);
      return;
    }
    state.order ??= answer.words.map((_, n) => n);
    weights = Attention.byWord(answer, state.order);
    busy(false);
    show();
  }

  /** The readings are old while new ones are awaited; before the first answer nothing can be moved. */
  function busy(waiting) {
    at("readings").setAttribute("aria-busy", String(waiting));
    if (waiting) at("gap-words").textContent = "Reading …";
    for (const id of MOVERS) at(id).disabled = !state.order;
    at("exchange").disabled ||= phrases() === null;
  }

  /** No reading of this text: nothing of the one before may stand for it. */
  function forget() {
    answer = weights = null;
    const parts = "#tiles, #readings .body, #attention, #case, #gap-words, #digits, #from-word";
    for (const part of document.querySelectorAll(parts)) part.replaceChildren();
    at("gap").textContent = "–";
    at("head-off").disabled = true;
    busy(false);
  }

  function headOf(key) {
    const [layer, head] = key.split(",").map(Number);
    return { layer, head };
  }

  function roleOf(reading, word) {
    const token = reading.tokens.find((entry) => entry.word === word);
    if (!token) return null;
    return reading.spans.find((span) => span.start < token.end && token.start < span.end)?.role ?? null;
  }

  function show() {
    showTiles();
    showReading("as-written", answer.as_written);
    showReading("arranged", answer.arranged);
    showGap();
    showCase();
    at("why").hidden = state.positions;
    at("digits").textContent = `${answer.arranged.label.replaceAll("_", " ")} ${answer.arranged.confidence}`;
    at("positions").setAttribute("aria-checked", String(state.positions));
    at("all-heads").hidden = state.off.size === 0;
    showGrid();
  }

  function showTiles() {
    const list = at("tiles");
    const hadFocus = list.contains(document.activeElement);
    const head = state.chosen && headOf(state.chosen);
    const shade = head ? weights[head.layer][head.head] : Attention.mean(weights);
    const top = Math.max(...shade, 1e-9);
    list.replaceChildren(
      ...state.order.map((word, place) => {
        const tile = document.createElement("button");
        tile.type = "button";
        tile.textContent = answer.words[word].text;
        tile.dataset.word = word;
        tile.dataset.role = roleOf(answer.arranged, word) ?? "";
        tile.tabIndex = place === state.focus ? 0 : -1;
        tile.setAttribute("aria-pressed", String(state.from === word));
        tile.style.setProperty("--look", (shade[place] / top).toFixed(3));
        const item = document.createElement("li");
        item.append(tile);
        return item;
      }),
    );
    if (hadFocus) tileAt(state.focus)?.focus();
  }

  function showReading(id, reading) {
    const label = document.createElement("p");
    const chip = document.createElement("span");
    chip.className = "chip";
    chip.dataset.label = reading.label;
    chip.textContent = reading.label.replaceAll("_", " ");
    label.append(chip, ` ${(reading.confidence * 100).toFixed(1)} %`);
    const list = document.createElement("dl");
    list.className = "shares";
    for (const entry of reading.probabilities.slice(0, 4)) {
      const name = document.createElement("dt");
      name.textContent = entry.label.replaceAll("_", " ");
      const value = document.createElement("dd");
      value.textContent = entry.probability.toFixed(4);
      value.style.setProperty("--share", entry.probability);
      list.append(name, value);
    }
    const text = document.createElement("p");
    text.className = "reading";
    text.dir = "auto";
    let done = 0;
    for (const span of [...reading.spans].sort((a, b) => a.start - b.start)) {
      const characters = [...reading.text]; // offsets count characters, not UTF-16 units
      const mark = document.createElement("mark");
      mark.className = span.role;
      mark.title = { refund: "to refund", keep: "not to refund", replace: "to replace" }[span.role];
      mark.textContent = characters.slice(span.start, span.end).join("");
      text.append(characters.slice(done, span.start).join(""), mark);
      done = span.end;
    }
    text.append([...reading.text].slice(done).join(""));
    at(id).querySelector(".body").replaceChildren(text, label, list);
  }

  function showGap() {
    at("gap").textContent = answer.order_gap === 0 ? "0.0" : answer.order_gap.toFixed(4);
    const same = answer.as_written.label === answer.arranged.label;
    let sentence = same ? "The label stays." : "The label follows the order.";
    if (!state.positions) sentence = "Positions are off: the order cannot matter.";
    else if (answer.as_written.text === answer.arranged.text) sentence = "Both read the same order.";
    at("gap-words").textContent = sentence;
  }

  /** Both texts as a swap case; a string in JSON is a string in YAML too. */
  function showCase() {
    const member = (name, reading) =>
      `  ${name}: {text: ${JSON.stringify(reading.text)}, label: ${reading.label}}`;
    at("case").textContent = [
      `- id: ${answer.as_written.text.toLowerCase().match(/[a-z0-9]+/g)?.slice(0, 4).join("-") ?? "pair"}`,
      "  kind: swap",
      member("a", answer.as_written),
      member("b", answer.arranged),
      "  min_order_gap: 0.5",
    ].join("\n");
  }

  function showGrid() {
    const inOrder = state.order.map((word) => answer.words[word].text);
    at("from-word").textContent = state.from === null ? "from all words" : `from “${words()[state.from]}”`;
    Attention.draw(at("attention"), { weights, words: inOrder, off: state.off, chosen: state.chosen }, choose, toggle);
    const button = at("head-off");
    button.disabled = state.chosen === null;
    if (state.chosen === null) {
      at("head-words").textContent = "Choose a head in the grid.";
      return;
    }
    const { layer, head } = headOf(state.chosen);
    button.textContent = state.off.has(state.chosen) ? "Switch this head on" : "Switch this head off";
    at("head-words").textContent =
      `Layer ${layer + 1}, head ${head + 1} looks most at ${Attention.most(weights[layer][head], inOrder)}.`;
  }

  function choose(layer, head) {
    if (!state.order) return;
    state.chosen = `${layer},${head}`;
    showTiles();
    showGrid();
    at("attention").querySelector('[tabindex="0"]').focus();
  }

  function toggle(layer, head) {
    if (!state.order) return;
    const key = `${layer},${head}`;
    if (!state.off.delete(key)) state.off.add(key);
    read();
  }

  function tileAt(place) {
    return at("tiles").children[place]?.firstChild;
  }

  function focusTile(place) {
    if (!state.order) return;
    state.focus = Math.max(0, Math.min(state.order.length - 1, place));
    for (const [n, item] of [...at("tiles").children].entries()) item.firstChild.tabIndex = n === state.focus ? 0 : -1;
    tileAt(state.focus).focus();
  }

  /** Put the word at one place to another; the readings follow. */
  function move(from, to) {
    if (!state.order || to < 0 || to >= state.order.length || from === to) return;
    const [word] = state.order.splice(from, 1);
    state.order.splice(to, 0, word);
    state.focus = to;
    weights = weights.map((heads) => heads.map((values) => values.toSpliced(from, 1).toSpliced(to, 0, values[from])));
    showTiles();
    Console.notice(`${answer.words[word].text}: ${to + 1} of ${state.order.length}`);
    read();
  }

  /** The places of the first phrase to refund and the first to keep, or null where there are not both. */
  function phrases() {
    const runs = {};
    state.order.forEach((word, place) => {
      const role = roleOf(answer.arranged, word);
      if (role !== "refund" && role !== "keep") return;
      if (!runs[role]) runs[role] = [place];
      else if (runs[role].at(-1) === place - 1) runs[role].push(place);
    });
    return runs.refund && runs.keep ? runs : null;
  }

  function exchange() {
    const runs = phrases();
    const [left, right] = [runs.refund, runs.keep].sort((a, b) => a[0] - b[0]);
    const [a, b] = [left[0], left.at(-1) + 1];
    const [c, d] = [right[0], right.at(-1) + 1];
    const order = state.order;
    setOrder([...order.slice(0, a), ...order.slice(c, d), ...order.slice(b, c), ...order.slice(a, b), ...order.slice(d)]);
  }

  function setOrder(order) {
    state.order = order;
    read();
  }

  function shuffle() {
    setOrder(state.order.map((word) => [Math.random(), word]).sort(([a], [b]) => a - b).map(([, word]) => word));
  }

  function lookFrom(word) {
    state.from = state.from === word ? null : word;
    read();
  }

  function switchPositions() {
    state.positions = !state.positions;
    read();
  }

  function begin(text) {
    Object.assign(state, { text, order: null, focus: 0, from: null, chosen: null });
    if (text.trim()) return read();
    asked++; // what is under way is of another text
    forget();
    at("fault").textContent = "Type a mail first.";
  }

  /** Dragging by pointer: mouse, pen and touch alike. A press that does not travel is a click. */
  function watchDragging(list) {
    let held = null;
    list.addEventListener("pointerdown", (event) => {
      const tile = event.target.closest("button");
      if (!tile || event.button !== 0 || !state.order) return;
      held = { tile, x: event.clientX, y: event.clientY, moved: false, id: event.pointerId };
    });
    document.addEventListener("pointermove", (event) => {
      if (!held || event.pointerId !== held.id) return;
      if (!held.moved && Math.hypot(event.clientX - held.x, event.clientY - held.y) < 6) return;
      held.moved = true;
      held.tile.classList.add("held");
      const under = document.elementFromPoint(event.clientX, event.clientY)?.closest("#tiles li");
      if (!under || under === held.tile.parentElement) return;
      const items = [...list.children];
      const after = items.indexOf(under) > items.indexOf(held.tile.parentElement);
      under[after ? "after" : "before"](held.tile.parentElement);
    });
    const drop = () => {
      if (held?.moved) {
        held.tile.classList.remove("held");
        state.focus = [...list.children].indexOf(held.tile.parentElement);
        state.dropped = true;
        setOrder([...list.children].map((item) => Number(item.firstChild.dataset.word)));
      }
      held = null;
    };
    document.addEventListener("pointerup", drop);
    document.addEventListener("pointercancel", drop);
    list.addEventListener("click", (event) => {
      const tile = event.target.closest("button");
      const ofDrag = state.dropped && event.detail > 0; // a key's click has no count
      state.dropped = false;
      if (ofDrag || !tile || !state.order) return;
      state.focus = [...list.children].indexOf(tile.parentElement);
      lookFrom(Number(tile.dataset.word));
    });
    list.addEventListener("pointerdown", () => (state.dropped = false), true);
  }

  function watchKeys() {
    at("tiles").addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      if (event.shiftKey) move(state.focus, state.focus + step);
      else focusTile(state.focus + step);
    });
    document.addEventListener("keydown", (event) => {
      if (Console.isTyping(event) || event.altKey || event.ctrlKey || event.metaKey || !state.order) return;
      if (event.key === "p") switchPositions();
      if (event.key === "s") shuffle();
      if (event.key === "w") setOrder(answer.words.map((_, n) => n));
    });
  }

  document.addEventListener("DOMContentLoaded", () => {
    at("source").addEventListener("submit", (event) => {
      event.preventDefault();
      begin(at("text").value);
    });
    at("example").addEventListener("change", () => {
      at("text").value = at("example").value;
      begin(at("text").value);
    });
    at("earlier").addEventListener("click", () => move(state.focus, state.focus - 1));
    at("later").addEventListener("click", () => move(state.focus, state.focus + 1));
    at("exchange").addEventListener("click", exchange);
    at("shuffle").addEventListener("click", shuffle);
    at("written").addEventListener("click", () => setOrder(answer.words.map((_, n) => n)));
    at("positions").addEventListener("click", switchPositions);
    at("all-heads").addEventListener("click", () => {
      state.off.clear();
      read();
    });
    at("head-off").addEventListener("click", () => {
      const { layer, head } = headOf(state.chosen);
      toggle(layer, head);
    });
    watchDragging(at("tiles"));
    watchKeys();
    begin(at("text").value);
  });
})();
