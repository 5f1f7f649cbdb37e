// The page of a run: its figures stand in the page (templates/run.html); here every answer of it, to be filtered.
"use strict";

(() => {
  const { h, links, points, address } = medexams;
  const a = medexams.answers;

  const row = (answer, question, dataset, run) => a.row({
    "data-result": answer.result, "data-status": answer.status, "data-topic": question.topic ?? "",
    "data-exam": question.exam ?? "", "data-component": question.component ?? "",
    "data-flag": [...question.flags, ...(question.suspicious ? ["suspicious_key"] : [])].join("\n"),
    "data-forbidden": answer.forbidden ? "yes" : "no", "data-question": question.id,
  }, `${question.id} ${question.stem ?? ""} ${answer.said ?? ""}`, () => [
    h("th", { scope: "row" }, h("a", { href: links.question(question.id, { run: run.id }) }, question.key),
      answer.attempt > 1 && h("small", {}, ` attempt ${answer.attempt}`)),
    h("td", { class: "prose" }, a.begin(question, dataset)),
    h("td", {}, question.topic ? a.plain(question.topic) : "–"),
    h("td", {}, question.exam ? h("span", { lang: "ja" }, question.exam) : "–"),
    h("td", {}, answer.status),
    h("td", {}, answer.said ?? "–"),
    h("td", {}, a.result(answer), answer.forbidden ? h("small", {}, " forbidden choice") : ""),
    h("td", { class: "num", "data-value": answer.points ?? "" }, a.earned(answer)),
  ]);

  const draw = async ({ things: [id] }, place) => {
    for (const article of document.querySelectorAll("article.run")) article.classList.toggle("chosen", article.id === id);
    document.getElementById("all-runs").hidden = Boolean(id);
    place.replaceChildren();
    if (!id) return;
    scrollTo({ top: 0, behavior: "instant" }); // the browser went to the figures, past the navigation
    const all = await a.index();
    const run = all.run(id);
    if (!run) {
      place.append(h("p", { class: "nothing" }, `There is no run ${id}. `, h("a", { href: "run.html" }, "All runs")));
      document.getElementById("all-runs").hidden = false;
      return;
    }
    document.title = `${run.label} · medexams`;
    const dataset = all.dataset(run.dataset);
    const [list, { given }] = await Promise.all([a.questions(all, dataset), a.ofRun(all, run)]);
    const topics = a.different(given, (g) => list[g.place].topic);
    const exams = a.different(given, (g) => list[g.place].exam);
    const parts = a.different(given, (g) => list[g.place].component);
    const flags = a.different(given, (g) => [...list[g.place].flags, ...(list[g.place].suspicious ? ["suspicious_key"] : [])]);
    const count = (name) => given.filter((g) => g.result === name).length;
    const others = all.runs.filter((r) => r.dataset === run.dataset && r.id !== run.id);
    place.append(
      h("h2", {}, "Its answers"),
      others.length ? h("p", {}, h("label", { class: "compare" }, "Beside another run: ",
        h("select", { id: "other" }, h("option", { value: "" }, "choose"), others.map((r) => h("option", { value: r.id }, r.label))))) : "",
      dataset.refusal ? h("p", { class: "notes" }, `No text of questions is shown: ${dataset.refusal}.`) : "",
      h("ul", { class: "counts", "aria-label": "Answers by result" }, Object.entries(a.RESULTS).map(([name, said]) =>
        h("li", { "data-count": name }, h("a", { href: links.run(id, { result: name }) },
          h("strong", {}, points(count(name))), ` ${said}`)))),
      h("form", { class: "filters", "data-filters": "answers", "aria-label": "Filter the answers" },
        a.select("result", "Result", Object.keys(a.RESULTS), (v) => a.RESULTS[v]),
        a.select("status", "Read as", a.different(given, (g) => g.status)),
        topics.length > 1 ? a.select("topic", "Topic", topics, a.plain) : "",
        exams.length > 1 ? a.select("exam", "Exam", exams) : "",
        parts.length > 1 ? a.select("component", "Part", parts) : "",
        flags.length ? a.select("flag", "Flag", flags, a.plain) : "",
        given.some((g) => g.forbidden) ? a.select("forbidden", "Forbidden choice", ["yes", "no"]) : "",
        a.search("Question")),
      a.table("answers", "Answers, in the order of the questions; a question opens with the response.", [
        ["Question", "text"], ["Beginning", null], ["Topic", "text"], ["Exam", "text"], ["Read as", "text"],
        ["Answer", "text"], ["Result", "text"], ["Points", "number"],
      ], given.map((g) => row(g, list[g.place], dataset, run))),
    );
    document.getElementById("other")?.addEventListener("change", (event) => {
      if (event.target.value) location.assign(address("pair.html", [id, event.target.value]));
    });
    medexams.tables.enhance(place);
    medexams.save(place);
  };

  medexams.show(draw);
})();
