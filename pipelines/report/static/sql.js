// The SQL page: DuckDB-Wasm on the warehouse file, where the folder is served over HTTP (medexams report --serve).
// The files below duckdb/ come from npm by `make wasm`; pipelines/report/serving.py says which is which.
"use strict";

(() => {
  const { h, read, keep, say } = medexams;
  const a = medexams.answers;
  const MOST = 1000;

  const script = (src) => new Promise((resolve, reject) => {
    const element = h("script", { src });
    element.addEventListener("load", resolve);
    element.addEventListener("error", () => reject(new Error(`${src} is not there; run \`make wasm\` and serve anew`)));
    document.head.append(element);
  });

  /** A connection to the warehouse, with nothing to reach beyond it. */
  const connect = async () => {
    await script("duckdb/arrow.js");
    // duckdb.js is a module for tools that bundle; this is all that it asks of them.
    window.module = { exports: {} };
    window.require = () => window.Arrow;
    await script("duckdb/duckdb.js");
    const duckdb = window.module.exports;
    const db = new duckdb.AsyncDuckDB(new duckdb.VoidLogger(), new Worker("duckdb/worker.js"));
    await db.instantiate(new URL("duckdb/duckdb.wasm", location.href).href);
    await db.registerFileURL("medexams.duckdb", new URL("medexams.duckdb", location.href).href, duckdb.DuckDBDataProtocol.HTTP, false);
    const connection = await db.connect();
    for (const statement of ["attach 'medexams.duckdb' as medexams (read_only)", "use medexams",
      "set autoinstall_known_extensions = false", "set autoload_known_extensions = false", "set lock_configuration = true"]) {
      await connection.query(statement);
    }
    return connection;
  };

  // Values as DuckDB writes them, decimals and times included.
  const ask = async (connection, sql) => {
    const found = await connection.query(`select columns(*)::varchar from (\n${sql.trim().replace(/;\s*$/, "")}\n)`);
    const names = found.schema.fields.map((f) => f.name);
    const columns = names.map((_, i) => found.getChildAt(i));
    return { names, rows: Array.from({ length: found.numRows }, (_, r) => columns.map((c) => c.get(r))) };
  };

  const isNumber = (text) => text !== null && text !== "" && Number.isFinite(Number(text));

  const result = ({ names, rows }) => {
    const numeric = names.map((_, i) => rows.length > 0 && rows.every((row) => row[i] === null || isNumber(row[i])));
    const long = names.map((_, i) => rows.some((row) => (row[i]?.length ?? 0) > 40));
    const more = rows.length > MOST ? `; the first ${MOST} are shown` : "";
    return a.table("result", `${a.plural(rows.length, "row")}${more}.`, names.map((name, i) => [name, numeric[i] ? "number" : "text"]),
      rows.slice(0, MOST).map((row) => h("tr", {}, row.map((v, i) => (i ? h("td", { class: numeric[i] ? "num" : long[i] && "prose", "data-value": v ?? "" }, v ?? "–")
        : h("th", { scope: "row", class: numeric[i] && "num", "data-value": v ?? "" }, v ?? "–"))))), 100);
  };

  const draw = async (_, place) => {
    if (!location.protocol.startsWith("http")) return;
    document.getElementById("from-disk").hidden = true;
    place.replaceChildren(h("p", {}, "DuckDB is being loaded (34 MB, from this machine) …"));
    const connection = await connect();
    const text = h("textarea", { name: "query", rows: 8, spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
    const button = h("button", { type: "submit", class: "pager" }, "Run (Ctrl+Enter)");
    const found = h("div", { id: "found" });
    const form = h("form", { class: "query", "aria-label": "Query" }, h("label", {}, "SQL ", text), button);
    const run = async () => {
      keep({ q: text.value });
      button.disabled = true;
      try {
        const answer = await ask(connection, text.value);
        found.replaceChildren(result(answer));
        medexams.tables.enhance(found);
        medexams.save(found);
        say(`${answer.rows.length} rows.`);
      } catch (fault) {
        found.replaceChildren(h("pre", { class: "nothing", role: "alert" }, fault.message));
      }
      button.disabled = false;
    };
    form.addEventListener("submit", (event) => { event.preventDefault(); run(); });
    text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); }
    });
    place.replaceChildren(form, found);
    for (const code of document.querySelectorAll("[data-query]")) {
      if (code.closest("details").querySelector("button")) continue;
      const use = h("button", { type: "button", class: "save" }, "Run this");
      use.addEventListener("click", () => { text.value = code.textContent; run(); text.scrollIntoView({ block: "center" }); });
      code.closest("pre").after(use);
    }
    text.value = read().filters.get("q") ?? "select dataset_id, model, score, low, high\nfrom leaderboard\norder by dataset_id, rank";
    if (read().filters.get("q")) await run();
  };

  medexams.show(draw);
})();
