"use strict";
/* The view of one pair: Python wrote sentences and numbers; means of datasets are computed here. */
(() => {
  const source = document.getElementById("pair-data");
  if (!source) return;
  const { bars, element, fixed, held, scatter, signed } = window.occstats;
  const data = JSON.parse(source.textContent);
  const form = document.querySelector("#pair form");
  const view = document.getElementById("pair-view");
  const sentence = document.getElementById("pair-sentence");
  const [first, second] = [form.elements.a, form.elements.b];

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
    data.measures.forEach(({ label, explanation }, index) => {
      const [value, interval] = pair.values[index];
      body.append(element("tr", {},
        element("th", { scope: "row" }, label, element("small", {}, explanation)),
        element("td", { className: "n" }, value, element("small", {}, interval))));
    });
    const head = element("thead", {}, element("tr", {},
      element("th", { scope: "col" }, "measure"),
      element("th", { scope: "col", className: "n" }, `value, ${data.level}`)));
    const caption = element("caption", {}, element("span", {},
      element("b", {}, `${names.a} (a) and ${names.b} (b). `), "Differences are a minus b; positive where a is better."));
    return element("table", { className: "measures" }, caption, head, body);
  };

  const datasetTable = (rows, names, changed) => {
    const headings = ["dataset", "tasks", names.a, names.b, "difference", "influence", "changes the conclusion"];
    const head = element("thead", {}, element("tr", {}, ...headings.map((words, index) =>
      element("th", { scope: "col", className: `${index > 0 && index < 6 ? "n" : ""} ${words.length > 30 ? "long" : ""}` }, words))));
    const number = (value, words) => {
      const cell = element("td", { className: "n" }, words);
      cell.dataset.v = value;
      return cell;
    };
    const body = element("tbody", {}, ...rows.map((row) => element("tr", {},
      element("th", { scope: "row", className: row.name.length > 30 ? "long" : "" }, row.name),
      number(row.tasks.length, String(row.tasks.length)),
      number(row.a, score(row.a)),
      number(row.b, score(row.b)),
      number(row.difference, change(row.difference)),
      number(row.influence, change(row.influence)),
      element("td", {}, changed.has(row.name) ? "yes" : ""))));
    const caption = element("caption", { id: "pair-datasets" }, element("span", {},
      element("b", {}, "Influence of single datasets. "),
      "Influence: the mean difference minus its value without the dataset. A dataset changes the conclusion if leaving it out does."));
    return held("pair_datasets", element("table", {}, caption, head, body), true);
  };

  const charts = (rows, names) => {
    const won = rows.filter((row) => row.difference > 0).length;
    const words = (row) => `${row.name}: ${names.a} ${score(row.a)}, ${names.b} ${score(row.b)}, difference ${change(row.difference)}`;
    const manyTasks = rows.reduce((sum, row) => sum + row.tasks.length, 0) > MOST_POINTS;
    const points = rows.flatMap((row) => (manyTasks ? [{ ...row, weight: 1, words: words(row) }]
      : row.tasks.map((task) => ({
        ...task, weight: 1 / row.tasks.length,
        words: `${row.name}, ${task.label}: ${names.a} ${score(task.a)}, ${names.b} ${score(task.b)}`,
      }))));
    const barLabel = `Mean difference in ${data.score} on ${rows.length} datasets; ${names.a} is better on ${won}. The table below has the numbers.`;
    const pointLabel = `${points.length} ${manyTasks ? "datasets" : "tasks"}, ${data.score} of ${names.a} against that of ${names.b}. The table of all scores has the numbers.`;
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
    const beside = element("div", { className: "side-by-side" }, measureTable(pair, names));
    view.append(beside);
    if (!rows.length) return;
    beside.append(charts(rows, names));
    view.append(datasetTable(rows, names, changed));
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
  form.addEventListener("change", () => choose(first.value, second.value));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.elements.swap.addEventListener("click", () => choose(second.value, first.value));
  for (const link of document.querySelectorAll("a[data-pair]")) {
    link.title = "Show this pair";
    link.href = address(...link.dataset.pair.split("-"));
    link.addEventListener("click", (event) => {
      event.preventDefault();
      choose(...link.dataset.pair.split("-"));
      section.scrollIntoView();
      section.focus({ preventScroll: true });
    });
  }
  window.addEventListener("popstate", follow);
  follow();
  if (pairOfAddress()) section.scrollIntoView();
})();
