// Search over questions and models. Of many questions that fit, the first are drawn; the number of all is said.
"use strict";

(() => {
  const { h, links, share, say, keep, read } = medexams;
  const a = medexams.answers;
  const DRAWN = 200;

  const row = (q, dataset) => h("tr", { "data-question": q.id },
    h("th", { scope: "row" }, h("a", { href: links.question(q.id) }, q.id)),
    h("td", { class: "prose" }, a.begin(q, dataset)),
    h("td", {}, q.topic ? a.plain(q.topic) : "–"),
    h("td", {}, q.exam ? h("span", { lang: "ja" }, q.exam) : "–"),
    h("td", { class: "num", "data-value": q.share ?? "" }, share(q.share)),
    h("td", {}, [...(q.suspicious ? ["suspicious key"] : []), ...q.flags.map(a.plain)].join(", ") || "–"));

  const find = (all, form, found, models) => {
    const wanted = Object.fromEntries([...new FormData(form)].map(([name, v]) => [name, v]));
    keep(wanted);
    const text = wanted.text.trim().toLowerCase();
    const flags = (q) => [...q.flags, ...(q.suspicious ? ["suspicious_key"] : [])];
    const fits = all.filter(({ q, dataset, words }) => (!text || words.includes(text)) && (!wanted.dataset || dataset.id === wanted.dataset)
      && (!wanted.topic || q.topic === wanted.topic) && (!wanted.exam || q.exam === wanted.exam)
      && (!wanted.flag || flags(q).includes(wanted.flag)));
    if (wanted.order) fits.sort((x, y) => (x.q.share ?? 2) - (y.q.share ?? 2));
    const more = fits.length > DRAWN ? `; the first ${DRAWN} are shown` : "";
    found.replaceChildren(a.table("found", `${a.plural(fits.length, "question")} of ${all.length.toLocaleString("en-US")}${more}.`, [
      ["Question", "text"], ["Beginning", null], ["Topic", "text"], ["Exam", "text"], ["Right, model runs", "number"], ["Flags", "text"],
    ], fits.slice(0, DRAWN).map(({ q, dataset }) => row(q, dataset)), 0));
    found.dataset.total = fits.length;
    medexams.tables.enhance(found);
    medexams.save(found);
    const named = text ? models.filter((r) => r.id.toLowerCase().includes(text) || r.label.toLowerCase().includes(text)) : [];
    document.getElementById("models").replaceChildren(...(named.length ? [h("h2", {}, "Runs"),
      h("ul", {}, named.slice(0, DRAWN).map((r) => h("li", {}, a.runName(r), h("small", {}, ` ${r.dataset}`))))] : []));
    say(`${fits.length} questions and ${named.length} runs fit.`);
  };

  const draw = async (_, place) => {
    const index = await a.index();
    const all = (await Promise.all(index.datasets.map(async (dataset) => (await a.questions(index, dataset))
      .map((q) => ({ q, dataset, words: `${q.id} ${q.stem ?? ""}`.toLowerCase() }))))).flat();
    const form = h("form", { class: "filters", "aria-label": "Search" },
      a.search("Question or model"),
      a.select("dataset", "Dataset", index.datasets.map((d) => d.id)),
      a.select("topic", "Topic", a.different(all, ({ q }) => q.topic), a.plain),
      a.select("exam", "Exam", a.different(all, ({ q }) => q.exam)),
      a.select("flag", "Flag", a.different(all, ({ q }) => [...q.flags, ...(q.suspicious ? ["suspicious_key"] : [])]), a.plain),
      h("label", {}, "Order ", h("select", { name: "order" }, h("option", { value: "" }, "as in the dataset"), h("option", { value: "hard" }, "hardest first"))));
    for (const field of form.elements) field.value = read().filters.get(field.name) ?? "";
    const found = h("div", { id: "hits" });
    const closed = index.datasets.filter((d) => d.refusal);
    place.replaceChildren(form, closed.length ? h("p", { class: "notes" }, `Without text: ${closed.map((d) => `${d.id} (${d.refusal})`).join("; ")}.`) : "",
      h("div", { id: "models" }), found);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => find(all, form, found, index.runs));
    find(all, form, found, index.runs);
  };

  medexams.show(draw);
})();
