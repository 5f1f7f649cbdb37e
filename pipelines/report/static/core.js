// What all scripts of the report share: elements, numbers, the state in the address, and the data.
// What a page does with them stands in the page's own file. Every page says something without any of it.
"use strict";

const medexams = (() => {
  document.documentElement.classList.add("js");

  // ---- elements: text is only ever text, so that no name or response becomes markup

  /** An element with attributes and children (elements, texts, lists of them; null and false are left out). */
  const h = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
    return element;
  };

  const say = (text) => { document.getElementById("status").textContent = text; };

  // ---- numbers, as page.py writes them: decimals come as text and are rounded as decimals, half to even

  const rounded = (digits, style) => new Intl.NumberFormat("en-US", {
    style, minimumFractionDigits: digits, maximumFractionDigits: digits, roundingMode: "halfEven",
  });
  const minus = (text) => (/[1-9]/.test(text) ? text.replace("-", "−") : text.replace("-", ""));
  const number = (value, digits = 2) => (value === null ? "–" : minus(rounded(digits, "decimal").format(value)));
  const share = (value, digits = 1) =>
    (value === null ? "–" : minus(rounded(digits, "percent").format(value)).replace("%", " %"));
  const points = (value) => (value === null ? "–" : String(value).replace("-", "−"));
  const excerpt = (text, length = 160) => {
    const line = text.slice(0, 4 * length).split(/\s+/).filter(Boolean).join(" ");
    return line.length <= length ? line : `${line.slice(0, length - 1).trimEnd()}…`;
  };

  // ---- the address: PAGE#THING,THING?filter=value (pipelines/report/links.py writes the same)

  const read = () => {
    const [things, filters = ""] = location.hash.slice(1).split(/\?(.*)/s);
    const decoded = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
    return { things: things ? things.split(",").map(decoded) : [], filters: new URLSearchParams(filters) };
  };
  const fragment = (things, filters) => {
    const names = things.map((t) => encodeURIComponent(t).replaceAll("%2F", "/").replaceAll("%3A", ":")).join(",");
    const rest = new URLSearchParams(filters).toString();
    return names + (rest ? `?${rest}` : "");
  };
  const address = (page, things, filters = {}) => `${page}#${fragment(things, filters)}`;
  const links = {
    run: (id, filters) => address("run.html", [id], filters),
    question: (id, filters) => address("question.html", [id], filters),
    pair: (a, b, filters) => address("pair.html", [a, b], filters),
  };
  /** Keep values (name to text; an empty one is dropped) in the address, without a step in the browser's history. */
  const keep = (values) => {
    const { things, filters } = read();
    for (const [name, value] of Object.entries(values)) {
      if (value) filters.set(name, value);
      else filters.delete(name);
    }
    history.replaceState(null, "", `#${fragment(things, filters)}`);
  };

  // ---- the data: chunks that are scripts, since a page opened from disk may load nothing else

  const chunks = new Map();
  const waiting = new Map();
  const take = (name, value) => { waiting.get(name)?.(value); };
  /** A chunk of data/, loaded once; fails when there is none. */
  const load = (name) => {
    if (!chunks.has(name)) {
      chunks.set(name, new Promise((resolve, reject) => {
        waiting.set(name, resolve);
        const script = h("script", { src: `data/${name}.js` });
        script.addEventListener("error", () => reject(new Error(`data/${name}.js can't be read`)));
        document.head.append(script);
      }));
    }
    return chunks.get(name);
  };

  /** Draw the page now and whenever the address names another thing; a fault is said on the page. */
  const show = (draw) => {
    const again = async () => {
      const place = document.getElementById("shown");
      place.setAttribute("aria-busy", "true");
      try {
        await draw(read(), place);
      } catch (fault) {
        place.replaceChildren(h("p", { class: "nothing", role: "alert" }, `This can't be shown: ${fault.message}.`));
      }
      place.removeAttribute("aria-busy");
    };
    addEventListener("hashchange", again);
    again();
  };

  // The link past the navigation moves the focus and leaves the address alone.
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.(".skip")) return;
    event.preventDefault();
    document.getElementById("main").focus();
  });

  return { h, say, number, share, points, excerpt, read, keep, address, links, take, load, show };
})();
