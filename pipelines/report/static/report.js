// Sorting, filtering and paging of the tables. Every page is complete without it.
"use strict";

(() => {
  document.documentElement.classList.add("js");
  const status = document.getElementById("status");
  const say = (text) => { if (status) status.textContent = text; };

  // What is sorted: the bodies of a table that has several (each a run with its details), else its rows.
  const items = (table) => (table.tBodies.length > 1 ? [...table.tBodies] : [...(table.tBodies[0]?.rows ?? [])]);
  const firstRow = (item) => (item.tagName === "TBODY" ? item.rows[0] : item);

  const value = (item, column, kind) => {
    const cell = firstRow(item).cells[column];
    const text = cell.dataset.value ?? cell.textContent.trim();
    if (kind !== "number") return text;
    return text === "" ? null : Number(text);
  };

  const compare = (kind, direction) => (a, b) => {
    // What has no value comes last, whichever way the rest is sorted.
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null) || a.place - b.place;
    const order = kind === "number" ? a.key - b.key : a.key.localeCompare(b.key, undefined, { numeric: true });
    return direction * order || a.place - b.place;
  };

  const sort = (table, header, kind) => {
    const numeric = kind === "number";
    const before = header.getAttribute("aria-sort");
    const first = numeric && !/^rank/i.test(header.textContent.trim()) ? "descending" : "ascending";
    const next = before === null ? first : before === "ascending" ? "descending" : "ascending";
    for (const other of header.parentElement.cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", next);
    const keyed = items(table).map((item, place) => ({ item, place, key: value(item, header.cellIndex, kind) }));
    keyed.sort(compare(kind, next === "ascending" ? 1 : -1));
    const parent = table.tBodies.length > 1 ? table : table.tBodies[0];
    parent.append(...keyed.map((k) => k.item));
    page(table);
    say(`Sorted by ${header.textContent.trim()}, ${next}.`);
  };

  // Rows beyond the first page get the class `later`, which print ignores; filtered rows are hidden everywhere.
  const page = (table) => {
    const size = Number(table.dataset.page || 0);
    if (!size) return;
    const matching = items(table).filter((item) => !item.hidden);
    const all = table.dataset.all === "true";
    matching.forEach((item, i) => item.classList.toggle("later", !all && i >= size));
    let button = document.getElementById(`${table.id}-pager`);
    if (!button && matching.length > size) {
      button = document.createElement("button");
      button.type = "button";
      button.className = "pager";
      button.id = `${table.id}-pager`;
      button.setAttribute("aria-controls", table.id);
      button.addEventListener("click", () => {
        table.dataset.all = table.dataset.all === "true" ? "false" : "true";
        page(table);
      });
      (table.closest(".scroll") ?? table).after(button);
    }
    if (!button) return;
    button.hidden = matching.length <= size;
    button.setAttribute("aria-expanded", String(all));
    button.textContent = all ? `Show the first ${size}` : `Show all ${matching.length} (now ${size})`;
  };

  const filter = (form) => {
    const only = form.dataset.filters;
    const tables = only ? [document.getElementById(only)] : [...document.querySelectorAll("table[data-sortable]")];
    const wanted = [...new FormData(form)].filter(([, v]) => v !== "");
    const fits = (item) => wanted.every(([name, v]) =>
      name === "text" ? item.textContent.toLowerCase().includes(v.toLowerCase()) : item.dataset[name] === v);
    let shown = 0;
    let total = 0;
    for (const table of tables) {
      const rows = items(table);
      for (const item of rows) item.hidden = !fits(item);
      const left = rows.filter((item) => !item.hidden).length;
      shown += left;
      total += rows.length;
      const section = table.closest("[data-section]");
      if (section && !only) section.hidden = left === 0;
      page(table);
    }
    const note = document.querySelector("[data-filtered]");
    if (note) note.hidden = shown === total || shown === 0;
    const nothing = document.querySelector("[data-nothing]");
    if (nothing) nothing.hidden = shown > 0;
    say(`${shown} of ${total} rows shown.`);
  };

  for (const table of document.querySelectorAll("table[data-sortable]")) {
    for (const header of table.tHead.rows[0].cells) {
      const kind = header.dataset.sort;
      if (!kind) continue;
      const link = header.querySelector("a");
      const button = document.createElement("button");
      button.type = "button";
      if (link) {
        // A heading that is a link stays one; its sorting button stands beside it.
        button.setAttribute("aria-label", `Sort by ${header.textContent.trim()}`);
        header.append(" ", button);
      } else {
        button.append(...header.childNodes);
        header.append(button);
      }
      button.addEventListener("click", () => sort(table, header, kind));
    }
    page(table);
  }

  for (const form of document.querySelectorAll("form[data-filters]")) {
    form.addEventListener("input", () => filter(form));
    form.addEventListener("submit", (event) => event.preventDefault());
    filter(form); // a browser may have kept what was chosen before a reload
  }

  // Escape puts a reason away (until the pointer or the focus moves on).
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") document.documentElement.classList.add("quiet");
  });
  for (const kind of ["focusin", "mouseover"]) {
    document.addEventListener(kind, () => document.documentElement.classList.remove("quiet"));
  }
})();
