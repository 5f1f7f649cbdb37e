// Saving: each chart as an SVG file, each table as CSV with the rows that its filters leave, in the order shown.
"use strict";

(() => {
  const { h, read, keep } = medexams;
  const { items, firstRow } = medexams.tables;

  const offer = (name, type, parts) => {
    const link = h("a", { href: URL.createObjectURL(new Blob(parts, { type })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };
  const fileName = (text, end) => `${text.trim().replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 80) || "medexams"}.${end}`;

  // ---- CSV: as `medexams export csv` writes it (pipelines/export/tables_csv.py)

  const RISKY = /^'*[=+\-@＝＋－＠\t\r\n]/;
  const field = (text) => {
    const safe = RISKY.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const words = (cell) => cell.dataset.csv ?? cell.dataset.value ?? cell.innerText.replace(/\s+/g, " ").trim();
  const excel = document.querySelector("[name=excel]");

  const csv = (table) => {
    const named = items(table).some((item) => item.dataset.run);
    const head = [...table.tHead.rows[0].cells].map((c) => c.textContent.replace(/\s+/g, " ").trim());
    const lines = items(table).filter((item) => !item.hidden).map((item) =>
      [...(named ? [item.dataset.run ?? ""] : []), ...[...firstRow(item).cells].map(words)]);
    const rows = [[...(named ? ["run_id"] : []), ...head], ...lines];
    const text = rows.map((row) => row.map(field).join(",")).join("\r\n");
    offer(fileName(table.caption?.textContent ?? table.id, "csv"), "text/csv", [excel?.checked ? "\ufeff" : "", `${text}\r\n`]);
  };

  // ---- SVG: colours by variable become colours, and the page's rules for text come along

  const svg = (figure) => {
    const drawing = [...figure.querySelectorAll("svg")].find((s) => s.clientWidth);
    const copy = drawing.cloneNode(true);
    const style = getComputedStyle(document.documentElement);
    const resolve = (text) => text.replace(/var\((--[\w-]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
    const [, , width, height] = (copy.getAttribute("viewBox") ?? "0 0 760 400").split(/\s+/);
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    const rules = document.createElementNS("http://www.w3.org/2000/svg", "style");
    rules.textContent = `svg { background: var(--paper); font-family: sans-serif } text { fill: var(--ink) }`;
    copy.prepend(rules);
    const title = copy.querySelector("title")?.textContent ?? "chart";
    offer(fileName(title, "svg"), "image/svg+xml", [resolve(new XMLSerializer().serializeToString(copy))]);
  };

  const button = (text, about, act) => {
    const made = h("button", { type: "button", class: "save", "aria-label": `${text}: ${about.trim()}` }, text);
    made.addEventListener("click", act);
    return made;
  };
  const offerBelow = (root) => {
    for (const figure of root.querySelectorAll("figure:not([data-save])")) {
      figure.dataset.save = "";
      figure.append(button("Save SVG", figure.querySelector("title")?.textContent ?? "chart", () => svg(figure)));
    }
    for (const table of root.querySelectorAll("table.data:not([data-save])")) {
      table.dataset.save = "";
      (table.closest(".scroll") ?? table).after(button("Save CSV", table.caption?.textContent ?? "", () => csv(table)));
    }
  };
  offerBelow(document);

  if (excel) {
    excel.checked = read().filters.get("excel") === "1";
    excel.addEventListener("change", () => keep({ excel: excel.checked ? "1" : "" }));
  }
  medexams.save = offerBelow;
})();
