// The grid of attention: a small bar chart for each layer and head, operated with the arrow keys.
"use strict";

const Attention = (() => {
  const SVG = "http://www.w3.org/2000/svg";

  /** Attention from tokens to words: [layer][head][word], in the words' present order. */
  function byWord(answer, order) {
    const place = new Map(order.map((word, at) => [word, at]));
    return answer.attention.map((heads) =>
      heads.map((rows) => {
        const sums = new Array(order.length).fill(0);
        for (const row of rows) {
          answer.arranged.tokens.forEach((token, n) => {
            if (token.word !== null) sums[place.get(token.word)] += row[n] / rows.length;
          });
        }
        return sums;
      }),
    );
  }

  /** The mean over all layers and heads: [word]. */
  function mean(weights) {
    const heads = weights.flat();
    return heads[0].map((_, word) => heads.reduce((sum, head) => sum + head[word], 0) / heads.length);
  }

  function chart(values) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${values.length} 1`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    const bars = document.createElementNS(SVG, "path");
    bars.setAttribute("d", values.map((v, n) => `M${n + 0.1} 1v${(-Math.min(1, v)).toFixed(3)}h.8V1z`).join(""));
    svg.append(bars);
    return svg;
  }

  /** "cake 52 %, fee 21 %": the words that a head looks at most. */
  function most(values, words, count = 3) {
    return values
      .map((value, n) => [value, words[n]])
      .sort((a, b) => b[0] - a[0])
      .slice(0, count)
      .map(([value, word]) => `${word} ${Math.round(value * 100)} %`)
      .join(", ");
  }

  /**
   * Draw the grid into a table. state: weights [layer][head][word], words, off (a Set of "layer,head"), chosen.
   * choose and toggle are called with layer and head.
   */
  function draw(table, state, choose, toggle) {
    const focused = table.contains(document.activeElement);
    table.replaceChildren();
    const head = table.createTHead().insertRow();
    head.append(document.createElement("td"));
    state.weights[0].forEach((_, n) => {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = n + 1;
      cell.abbr = `head ${n + 1}`;
      head.append(cell);
    });
    const body = table.createTBody();
    state.weights.forEach((heads, layer) => {
      const row = body.insertRow();
      const name = document.createElement("th");
      name.scope = "row";
      name.textContent = layer + 1;
      name.abbr = `layer ${layer + 1}`;
      row.append(name);
      heads.forEach((values, n) => {
        const key = `${layer},${n}`;
        const button = document.createElement("button");
        button.type = "button";
        button.dataset.key = key;
        button.classList.toggle("off", state.off.has(key));
        button.setAttribute("aria-pressed", String(state.chosen === key));
        const off = state.off.has(key) ? ", switched off" : "";
        button.setAttribute("aria-label", `Layer ${layer + 1}, head ${n + 1}${off}: ${most(values, state.words)}`);
        button.tabIndex = key === (state.chosen ?? "0,0") ? 0 : -1;
        button.append(chart(values));
        button.addEventListener("click", () => choose(layer, n));
        row.insertCell().append(button);
      });
    });
    table.onkeydown = (event) => {
      const [layer, n] = (event.target.dataset.key ?? "0,0").split(",").map(Number);
      const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
      if (step) {
        const next = table.querySelector(`[data-key="${layer + step[0]},${n + step[1]}"]`);
        if (next) choose(layer + step[0], n + step[1]);
        event.preventDefault();
      } else if (event.key === "o") {
        toggle(layer, n);
      }
    };
    if (focused) table.querySelector('[tabindex="0"]')?.focus();
  }

  return { byWord, mean, most, draw };
})();
