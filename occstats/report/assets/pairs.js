"use strict";
/* The view of one pair: Python writes sentences and numbers, means of datasets are computed here.
   Charts have no style attributes, which the policy forbids. */
(() => {
  const source = document.getElementById("pair-data");
  if (!source) return;
  const { element, fixed, makeTable, signed } = window.occstats;
  const data = JSON.parse(source.textContent);
  const form = document.querySelector("#pair form");
  const view = document.getElementById("pair-view");
  const sentence = document.getElementById("pair-sentence");
  const [first, second] = [form.elements.a, form.elements.b];

  const svgElement = (name, attributes = {}, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const text = (x, y, words, attributes = {}) => svgElement("text", { x, y, ...attributes }, words);

  /* Round numbers that divide a range into about five parts. */
  const ticks = (low, high) => {
    const rough = (high - low) / 5 || 1;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
    const found = [];
    for (let at = Math.ceil(low / step); at * step <= high + step / 1e6; at += 1) found.push(at * step);
    return found;
  };
  const tickLabel = (value) => String(Number(value.toPrecision(6))).replace("-", "−");

  /* The browser shows a title under the pointer. */
  const title = (words) => svgElement("title", {}, words);

  /* One bar per dataset: its mean difference, largest first. */
  const bars = (rows, label, describe) => {
    const [width, height, left, right, top, bottom] = [460, 230, 46, 4, 12, 22];
    const values = rows.map((row) => row.difference);
    const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
    const span = high - low || 1;
    const y = (value) => top + ((high - value) / span) * (height - top - bottom);
    const step = (width - left - right) / Math.max(rows.length, 8);
    const chart = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    for (const at of ticks(low, high)) {
      chart.append(
        svgElement("line", { x1: left, x2: width - right, y1: y(at), y2: y(at), class: at === 0 ? "zero" : "grid" }),
        text(left - 6, y(at) + 4, tickLabel(at), { "text-anchor": "end" }),
      );
    }
    rows.forEach((row, index) => {
      const x = left + index * step;
      const [from, to] = [y(Math.max(row.difference, 0)), y(Math.min(row.difference, 0))];
      chart.append(
        svgElement("rect", { x: x + step * 0.12, width: step * 0.76, y: from, height: Math.max(to - from, 0.8), class: row.difference < 0 ? "second" : "first" }),
        svgElement("rect", { x, width: step, y: top, height: height - top - bottom, class: "target" }, title(describe(row))),
      );
    });
    chart.append(text(left, height - 6, "datasets, by mean difference"));
    return chart;
  };

  /* One point per task: the score of one algorithm against that of the other. */
  const scatter = (points, names, label) => {
    const [size, left, bottom, edge] = [340, 48, 38, 8];
    const values = points.flatMap((point) => [point.a, point.b]);
    let [low, high] = [Math.min(...values), Math.max(...values)];
    const margin = (high - low) * 0.03 || 0.5;
    [low, high] = [low - margin, high + margin];
    const x = (value) => left + ((value - low) / (high - low)) * (size - left - edge);
    const y = (value) => edge + ((high - value) / (high - low)) * (size - bottom - edge);
    const chart = svgElement("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label });
    for (const at of ticks(low, high)) {
      chart.append(
        svgElement("line", { x1: x(at), x2: x(at), y1: edge, y2: size - bottom, class: "grid" }),
        svgElement("line", { x1: left, x2: size - edge, y1: y(at), y2: y(at), class: "grid" }),
        text(x(at), size - bottom + 14, tickLabel(at), { "text-anchor": "middle" }),
        text(left - 6, y(at) + 4, tickLabel(at), { "text-anchor": "end" }),
      );
    }
    chart.append(svgElement("line", { x1: x(low), y1: y(low), x2: x(high), y2: y(high), class: "zero" }));
    for (const point of points) {
      chart.append(svgElement("circle", {
        cx: x(point.b), cy: y(point.a), r: 1.6 + 3.4 * Math.sqrt(point.weight),
        class: point.difference < 0 ? "second" : "first",
      }, title(point.words)));
    }
    const middle = (size - bottom + edge) / 2;
    chart.append(
      text((size + left) / 2, size - 6, names.b, { "text-anchor": "middle" }),
      text(12, middle, names.a, { "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }),
    );
    return chart;
  };

  window.occstats.svgElement = svgElement;

  /* More points than this are slow to draw and hard to see. */
  const MOST_POINTS = 4000;

  const score = (value) => fixed(value, data.digits);
  const change = (value) => signed(value, data.digits + 1);
  const short = (name) => ([...name].length > 36 ? `${[...name].slice(0, 35).join("")}…` : name);

  /* Tasks that both algorithms have, and their means by dataset. */
  const compared = (a, b) => {
    const sign = data.higherIsBetter ? 1 : -1;
    const byDataset = new Map();
    data.tasks.forEach(([dataset, label], index) => {
      const [x, y] = [data.scores[index][a], data.scores[index][b]];
      if (x === null || y === null) return;
      if (!byDataset.has(dataset)) byDataset.set(dataset, { name: data.datasets[dataset], tasks: [] });
      byDataset.get(dataset).tasks.push({ a: x, b: y, label, difference: sign * (x - y) });
    });
    const rows = [...byDataset.values()];
    const mean = (row, key) => row.tasks.reduce((sum, task) => sum + task[key], 0) / row.tasks.length;
    for (const row of rows) for (const key of ["a", "b", "difference"]) row[key] = mean(row, key);
    const overall = rows.reduce((sum, row) => sum + row.difference, 0) / rows.length;
    /* By how much the mean difference is larger than it would be without the dataset. */
    for (const row of rows) row.influence = (row.difference - overall) / Math.max(rows.length - 1, 1);
    return rows;
  };

  const measureTable = (pair, names) => {
    const body = element("tbody");
    data.measures.forEach(({ label }, index) => {
      const [value, interval] = pair.values[index];
      body.append(element("tr", {}, element("th", { scope: "row" }, label),
        element("td", { className: "n" }, value, element("small", {}, interval))));
    });
    const head = element("thead", {}, element("tr", {},
      element("th", { scope: "col" }, "measure"),
      element("th", { scope: "col", className: "n" }, `value, ${data.level}`)));
    const caption = element("caption", {}, element("span", {},
      element("b", {}, `${names.a} (a) and ${names.b} (b). `), `Differences are ${data.difference}; positive if a is better.`));
    return element("table", { className: "measures" }, caption, head, body);
  };

  const folded = (title, ...content) => element("details", {}, element("summary", {}, title), ...content);
  const explanations = () => folded("Explanation of the measures", element("dl", { className: "explanations" },
    ...data.measures.flatMap(({ label, explanation }) => [element("dt", {}, label), element("dd", {}, explanation)])));

  const datasetTable = (rows, names, changed) => makeTable("pair_datasets", "Influence of single datasets.",
    "Influence: the mean difference minus its value without the dataset. The last column marks datasets without which the conclusion is different.",
    ["dataset", "tasks", names.a, names.b, "difference", "influence", "changes the conclusion"],
    rows.map((row) => [row.name, [String(row.tasks.length), row.tasks.length], [score(row.a), row.a], [score(row.b), row.b],
      [change(row.difference), row.difference], [change(row.influence), row.influence], changed.has(row.name) ? "yes" : ""]), true);

  const charts = (rows, names) => {
    const won = rows.filter((row) => row.difference > 0).length;
    const words = (row) => `${row.name}: ${names.a} ${score(row.a)}, ${names.b} ${score(row.b)}, difference ${change(row.difference)}`;
    const manyTasks = rows.reduce((sum, row) => sum + row.tasks.length, 0) > MOST_POINTS;
    const points = rows.flatMap((row) => (manyTasks ? [{ ...row, weight: 1, words: words(row) }]
      : row.tasks.map((task) => ({
        ...task, weight: 1 / row.tasks.length,
        words: `${row.name}, ${task.label}: ${names.a} ${score(task.a)}, ${names.b} ${score(task.b)}`,
      }))));
    const barLabel = `Mean difference in ${data.score} on ${rows.length} datasets; ${names.a} is better on ${won}. The table below lists the numbers.`;
    const pointLabel = `${points.length} ${manyTasks ? "datasets" : "tasks"}, ${data.score} of ${names.a} against that of ${names.b}. The table of all scores lists the numbers.`;
    const ordered = [...rows].sort((one, other) => other.difference - one.difference);
    const key = (name, words) => [element("span", { className: `key ${name}` }), words];
    return element("div", { className: "charts" },
      element("figure", {}, bars(ordered, barLabel, words),
        element("figcaption", {}, "Mean difference by dataset: ", ...key("first", `${names.a} better, `), ...key("second", `${names.b} better`))),
      element("figure", {}, scatter(points, names, pointLabel),
        element("figcaption", {}, manyTasks ? "Mean of each dataset." : "Scores of each task; the area of a point is its weight.")));
  };

  const show = () => {
    const [a, b] = [first.value, second.value];
    const names = { a: short(data.algorithms[a]), b: short(data.algorithms[b]) };
    const pair = data.pairs[`${a}-${b}`];
    view.replaceChildren();
    if (!pair) {
      sentence.textContent = a === b ? "Choose two different algorithms." : "This pair was not tested.";
      return;
    }
    sentence.textContent = pair.sentence;
    const rows = compared(Number(a), Number(b))
      .sort((one, other) => Math.abs(other.influence) - Math.abs(one.influence));
    const changed = new Set(pair.changedWithout ?? []);
    const row = element("div", { className: "side-by-side" }, element("div", {}, measureTable(pair, names), explanations()));
    view.append(row);
    if (!rows.length) return;
    row.append(charts(rows, names));
    view.append(folded("Influence of single datasets", datasetTable(rows, names, changed)));
  };

  /* The pair is part of the address, #pair=ALP,SVM, so that it can be shared and Back works. */
  const address = (a, b) => `#pair=${[a, b].map((at) => encodeURIComponent(data.algorithms[at])).join(",")}`;
  const pairOfAddress = () => {
    const [key, names] = location.hash.split("=");
    if (key !== "#pair" || !names) return null;
    try {
      const found = names.split(",").map((name) => data.algorithms.indexOf(decodeURIComponent(name)));
      return found.length === 2 && !found.includes(-1) ? found : null;
    } catch {
      return null;
    }
  };
  const follow = () => {
    [first.value, second.value] = pairOfAddress() ?? [data.subject, Number(data.subject === 0)];
    show();
  };
  const choose = (a, b) => {
    history.pushState(null, "", address(a, b));
    follow();
  };
  const section = document.getElementById("pair");
  const open = () => {
    section.querySelector("details").open = true;
    section.scrollIntoView();
  };
  form.addEventListener("change", () => choose(first.value, second.value));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.elements.swap.addEventListener("click", () => choose(second.value, first.value));
  for (const link of document.querySelectorAll("a[data-pair]")) {
    link.title = "Show this pair";
    link.href = address(...link.dataset.pair.split("-"));
    link.addEventListener("click", (event) => {
      event.preventDefault();
      choose(...link.dataset.pair.split("-"));
      open();
      section.focus({ preventScroll: true });
    });
  }
  window.addEventListener("popstate", follow);
  follow();
  if (pairOfAddress()) open();
})();
