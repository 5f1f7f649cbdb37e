// The page of a question: the question, what is known about it, and every run's answer with the words that decided marked.
"use strict";

(() => {
  const { h, links, share, number, points, read, keep } = medexams;
  const a = medexams.answers;

  const KEY_STATUS = {
    scored: "scored", removed: "left out for all", correct_only: "counted only when right", all_credit: "right for all",
    unknown: "no usable key",
  };
  const TWIN = { exact: "the same text", lost_markup: "the same, one lost text", near: "alike", "same place": "same place in the exam" };

  const fact = (name, value) => (value === null || value === undefined || value === "" ? [] : [h("dt", {}, name), h("dd", {}, value)]);
  const keyText = ([labels, value]) => labels ?? value ?? "–";

  /** Stem, choices and key; `chosen`: how many runs took each choice, by label. */
  const asked = (q, chosen, level) => h("section", { class: "asked", "aria-label": q.question_id },
    h(level, {}, h("bdi", {}, q.dataset.title), " ", h("small", {}, h("bdi", {}, q.question_id))),
    q.dataset.refusal ? h("p", { class: "notes" }, a.closed(q.dataset)) : [
      q.passage ? h("blockquote", {}, a.text(q.passage, q.language)) : "",
      h("p", { class: "stem" }, a.text(q.stem, q.language)),
    ],
    q.images.map(([place, url]) => h("p", { class: "notes" }, `Picture (${place})`,
      /^https?:\/\//.test(url ?? "") ? [": ", h("a", { href: url, rel: "noreferrer" }, url)] : " not stored")),
    q.choices.length ? h("ol", { class: "choices" }, q.choices.map(([label, text, correct, forbidden, image]) =>
      h("li", { class: correct ? "correct" : null }, h("span", { class: "label" }, label), " ",
        q.dataset.refusal ? "" : a.text(text, q.language), image ? " [picture]" : "",
        correct ? h("span", { class: "tag" }, "key") : "", forbidden ? h("span", { class: "tag" }, "forbidden choice") : "",
        chosen ? h("small", {}, ` ${a.plural(chosen.get(label) ?? 0, "answer")}`) : ""))) : "",
    h("p", {}, "Key: ", h("strong", {}, q.keys.length ? q.keys.map(keyText).join(" or ") : "none"),
      q.key_status === "scored" ? "" : ` (${KEY_STATUS[q.key_status]})`),
  );

  const about = (q) => h("dl", { class: "about" },
    fact("Exam", q.profession && h("span", { lang: "ja" }, `${q.profession} ${q.year}`)),
    fact("Paper, number", [q.paper, q.number].filter((v) => v !== null).join(" ")),
    fact("Topic", q.topic && a.plain(q.topic)), fact("Part", q.component), fact("Answer", q.answer_type),
    fact("Points", points(q.points)), fact("Key", KEY_STATUS[q.key_status]), fact("Key in the release", q.released_key),
    fact("Right, model runs", q.share_right && `${share(q.share_right)} of ${a.plural(q.runs, "run")}`),
    fact("Right, examinees", q.human_accuracy && `${number(q.human_accuracy, 1)} %`),
    fact("Models less examinees", q.gap && share(q.gap)), fact("Discrimination", q.discrimination && number(q.discrimination)),
    fact("Read from", /^https?:\/\//.test(q.source_url ?? "") ? h("a", { href: q.source_url, rel: "noreferrer" }, q.source_url) : q.source_url),
    fact("Licence", q.dataset.licence), fact("Fingerprint", h("code", {}, q.fingerprint)),
  );

  const doubts = (q) => [
    q.suspicious ? h("section", { class: "doubt" }, h("h2", { id: "suspicious" }, "The key may be wrong"),
      h("p", {}, `${share(q.strong_share)} of ${a.plural(q.strong_runs, "strong run")} agree on `,
        h("strong", {}, q.strong_answer ?? "an answer not shown"), `, which the key does not accept: `,
        q.answers.filter((g) => g.attempt === 1 && g.said === q.strong_answer && g.run.kind === "model")
          .map((g, i) => [i ? ", " : "", h("a", { href: links.run(g.run.id) }, g.run.label)]), ".")) : "",
    q.flags.length ? [h("h2", { id: "flags" }, "Flags"), h("ul", {}, q.flags.map(([flag, detail]) =>
      h("li", {}, h("strong", {}, a.plain(flag)), q.dataset.refusal ? "" : [": ", a.text(detail)])))] : "",
    q.changes.length ? [h("h2", { id: "changes" }, "Key changes"), h("ul", {}, q.changes.map(([from, to, before, after]) =>
      h("li", {}, `${from} to ${to}: `, q.dataset.refusal ? a.closed(q.dataset)
        : [a.text(before, q.language), " became ", a.text(after, q.language)])))] : "",
  ];

  const answerRow = (answer, q, asking) => {
    const tr = h("tr", {
      "data-run": answer.run.id, "data-kind": answer.run.kind, "data-result": answer.result, "data-status": answer.status,
      "data-answer": answer.said ?? "", class: `${answer.run.kind}${answer.run.id === asking ? " chosen" : ""}`,
    },
    h("th", { scope: "row" }, a.runName(answer.run), answer.attempt > 1 && h("small", {}, ` attempt ${answer.attempt}`)),
    h("td", {}, answer.said ?? "–"),
    h("td", {}, a.result(answer), answer.forbidden ? h("small", {}, " forbidden choice") : null),
    h("td", { class: "num", "data-value": answer.points ?? "" }, a.earned(answer),
      answer.published !== null && answer.published !== answer.points ? h("small", {}, ` released scorer ${points(answer.published)}`) : null),
    h("td", {}, answer.status),
    h("td", { class: "prose response" }, q.dataset.refusal ? h("span", { class: "faint" }, "not shown: licence") : a.response(answer, q.language)));
    tr.searched = `${answer.run.label} ${answer.said ?? ""} ${answer.response ?? ""}`;
    return tr;
  };

  const twins = async (all, q, place) => {
    if (!q.twins.length) return;
    const language = (id) => all.datasetOf(id)?.language ?? "";
    const beside = h("div", { class: "beside", "aria-live": "polite" });
    const open = async (id) => {
      keep({ beside: id });
      const twin = id ? await a.whole(all, id) : null;
      beside.replaceChildren(...(twin ? [asked(twin, null, "h3"), h("p", {}, h("a", { href: links.question(id) }, "Its own page"))] : []));
      for (const button of place.querySelectorAll("[data-twin]")) button.setAttribute("aria-pressed", String(button.dataset.twin === id));
    };
    place.append(h("h2", { id: "twins" }, "The same question elsewhere"),
      h("ul", { class: "twins" }, q.twins.map(([id, kind, similarity]) => h("li", {},
        h("button", { type: "button", class: "save", "data-twin": id, "aria-pressed": "false" }, `Beside (${language(id)})`), " ",
        h("a", { href: links.question(id) }, id), ` · ${TWIN[kind]}${similarity && similarity !== "1" ? `, ${share(similarity)}` : ""}`))), beside);
    for (const button of place.querySelectorAll("[data-twin]")) {
      button.addEventListener("click", () => open(button.getAttribute("aria-pressed") === "true" ? "" : button.dataset.twin));
    }
    const kept = read().filters.get("beside");
    if (q.twins.some(([id]) => id === kept)) await open(kept);
  };

  const draw = async ({ things: [id], filters }, place) => {
    place.replaceChildren();
    if (!id) {
      place.append(h("p", {}, "Choose one: ", h("a", { href: "questions.html" }, "all questions")));
      return;
    }
    const all = await a.index();
    const q = await a.whole(all, id);
    if (!q) {
      place.append(h("p", { class: "nothing" }, `There is no question ${id}. `, h("a", { href: "questions.html" }, "All questions")));
      return;
    }
    document.title = `${id} · medexams`;
    const asking = filters.get("run");
    const chosen = new Map();
    for (const g of q.answers) for (const label of (g.labels ?? "").split("-")) chosen.set(label, (chosen.get(label) ?? 0) + 1);
    const answers = [...q.answers].sort((x, y) => (y.run.id === asking) - (x.run.id === asking));
    const between = h("div", { class: "doubts" }, doubts(q));
    place.append(h("div", { class: "question" }, asked(q, chosen, "h2"), about(q)), between);
    await twins(all, q, place);
    place.append(h("h2", {}, "What the runs answered"),
      h("p", { class: "notes" }, "Marked: the words that decided. A response of more than ",
        `${all.length.toLocaleString("en-US")} characters is cut around them; all of it: `, h("code", {}, "medexams explain RUN QUESTION"), "."),
      h("form", { class: "filters", "data-filters": "answers", "aria-label": "Filter the answers" },
        a.select("result", "Result", Object.keys(a.RESULTS), (v) => a.RESULTS[v]),
        a.select("status", "Read as", a.different(q.answers, (g) => g.status)),
        a.select("answer", "Answer", a.different(q.answers, (g) => g.said)),
        a.select("kind", "Shown", ["model", "human", "baseline"], (v) => ({ model: "models", human: "people", baseline: "baselines" })[v]),
        a.search("Model or response")),
      a.table("answers", `${a.plural(q.answers.length, "answer")} to this question.`, [
        ["Model", "text"], ["Answer", "text"], ["Result", "text"], ["Points", "number"], ["Read as", "text"], ["Response", null],
      ], answers.map((g) => answerRow(g, q, asking)), 30));
    medexams.tables.enhance(place);
    medexams.save(place);
  };

  medexams.show(draw);
})();
