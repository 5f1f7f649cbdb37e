// Sorting, filtering and paging of tables, kept in the address. Every page is complete without it.
"use strict";

medexams.tables = (() => {
  const { say, read, keep } = medexams;

  // What is sorted: the bodies of a table that has several (each a run with its details), else its rows.
  const items = (table) => (table.tBodies.length > 1 ? [...table.tBodies] : [...(table.tBodies[0]?.rows ?? [])]);
  // A row of a long table gets its cells when they are first needed (answers.js, row).
  const firstRow = (item) => {
    if (item.fill) {
      item.append(...item.fill());
      delete item.fill;
    }
    return item.tagName === "TBODY" ? item.rows[0] : item;
  };
  const size = (table) => Number(table.dataset.page || 0);
  const changed = new EventTarget();

  // ---- sorting

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

  const order = (table, header, next) => {
    for (const other of header.parentElement.cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", next);
    const kind = header.dataset.sort;
    const keyed = items(table).map((item, place) => ({ item, place, key: value(item, header.cellIndex, kind) }));
    keyed.sort(compare(kind, next === "ascending" ? 1 : -1));
    const parent = table.tBodies.length > 1 ? table : table.tBodies[0];
    parent.append(...keyed.map((k) => k.item));
    page(table);
  };

  const sort = (table, header) => {
    const before = header.getAttribute("aria-sort");
    const best = header.dataset.sort === "number" && !/^rank/i.test(header.textContent.trim());
    const next = before ? (before === "ascending" ? "descending" : "ascending") : best ? "descending" : "ascending";
    order(table, header, next);
    keep({ [`sort.${table.id}`]: `${header.cellIndex}.${next}` });
    say(`Sorted by ${header.textContent.trim()}, ${next}.`);
    changed.dispatchEvent(new Event("change"));
  };

  // ---- paging: rows beyond the first page get the class `later`, which print ignores; filtered rows are hidden everywhere

  const page = (table) => {
    if (!size(table)) return;
    const matching = items(table).filter((item) => !item.hidden);
    const all = read().filters.get(`all.${table.id}`) === "1";
    matching.forEach((item, i) => {
      if (all || i < size(table)) firstRow(item);
      item.classList.toggle("later", !all && i >= size(table));
    });
    const button = document.getElementById(`${table.id}-pager`) ?? (matching.length > size(table) ? pager(table) : null);
    if (!button) return;
    button.hidden = matching.length <= size(table);
    button.setAttribute("aria-expanded", String(all));
    button.textContent = all ? `Show the first ${size(table)}` : `Show all ${matching.length} (now ${size(table)})`;
  };

  const pager = (table) => {
    const button = medexams.h("button", {
      type: "button", class: "pager", id: `${table.id}-pager`, "aria-controls": table.id,
    });
    button.addEventListener("click", () => {
      keep({ [`all.${table.id}`]: button.getAttribute("aria-expanded") === "true" ? "" : "1" });
      page(table);
    });
    (table.closest(".scroll") ?? table).after(button);
    return button;
  };

  // ---- filters: a form acts on the table that it names, or on all; its fields stand in the address by their names

  const aimed = (form) => form.dataset.filters
    ? [document.getElementById(form.dataset.filters)] : [...document.querySelectorAll("table[data-sortable]")];
  const stateName = (form, name) => (form.hasAttribute("data-own") ? `${form.dataset.filters}.${name}` : name);

  const fits = (item, wanted) => wanted.every(([name, v]) => (name === "text"
    ? (item.searched ?? item.textContent).toLowerCase().includes(v.toLowerCase())
    : (item.dataset[name] ?? "").split("\n").includes(v)));

  const filter = (form) => {
    const fields = [...new FormData(form)];
    const wanted = fields.filter(([, v]) => v !== "");
    keep(Object.fromEntries(fields.map(([name, v]) => [stateName(form, name), v])));
    let shown = 0;
    let total = 0;
    for (const table of aimed(form)) {
      const rows = items(table);
      for (const item of rows) item.hidden = !fits(item, wanted);
      const left = rows.filter((item) => !item.hidden).length;
      shown += left;
      total += rows.length;
      const section = table.closest("[data-section]");
      if (section && !form.dataset.filters) section.hidden = left === 0;
      page(table);
    }
    const nothing = document.querySelector("[data-nothing]");
    if (nothing) nothing.hidden = shown > 0;
    say(`${shown} of ${total} rows shown.`);
    changed.dispatchEvent(new Event("change"));
  };

  /** Set a form's fields from the address. */
  const restore = (form) => {
    const { filters } = read();
    for (const field of form.elements) {
      if (!field.name) continue;
      const kept = filters.get(stateName(form, field.name)) ?? "";
      // A value that no option has would choose nothing and filter all away.
      if (field.tagName !== "SELECT" || [...field.options].some((o) => o.value === kept)) field.value = kept;
    }
  };

  /** Make the tables and forms below `root` work, in the state that the address names. */
  const enhance = (root) => {
    for (const table of root.querySelectorAll("table[data-sortable]")) {
      for (const header of table.tHead.rows[0].cells) {
        if (!header.dataset.sort) continue;
        const link = header.querySelector("a");
        const button = medexams.h("button", { type: "button" });
        if (link) {
          // A heading that is a link stays one; its sorting button stands beside it.
          button.setAttribute("aria-label", `Sort by ${header.textContent.trim()}`);
          header.append(" ", button);
        } else {
          button.append(...header.childNodes);
          header.append(button);
        }
        button.addEventListener("click", () => sort(table, header));
      }
    }
    for (const form of root.querySelectorAll("form[data-filters]")) {
      form.addEventListener("input", () => filter(form));
      form.addEventListener("submit", (event) => event.preventDefault());
    }
    apply(root);
  };

  /** Sort and filter as the address says. */
  const apply = (root) => {
    for (const table of root.querySelectorAll("table[data-sortable]")) {
      const [column, direction] = (read().filters.get(`sort.${table.id}`) ?? "").split(".");
      const header = column ? table.tHead.rows[0].cells[Number(column)] : null;
      if (header?.dataset.sort && ["ascending", "descending"].includes(direction)) order(table, header, direction);
      else page(table);
    }
    for (const form of root.querySelectorAll("form[data-filters]")) {
      restore(form);
      filter(form);
    }
    overflow();
  };

  // A place that scrolls sideways says so, and only then can the keyboard go there.
  const overflow = () => {
    for (const place of document.querySelectorAll(".scroll")) {
      const wide = place.scrollWidth > place.clientWidth + 1;
      place.classList.toggle("wider", wide);
      if (wide) place.setAttribute("tabindex", "0");
      else place.removeAttribute("tabindex");
    }
  };

  enhance(document);
  // Pages that draw themselves anew (core.js, show) apply the address when they have done so.
  if (!document.getElementById("shown")) addEventListener("hashchange", () => apply(document));

  changed.addEventListener("change", overflow);
  addEventListener("resize", overflow);

  // One button opens the details of all rows, as for printing them.
  for (const button of document.querySelectorAll("[data-open]")) {
    button.addEventListener("click", () => {
      const open = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(open));
      for (const details of document.querySelectorAll(`#${button.dataset.open} details`)) details.open = open;
    });
  }

  // Escape puts a reason away (until the pointer or the focus moves on).
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") document.documentElement.classList.add("quiet");
  });
  for (const kind of ["focusin", "mouseover"]) {
    document.addEventListener(kind, () => document.documentElement.classList.remove("quiet"));
  }

  return { enhance, items, firstRow, changed };
})();
