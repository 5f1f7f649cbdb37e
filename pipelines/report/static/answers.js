// What the pages of runs, questions and pairs share: the data of pipelines/report/details.py by name, and how one answer
// is written.
"use strict";

medexams.answers = (() => {
  const { h, links, load, points, excerpt } = medexams;

  const RESULTS = {
    right: "right in full", part: "right in part", wrong: "wrong", none: "no answer", uncounted: "does not count",
  };

  /** An answer's outcome by name; `result` is one of RESULTS. */
  const outcome = ([status, labels, value, earned, max, right, forbidden, counts, published, publishedRight]) => {
    const result = counts === false || counts === null ? "uncounted" : right ? "right"
      : status !== "answered" ? "none" : Number(earned) > 0 ? "part" : "wrong";
    return { status, said: labels ?? value, labels, value, points: earned, max, right, forbidden, counts, published,
      publishedRight, result };
  };

  const KEYS = ["key", "stem", "topic", "exam", "component", "keyStatus", "share", "flags", "suspicious"];

  /** The index, with runs and datasets by id. */
  const index = async () => {
    const all = await load("index");
    return {
      ...all,
      run: (id) => all.runs.find((r) => r.id === id),
      dataset: (id) => all.datasets.find((d) => d.id === id),
      // an id begins with its dataset's
      datasetOf: (question) => all.datasets.filter((d) => question.startsWith(`${d.id}/`))
        .sort((a, b) => b.id.length - a.id.length)[0],
    };
  };
  const place = (all, dataset) => `d${all.datasets.indexOf(dataset)}`;

  /** The questions of a dataset in its order: id, key of the source, stem (null: withheld), topic, exam … */
  const questions = async (all, dataset) => (await load(`${place(all, dataset)}/questions`)).map((line) => {
    const question = Object.fromEntries(KEYS.map((name, i) => [name, line[i]]));
    return { ...question, id: `${dataset.id}/${question.key}` };
  });
  const outcomes = async (all, dataset) => (await load(`${place(all, dataset)}/outcomes`)).outcomes.map(outcome);

  /** The answers of a run: [place of the question, attempt, outcome]. */
  const ofRun = async (all, run) => {
    const dataset = all.dataset(run.dataset);
    const [chunk, known, { methods }] = await Promise.all([
      load(run.chunk), outcomes(all, dataset), load(`${place(all, dataset)}/outcomes`),
    ]);
    return {
      comparisons: chunk.comparisons.map((row) => [...row.slice(0, -1), methods[row.at(-1)]]),
      given: chunk.outcomes.map((o, i) => ({
        place: chunk.questions ? chunk.questions[i] : i, attempt: chunk.attempts ? chunk.attempts[i] : 1, ...known[o],
      })),
    };
  };

  /** A question in full, with the answers of all runs in `answers`. */
  const whole = async (all, id) => {
    const dataset = all.datasetOf(id);
    const list = dataset ? await questions(all, dataset) : [];
    const at = list.findIndex((q) => q.id === id);
    if (at < 0) return null;
    const [block, known] = await Promise.all([
      load(`${place(all, dataset)}/b${Math.floor(at / all.block)}`), outcomes(all, dataset),
    ]);
    const question = block[at % all.block];
    const runs = all.runs.filter((r) => r.dataset === dataset.id);
    const answers = question.said.map((said, i) => {
      const [o, response, start, length] = question.answers[said];
      const [run, attempt] = question.who ? question.who[i] : [i, 1];
      return { run: runs[run], attempt, response, start, length, ...known[o] };
    });
    return { ...question, dataset, answers, line: list[at] };
  };

  // ---- pieces

  const runName = (run, ...more) => h("a", { href: links.run(run.id) }, h("span", { class: "name" }, h("bdi", {}, run.label)), ...more);
  const text = (words, language) => h("bdi", { lang: language, class: "text" }, words);
  const closed = (dataset) => h("span", { class: "faint" }, `not shown: ${dataset.refusal}`);
  const begin = (question, dataset) =>
    (question.stem === null ? h("span", { class: "faint" }, "not shown: licence") : text(excerpt(question.stem), dataset.language));
  const result = (answer) => h("span", { class: `result ${answer.result}` }, RESULTS[answer.result]);
  const earned = (answer) => (answer.points === null ? "–" : `${points(answer.points)} of ${points(answer.max)}`);

  /** A response with the words that decided marked. */
  const response = ({ response: words, start, length }, language) => {
    if (words === null) return h("span", { class: "faint" }, "none stored");
    if (!length) return text(words, language);
    return text([words.slice(0, start), h("mark", {}, words.slice(start, start + length)), words.slice(start + length)], language);
  };

  const options = (values, shown = (v) => v) => values.map((v) => h("option", { value: v }, shown(v)));
  const select = (name, label, values, shown) => h("label", {}, `${label} `,
    h("select", { name }, h("option", { value: "" }, "all"), options(values, shown)));
  const search = (label) => h("label", {}, `${label} `, h("input", { type: "search", name: "text", autocomplete: "off" }));
  /** The different values of all items, sorted; empty ones are left out. */
  const different = (items, of) => [...new Set(items.flatMap(of))].filter((v) => v !== null && v !== "").sort();

  /** A table that sorts, filters and scrolls. `columns`: [heading, kind of sorting or null]; rows are <tr>. */
  const table = (id, caption, columns, rows, pageSize = 50) => h("div", {
    class: "scroll", role: "region", "aria-labelledby": `${id}-caption`,
  }, h("table", { id, class: "data", "data-sortable": true, "data-page": pageSize },
    h("caption", { id: `${id}-caption` }, caption),
    h("thead", {}, h("tr", {}, columns.map(([name, sort]) =>
      h("th", { scope: "col", "data-sort": sort, class: sort === "number" && "num" }, name)))),
    h("tbody", {}, rows)));

  /** A row of a long table: its attributes, the text that a search looks through, and how its cells are made when needed. */
  const row = (attributes, searched, fill) => Object.assign(h("tr", attributes), { searched, fill });

  const plural = (n, one, many = `${one}s`) => `${n.toLocaleString("en-US")} ${n === 1 ? one : many}`;
  const plain = (name) => name.replaceAll("_", " ");

  return { RESULTS, index, questions, ofRun, whole, runName, text, closed, begin, result, earned, response, select, search,
    different, row, table, options, plural, plain };
})();
