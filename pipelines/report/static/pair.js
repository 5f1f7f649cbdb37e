// The page of two runs of one dataset: the test's result in words, who was right where, and each question.
"use strict";

(() => {
  const { h, links, share, number, address } = medexams;
  const a = medexams.answers;

  const WHICH = { both: "both right", first: "only the first right", second: "only the second right", neither: "neither right" };
  const METRIC = { accuracy: "questions right in full", score_share: "points over points possible" };
  const which = (x, y) => (x.right ? (y.right ? "both" : "first") : y.right ? "second" : "neither");

  const p = (value) => (value < 0.001 ? "p < 0.001" : `p = ${number(value, 3)}`);

  /** A row of the table comparison in a sentence. */
  const sentence = (row, first, second) => {
    const { metric, valueA, valueB, difference, low, high, adjusted, raw, method, n } = row;
    const part = difference === "0" ? "There is no difference."
      : `The difference is ${number(difference * 100, 1)} percentage points${low === null ? "" : `, 95 % interval ${number(low * 100, 1)} to ${number(high * 100, 1)}`}.`;
    const verdict = adjusted !== null
      ? (adjusted < 0.05 ? `More than chance explains (${p(adjusted)}, adjusted for all pairs).` : `Chance can explain it (${p(adjusted)}, adjusted for all pairs).`)
      : raw !== null ? `Not among the adjusted tests (${p(raw)} alone).` : "";
    return [h("strong", {}, METRIC[metric]), `: ${first.label} ${share(valueA)}, ${second.label} ${share(valueB)}, on the ${a.plural(n, "question")} that both answered. `,
      part, " ", verdict, " ", h("small", {}, method)];
  };

  /** The comparisons of two runs, whichever way round they stand in the warehouse. */
  const compared = (one, other, first, second) => {
    const named = ([, metric, valueA, valueB, difference, low, high, raw, adjusted, n, method], turned) => {
      const minus = (v) => (v === null ? null : v.startsWith("-") ? v.slice(1) : v === "0" ? v : `-${v}`);
      return turned
        ? { metric, valueA: valueB, valueB: valueA, difference: minus(difference), low: minus(high), high: minus(low), raw, adjusted, method, n }
        : { metric, valueA, valueB, difference, low, high, raw, adjusted, method, n };
    };
    return [...one.filter(([id]) => id === second.id).map((r) => named(r, false)),
      ...other.filter(([id]) => id === first.id).map((r) => named(r, true))];
  };

  const byTopic = (shared, list) => {
    const topics = new Map();
    for (const s of shared) {
      const topic = list[s.place].topic ?? list[s.place].exam ?? "all";
      const counts = topics.get(topic) ?? { both: 0, first: 0, second: 0, neither: 0 };
      counts[s.which] += 1;
      topics.set(topic, counts);
    }
    return [...topics].sort(([x], [y]) => x.localeCompare(y));
  };

  const chooser = (all, first, second) => {
    const of = (id, label, chosen, runs) => h("label", {}, `${label} `, h("select", { id }, h("option", { value: "" }, "choose"),
      runs.map((r) => h("option", { value: r.id, selected: r.id === chosen?.id }, `${r.label} · ${r.dataset}`))));
    const rest = all.runs.filter((r) => r.id !== first?.id && (!first || r.dataset === first.dataset));
    const form = h("form", { class: "filters", "aria-label": "Two runs" }, of("first", "First", first, all.runs), of("second", "Second", second, rest));
    form.addEventListener("change", () => {
      const [one, other] = [...form.elements].map((f) => f.value);
      const fits = other && other !== one && all.run(one)?.dataset === all.run(other).dataset;
      location.assign(address("pair.html", [one, ...(fits ? [other] : [])]));
    });
    return form;
  };

  const draw = async ({ things: [idA, idB] }, place) => {
    const all = await a.index();
    const [first, second] = [all.run(idA), all.run(idB)];
    place.replaceChildren(chooser(all, first, second));
    const missing = [idA, idB].find((id) => id && !all.run(id));
    if (missing) place.append(h("p", { class: "nothing" }, `There is no run ${missing}.`));
    if (!first || !second) return;
    if (first.dataset !== second.dataset) {
      place.append(h("p", { class: "nothing" }, "They answered different datasets, so there is nothing to set beside each other."));
      return;
    }
    document.title = `${first.label} and ${second.label} · medexams`;
    const dataset = all.dataset(first.dataset);
    const [list, one, other] = await Promise.all([a.questions(all, dataset), a.ofRun(all, first), a.ofRun(all, second)]);
    const theirs = new Map(other.given.filter((g) => g.attempt === 1).map((g) => [g.place, g]));
    const shared = one.given.filter((g) => g.attempt === 1 && g.counts && theirs.get(g.place)?.counts)
      .map((g) => ({ place: g.place, x: g, y: theirs.get(g.place), which: which(g, theirs.get(g.place)) }));
    const count = (name) => shared.filter((s) => s.which === name).length;
    const same = shared.filter((s) => s.which === "neither" && s.x.said !== null && s.x.said === s.y.said).length;
    const topics = a.different(shared, (s) => list[s.place].topic);
    const exams = a.different(shared, (s) => list[s.place].exam);
    const tests = compared(one.comparisons, other.comparisons, first, second);
    place.append(
      h("h2", {}, a.runName(first), " and ", a.runName(second)),
      h("p", { class: "facts" }, h("bdi", {}, dataset.title), ` · ${a.plural(shared.length, "question")} that both answered and that count, first attempts`),
      tests.length ? h("ul", { class: "tests" }, tests.map((t) => h("li", { "data-metric": t.metric }, sentence(t, first, second))))
        : h("p", {}, "The warehouse holds no test of these two."),
      h("ul", { class: "counts", "aria-label": "Questions by who was right" }, Object.entries(WHICH).map(([name, said]) =>
        h("li", { "data-count": name }, h("a", { href: links.pair(idA, idB, { which: name }) }, h("strong", {}, count(name).toLocaleString("en-US")), ` ${said}`))),
      h("li", { "data-count": "same" }, h("a", { href: links.pair(idA, idB, { same: "yes" }) }, h("strong", {}, same.toLocaleString("en-US")), " the same wrong answer"))),
      a.table("topics", topics.length ? "By topic." : "By exam.", [[topics.length ? "Topic" : "Exam", "text"], ...Object.values(WHICH).map((w) => [w, "number"])],
        byTopic(shared, list).map(([topic, counts]) => h("tr", { "data-topic-row": topic }, h("th", { scope: "row" }, a.plain(topic)),
          Object.keys(WHICH).map((name) => h("td", { class: "num", "data-value": counts[name] },
            h("a", { href: links.pair(idA, idB, { which: name, [topics.length ? "topic" : "exam"]: topic === "all" ? "" : topic }) }, counts[name])))))),
      h("h2", {}, "Question by question"),
      dataset.refusal ? h("p", { class: "notes" }, `No text of questions is shown: ${dataset.refusal}.`) : "",
      h("form", { class: "filters", "data-filters": "shared", "aria-label": "Filter the questions" },
        a.select("which", "Right", Object.keys(WHICH), (v) => WHICH[v]),
        a.select("same", "Same wrong answer", ["yes", "no"]),
        topics.length > 1 ? a.select("topic", "Topic", topics, a.plain) : "",
        exams.length > 1 ? a.select("exam", "Exam", exams) : "",
        a.search("Question")),
      a.table("shared", "Questions that both answered.", [
        ["Question", "text"], ["Beginning", null], ["Topic", "text"], ["Exam", "text"], [first.label, "text"], [second.label, "text"], ["Right", "text"],
      ], shared.map((s) => {
        const question = list[s.place];
        return a.row({ "data-which": s.which, "data-topic": question.topic ?? "", "data-exam": question.exam ?? "",
          "data-same": s.which === "neither" && s.x.said !== null && s.x.said === s.y.said ? "yes" : "no", "data-question": question.id,
        }, `${question.id} ${question.stem ?? ""}`, () => [
          h("th", { scope: "row" }, h("a", { href: links.question(question.id) }, question.key)),
          h("td", { class: "prose" }, a.begin(question, dataset)), h("td", {}, question.topic ? a.plain(question.topic) : "–"),
          h("td", {}, question.exam ? h("span", { lang: "ja" }, question.exam) : "–"),
          ...[s.x, s.y].map((g) => h("td", {}, g.said ?? g.status, " ", a.result(g))), h("td", {}, WHICH[s.which]),
        ]);
      })),
    );
    medexams.tables.enhance(place);
    medexams.save(place);
  };

  medexams.show(draw);
})();
