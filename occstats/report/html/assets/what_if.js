"use strict";
/* Another level, other tests, fewer algorithms or data sets: numbers and diagram anew. */
(() => {
  const form = document.querySelector("#what-if form");
  if (!form) return;
  const { analyse, element, held, svgElement } = window.occstats;
  const data = JSON.parse(document.getElementById("pair-data").textContent);
  const chapter = form.closest("details");
  const view = document.getElementById("what-if-view");
  const sentence = document.getElementById("what-if-sentence");

  const written = (p) => {
    if (Number.isNaN(p)) return "–";
    if (p < 0.0001) return "< 0.0001";
    if (p >= 1) return "1";
    return p >= 0.995 ? "> 0.99" : String(p.toPrecision(2));
  };
  const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
  const listed = (names) => (names.length < 2 ? names.join("")
    : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);
  const checked = (name) => [...form.querySelectorAll(`[name=${name}]`)]
    .filter((box) => box.checked).map((box) => Number(box.value));

  /* The scores of some algorithms on some data sets, as the kernel takes them. */
  const part = (algorithms, datasets, { family, alpha }) => {
    const sign = data.higherIsBetter ? 1 : -1;
    const kept = new Set(datasets);
    const tasks = [...data.tasks.keys()].filter((task) => kept.has(data.tasks[task][0]));
    const score = (value) => (value === null ? NaN : sign * value);
    return {
      ...data.whatIf, family, alpha,
      scores: tasks.map((task) => algorithms.map((place) => score(data.scores[task][place]))),
      clusters: tasks.map((task) => data.tasks[task][0]),
    };
  };

  /* Results for names, the best mean rank first. */
  const compute = (algorithms, datasets, choices) => {
    const found = analyse(part(algorithms, datasets, choices));
    const order = [...algorithms.keys()].sort((a, b) => found.meanRanks[a] - found.meanRanks[b]);
    const sorted = (matrix) => order.map((a) => order.map((b) => matrix[a][b]));
    return {
      algorithms: order.map((place) => algorithms[place]),
      meanRanks: order.map((place) => found.meanRanks[place]),
      p: sorted(found.p), z: sorted(found.z), better: sorted(found.better),
    };
  };

  /* Maximal groups in which no pair differs (Bron and Kerbosch, with a pivot). */
  const groups = ({ p, better }) => {
    const alike = p.map((row, a) => new Set([...row.keys()]
      .filter((b) => b !== a && !Number.isNaN(row[b]) && !better[a][b] && !better[b][a])));
    const found = [];
    const common = (set, other) => new Set([...set].filter((one) => other.has(one)));
    const grow = (members, open, closed) => {
      if (!open.size && !closed.size) { if (members.length > 1) found.push([...members].sort((a, b) => a - b)); return; }
      const pivot = [...open, ...closed].reduce((best, one) => (common(alike[one], open).size > common(alike[best], open).size ? one : best));
      for (const one of [...open].filter((other) => !alike[pivot].has(other))) {
        grow([...members, one], common(open, alike[one]), common(closed, alike[one]));
        open.delete(one);
        closed.add(one);
      }
    };
    grow([], new Set(p.keys()), new Set());
    return found.sort((one, other) => one[0] - other[0] || one.at(-1) - other.at(-1));
  };

  /* One row per algorithm, its mean rank on a scale, and a bar with dots for each group. */
  const diagram = ({ algorithms, meanRanks, ...rest }) => {
    const bars = groups(rest);
    const short = (name) => ([...name].length > 24 ? `${[...name].slice(0, 23).join("")}…` : name);
    const names = algorithms.map((place) => short(data.algorithms[place]));
    const [row, top, left, scale] = [22, 38, 18 + 9 * Math.max(...names.map((name) => [...name].length)), 250];
    const [low, high] = [Math.floor(meanRanks[0]), Math.max(Math.ceil(meanRanks.at(-1)), Math.floor(meanRanks[0]) + 1)];
    const x = (rank) => left + ((rank - low) / (high - low)) * scale;
    const y = (place) => top + row * (place + 0.5);
    const groupAt = (index) => left + scale + 44 + 14 * index;
    const [width, height] = [groupAt(bars.length) + 4, top + row * names.length + 8];
    const label = `Mean ranks, best first: ${names.map((name, place) => `${name} ${meanRanks[place].toFixed(2)}`).join(", ")}. No two differ of: ${bars.map((bar) => listed(bar.map((place) => names[place]))).join("; ") || "none"}.`;
    const chart = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
    const text = (atX, atY, words, anchor = "start") => svgElement("text", { x: atX, y: atY, "text-anchor": anchor }, words);
    const step = Math.max(1, Math.ceil((high - low) / 8));
    for (let rank = low; rank <= high; rank += step) {
      chart.append(svgElement("line", { x1: x(rank), x2: x(rank), y1: top - 4, y2: height - 8, class: "grid" }),
        text(x(rank), top - 9, String(rank), "middle"));
    }
    chart.append(text(x(low), 10, "mean rank (best left)"), text(groupAt(0) - 8, 10, bars.length ? "not different" : ""));
    names.forEach((name, place) => {
      chart.append(text(left - 12, y(place) + 4, name, "end"),
        svgElement("circle", { cx: x(meanRanks[place]), cy: y(place), r: 4.5, class: "first" }),
        text(left + scale + 8, y(place) + 4, meanRanks[place].toFixed(2)));
    });
    bars.forEach((bar, index) => {
      chart.append(svgElement("line", { x1: groupAt(index), x2: groupAt(index), y1: y(bar[0]), y2: y(bar.at(-1)), class: "bar" }),
        ...bar.map((place) => svgElement("circle", { cx: groupAt(index), cy: y(place), r: 3.5, class: "member" })));
    });
    return chart;
  };

  const cell = (words, value) => {
    const made = element("td", { className: "n" }, words);
    if (!Number.isNaN(value)) made.dataset.v = value;
    return made;
  };
  const made = (name, title, headings, rows) => {
    const caption = element("caption", { id: `table-${name}` }, element("span", {}, element("b", {}, title)));
    const head = element("thead", {}, element("tr", {}, ...headings.map((words, place) =>
      element("th", { scope: "col", className: `${place ? "n" : ""}${words.length > 30 ? " long" : ""}` }, words))));
    return held(name, element("table", {}, caption, head, element("tbody", {}, ...rows)));
  };
  const heading = (name) => element("th", { scope: "row", className: name.length > 30 ? "long" : "" }, name);

  const rankTable = (found, before) => made("what_if_ranks", "Mean ranks, and what they were with everything.",
    ["algorithm", "mean rank", "change", "better than", "worse than"],
    found.algorithms.map((place, row) => {
      const change = found.meanRanks[row] - before.get(place);
      const count = (test) => found.algorithms.filter((_, other) => test(other)).length;
      const [won, lost] = [count((other) => found.better[row][other]), count((other) => found.better[other][row])];
      return element("tr", {}, heading(data.algorithms[place]), cell(found.meanRanks[row].toFixed(2), found.meanRanks[row]),
        cell(Math.abs(change) < 0.005 ? "" : signed(change), change), cell(String(won), won), cell(String(lost), lost));
    }));

  const pTable = (found, oneSided) => {
    const names = found.algorithms.map((place) => data.algorithms[place]);
    const columns = [...names.keys()].slice(1).reverse();
    const rows = names.slice(0, -1).map((name, row) => element("tr", {}, heading(name),
      ...columns.map((column) => {
        if (column <= row) return cell("", NaN);
        const value = found.p[row][column];
        const differs = found.better[row][column] || found.better[column][row];
        return cell(differs ? element("strong", {}, written(value)) : written(value), value);
      })));
    const title = oneSided ? "Corrected p-values: the row is better than the column." : "Corrected p-values: row and column differ.";
    return made("what_if_p_values", title, ["algorithm", ...columns.map((column) => names[column])], rows);
  };

  const everyone = { algorithms: [...data.algorithms.keys()], datasets: [...data.datasets.keys()] };
  let before = null;

  const show = () => {
    const [algorithms, datasets] = [checked("algorithm"), checked("dataset")];
    const choices = { family: form.elements.family.value, alpha: Number(form.elements.alpha.value) };
    view.replaceChildren();
    if (!(choices.alpha > 0 && choices.alpha < 1)) { sentence.textContent = "Choose a level between 0 and 1."; return; }
    if (algorithms.length < 2 || datasets.length < 2) {
      sentence.textContent = "Keep at least two algorithms and two data sets.";
      return;
    }
    before ??= new Map(((all) => all.algorithms.map((place, row) => [place, all.meanRanks[row]]))(
      compute(everyone.algorithms, everyone.datasets, { family: "row", alpha: choices.alpha })));
    const found = compute(algorithms, datasets, choices);
    if (found.meanRanks.some(Number.isNaN)) { sentence.textContent = "These algorithms have no task in common."; return; }
    const best = data.algorithms[found.algorithms[0]];
    const beaten = found.algorithms.filter((_, other) => found.better[0][other]).length;
    const differing = found.better.flat().filter(Boolean).length;
    sentence.textContent = `${best} has the best mean rank (${found.meanRanks[0].toFixed(2)}) and is better than ${beaten} of ${algorithms.length - 1}; `
      + `${differing} of ${(algorithms.length * (algorithms.length - 1)) / 2} pairs differ at α = ${choices.alpha}, on ${datasets.length} of ${data.datasets.length} data sets.`;
    view.append(element("div", { className: "charts groups" }, element("figure", { id: "figure-what_if" }, diagram(found))),
      rankTable(found, before), pTable(found, choices.family === "row"));
  };

  /* The words appear before the numbers are computed. */
  let waiting = 0;
  const update = () => {
    if (!chapter.open) return;
    sentence.textContent = "Computing …";
    clearTimeout(waiting);
    waiting = setTimeout(show, 20);
  };
  form.addEventListener("input", update);
  form.addEventListener("reset", () => setTimeout(update));
  form.addEventListener("submit", (event) => event.preventDefault());
  chapter.addEventListener("toggle", () => { if (!view.hasChildNodes()) update(); });
  update();
  window.occstats.whatIf = { compute };
})();
