// Charts that follow the filters: drawn anew from the rows that are left, in their order. Without a filter the drawing
// that charts.py made stays.
"use strict";

(() => {
  const { items, firstRow, changed } = medexams.tables;
  const MOST = 30;
  const COLOUR = { model: "var(--accent)", baseline: "var(--muted)", human: "var(--people)" };
  const narrow = matchMedia("(max-width: 46rem)");

  const s = (tag, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const label = (item) => {
    const name = [...(firstRow(item).querySelector(".name")?.textContent ?? "").trim()];
    return name.length > 28 ? `${name.slice(0, 27).join("")}…` : name.join("");
  };

  /** An empty drawing of so many lanes, and where on it a value lies. */
  const lanes = (n, [low, high], percent, top, room) => {
    const width = narrow.matches ? 340 : 760;
    const lane = narrow.matches ? 40 : 26;
    const left = narrow.matches ? 10 : 210;
    const height = top + n * lane + 34;
    const x = (value) => left + ((value - low) / (high - low)) * (width - left - room);
    const y = (i) => top + (i + 0.5) * lane;
    const drawing = s("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img" });
    const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50].find((d) => (high - low) / d <= 6) ?? 100;
    for (let k = Math.ceil(low / step); k * step <= high; k += 1) {
      const at = x(k * step);
      drawing.append(s("line", { x1: at, x2: at, y1: top, y2: top + n * lane, stroke: "var(--hairline)" }));
      const words = percent ? `${Math.round(100 * k * step)} %` : String(Number((k * step).toPrecision(6)));
      drawing.append(s("text", { x: at, y: height - 14, "text-anchor": "middle", "font-size": 11 }, words.replace("-", "−")));
    }
    const name = (item, i) => drawing.append(narrow.matches
      ? s("text", { x: left, y: y(i) - 10, "font-size": 12 }, label(item))
      : s("text", { x: left - 10, y: y(i) + 4, "text-anchor": "end", "font-size": 12 }, label(item)));
    return { drawing, x, y, name, width };
  };

  const dots = (figure, shown) => {
    const { low, high, percent, marks } = JSON.parse(figure.dataset.scale);
    const top = 20 + 16 * marks.length;
    const { drawing, x, y, name, width } = lanes(shown.length, [low, high], percent, top, 66);
    marks.forEach((mark, i) => {
      const colour = mark.kind === "human" ? COLOUR.human : COLOUR.baseline;
      drawing.append(s("line", { x1: x(mark.value), x2: x(mark.value), y1: top, y2: y(shown.length - 1) + 13, stroke: colour,
        "stroke-dasharray": mark.kind === "human" ? "1 3" : "6 4" }));
      const anchor = mark.value > (low + high) / 2 ? "end" : "start";
      drawing.append(s("text", { x: x(mark.value), y: 12 + 16 * i, "text-anchor": anchor, "font-size": 11 }, mark.label));
    });
    shown.forEach((item, i) => {
      const colour = COLOUR[item.dataset.kind];
      name(item, i);
      const { low: from, high: to, score, written } = item.dataset;
      if (from && to) {
        drawing.append(s("line", { x1: x(Number(from)), x2: x(Number(to)), y1: y(i), y2: y(i), stroke: colour,
          "stroke-width": 2.4, "stroke-linecap": "round" }));
      }
      drawing.append(s("circle", { cx: x(Number(score)), cy: y(i), r: 4.5, stroke: colour, "stroke-width": 2,
        fill: item.dataset.kind === "baseline" ? "var(--paper)" : colour }));
      drawing.append(s("text", { x: width - 58, y: y(i) + 4, "font-size": 11 }, written));
    });
    return drawing;
  };

  const stacks = (figure, shown) => {
    const { names } = JSON.parse(figure.dataset.scale);
    const columns = narrow.matches ? 2 : 4;
    const top = 20 * Math.ceil(names.length / columns) + 12;
    const { drawing, x, y, name, width } = lanes(shown.length, [0, 1], true, top, 16);
    names.forEach((said, i) => {
      const at = (i % columns) * (width / columns) + 4;
      const row = 20 * Math.floor(i / columns);
      drawing.append(s("rect", { x: at, y: row + 2, width: 20, height: 10, fill: `var(--s${i + 1})` }));
      drawing.append(s("text", { x: at + 26, y: row + 12, "font-size": 11 }, said));
    });
    shown.forEach((item, i) => {
      name(item, i);
      const counts = names.map((_, k) => Number(firstRow(item).cells[k + 1].dataset.value));
      const total = counts.reduce((a, b) => a + b, 0) || 1;
      let left = 0;
      counts.forEach((count, k) => {
        const part = count / total;
        if (part) {
          drawing.append(s("rect", { x: x(left), y: y(i) - 7, width: x(left + part) - x(left), height: 14,
            fill: `var(--s${k + 1})`, stroke: "var(--paper)" }));
        }
        left += part;
      });
    });
    return drawing;
  };

  const draw = { dots, stacks };

  const follow = () => {
    for (const figure of document.querySelectorAll("figure[data-draw]")) {
      const rows = items(document.getElementById(figure.dataset.of));
      const left = rows.filter((item) => !item.hidden && (figure.dataset.draw !== "dots" || item.dataset.score));
      const filtered = rows.some((item) => item.hidden);
      figure.querySelector(".followed")?.remove();
      for (const made of figure.querySelectorAll(".wide, .narrow")) made.hidden = filtered;
      if (!filtered) continue;
      if (!left.length) {
        figure.prepend(medexams.h("p", { class: "followed nothing" }, "No run that fits the filters is on this chart."));
        continue;
      }
      const drawing = draw[figure.dataset.draw](figure, left.slice(0, MOST));
      const title = figure.querySelector("title").textContent;
      const text = `${title}: ${Math.min(left.length, MOST)} of the ${left.length} runs that fit the filters`;
      drawing.setAttribute("aria-label", text);
      drawing.prepend(s("title", {}, text));
      const place = medexams.h("div", { class: "followed" });
      place.append(drawing);
      figure.prepend(place);
    }
  };
  changed.addEventListener("change", follow);
  narrow.addEventListener("change", follow);
  follow();
})();
