"use strict";
/* Mean ranks, p-values and groups without some algorithms or datasets, or at another level. */
(() => {
  const form = document.querySelector("#what-if form");
  if (!form) return;
  const { analyse, element, fixed, makeTable, meanRanks, svgElement } = window.occstats;
  const data = JSON.parse(document.getElementById("pair-data").textContent);
  const { control, decided } = data.whatIf;
  decided.p = decided.p.map((row) => row.map((p) => p ?? NaN));
  const chapter = form.closest("details");
  const view = document.getElementById("what-if-view");
  const sentence = document.getElementById("what-if-sentence");

  /* As occstats._format.p_value, never rounded to the level. */
  const written = (p, level) => {
    if (Number.isNaN(p)) return "–";
    if (p < 0.001) return "<0.001";
    if (p >= 0.995) return ">0.99";
    let digits = p < 0.0995 ? 3 : 2;
    while (p !== level && Number(p.toFixed(digits)) === level && digits < 8) digits += 1;
    return fixed(p, digits);
  };
  const boxes = (name) => [...form.querySelectorAll(`[name=${name}]`)];
  const checked = (name) => boxes(name).filter((box) => box.checked).map((box) => Number(box.value));

  /* Scores as the tests rank them: higher is better, NaN where missing, -Infinity for failures. */
  const tested = data.scores.map((row) => row.map((value) => {
    if (value === null) return NaN;
    return data.higherIsBetter ? value : -value;
  }));
  for (const [task, place] of data.failed) tested[task][place] = -Infinity;

  const arrange = (algorithms, found) => {
    /* The best mean rank first; equal means go by name, whatever the last bits. */
    const place = (at) => Math.round(found.meanRanks[at] * 1e12);
    const name = (at) => data.algorithms[algorithms[at]];
    const order = [...algorithms.keys()].sort((a, b) => place(a) - place(b) || (name(a) < name(b) ? -1 : 1));
    const sorted = (matrix) => order.map((a) => order.map((b) => matrix[a][b]));
    return {
      algorithms: order.map((at) => algorithms[at]),
      meanRanks: order.map((at) => found.meanRanks[at]),
      p: sorted(found.p), better: sorted(found.better),
    };
  };

  /* Results of some algorithms on some datasets. */
  const compute = (algorithms, datasets, alpha) => {
    const tasks = [...data.tasks.keys()].filter((task) => datasets.includes(data.tasks[task][0]));
    return arrange(algorithms, analyse({
      ...data.whatIf, alpha, control: control === null ? null : algorithms.indexOf(control),
      scores: tasks.map((task) => algorithms.map((place) => tested[task][place])),
      clusters: tasks.map((task) => data.tasks[task][0]),
    }));
  };

  /* Maximal groups without a significant difference (Bron and Kerbosch, with a pivot). */
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

  /* One row per algorithm with its mean rank on a scale, and a bar for each group with dots at its
     members and gaps at others. */
  const diagram = ({ algorithms, meanRanks: ranks, ...rest }) => {
    const bars = control === null ? groups(rest) : [];
    const short = (name) => ([...name].length > 24 ? `${[...name].slice(0, 23).join("")}…` : name);
    const names = algorithms.map((place) => short(data.algorithms[place]));
    const [row, top, left, scale] = [22, 38, 18 + 9 * Math.max(...names.map((name) => [...name].length)), 250];
    const [low, high] = [Math.floor(ranks[0]), Math.max(Math.ceil(ranks.at(-1)), Math.floor(ranks[0]) + 1)];
    const x = (rank) => left + ((rank - low) / (high - low)) * scale;
    const y = (place) => top + row * (place + 0.5);
    const groupAt = (index) => left + scale + 44 + 14 * index;
    const [width, height] = [groupAt(0) + (bars.length ? Math.max(150, 14 * bars.length + 4) : 4), top + row * names.length + 8];
    const label = `Mean ranks, best first: ${names.map((name, place) => `${name} ${fixed(ranks[place], 2)}`).join(", ")}. Groups without a significant difference: ${bars.map((bar) => bar.map((place) => names[place]).join(", ")).join("; ") || "none"}.`;
    const chart = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
    const text = (atX, atY, words, anchor = "start") => svgElement("text", { x: atX, y: atY, "text-anchor": anchor }, words);
    const step = Math.max(1, Math.ceil((high - low) / 8));
    for (let rank = low; rank <= high; rank += step) {
      chart.append(svgElement("line", { x1: x(rank), x2: x(rank), y1: top - 4, y2: height - 8, class: "grid" }),
        text(x(rank), top - 9, String(rank), "middle"));
    }
    chart.append(text(x(low), 10, "mean rank (lower is better)"), text(groupAt(0) - 8, 10, bars.length ? "no significant difference" : ""));
    names.forEach((name, place) => {
      chart.append(text(left - 12, y(place) + 4, name, "end"),
        svgElement("circle", { cx: x(ranks[place]), cy: y(place), r: 4.5, class: "first" }),
        text(left + scale + 8, y(place) + 4, fixed(ranks[place], 2)));
    });
    bars.forEach((bar, index) => {
      chart.append(svgElement("line", { x1: groupAt(index), x2: groupAt(index), y1: y(bar[0]), y2: y(bar.at(-1)), class: "bar" }),
        ...[...names.keys()].slice(bar[0], bar.at(-1)).filter((place) => !bar.includes(place)).map((place) =>
          svgElement("line", { x1: groupAt(index), x2: groupAt(index), y1: y(place) - 6, y2: y(place) + 6, class: "gap" })),
        ...bar.map((place) => svgElement("circle", { cx: groupAt(index), cy: y(place), r: 3.5, class: "member" })));
    });
    return chart;
  };

  const rankTable = ({ algorithms, meanRanks: now, better }, all) => makeTable(
    "what_if_ranks", "Mean ranks among these algorithms.", "",
    ["algorithm", "mean rank", "with all datasets", "better than", "worse than"],
    algorithms.map((place, row) => {
      const counts = [better[row], better.map((other) => other[row])].map((found) => found.filter(Boolean).length);
      return [data.algorithms[place], [fixed(now[row], 2), now[row]], [fixed(all.get(place), 2), all.get(place)],
        ...counts.map((count) => [String(count), count])];
    }),
  );

  /* The upper triangle, or the row of the control. */
  const pTable = ({ algorithms, p, better }, alpha) => {
    const names = algorithms.map((place) => `${data.numbered ? `${place + 1} ` : ""}${data.algorithms[place]}`);
    const heads = algorithms.map((place) => (data.numbered ? String(place + 1) : data.algorithms[place]));
    const rows = control === null ? [...names.keys()].slice(0, -1) : [algorithms.indexOf(control)];
    const columns = [...names.keys()].filter((place) => (control === null ? place > 0 : !rows.includes(place)));
    return makeTable("what_if_p_values", "p-values.", "Bold where significant.", ["algorithm", ...columns.map((column) => heads[column])],
      rows.map((row) => [names[row], ...columns.map((column) => {
        if (control === null && column <= row) return ["", NaN];
        const text = written(p[row][column], alpha);
        const decided = better[row][column] || better[column][row];
        return [decided ? element("strong", {}, text) : text, p[row][column]];
      })]));
  };

  const conclusions = ({ algorithms, meanRanks: ranks, p, better }, alpha) => {
    const subject = control === null ? 0 : algorithms.indexOf(control);
    const others = (test) => algorithms.filter((_, other) => other !== subject && test(other)).map((place) => data.algorithms[place]);
    const relations = [
      ["typically better than", others((other) => better[subject][other])],
      ["typically worse than", others((other) => better[other][subject])],
      ["not distinguishable from", others((other) => !Number.isNaN(p[subject][other]) && !better[subject][other] && !better[other][subject])],
    ].filter(([, names]) => names.length).map(([relation, names]) => `${relation} ${names.join(", ")}`);
    const differ = better.flat().filter(Boolean).length;
    const pairs = p.flat().filter((value) => !Number.isNaN(value)).length / 2;
    const number = fixed(ranks[subject], 2);
    const tally = pairs > 1 ? ` ${differ} of ${pairs} pairs differ${differ === 1 ? "s" : ""} (p ≤ ${alpha}).` : "";
    return `${data.algorithms[algorithms[subject]]} has ${subject ? `mean rank ${number}` : `the best mean rank (${number})`}; it is `
      + `${relations.join("; ") || "not tested"}.${tally}`;
  };

  const show = () => {
    const [algorithms, datasets] = [checked("algorithm"), checked("dataset")];
    const alpha = Number(form.elements.alpha.value);
    view.replaceChildren();
    if (!(alpha > 0 && alpha < 1)) { sentence.textContent = "Choose a level between 0 and 1."; return; }
    if (algorithms.length < 2 || datasets.length < 2) {
      sentence.textContent = "Keep at least two algorithms and two datasets.";
      return;
    }
    const all = meanRanks(tested.map((row) => algorithms.map((place) => row[place])), data.tasks.map(([dataset]) => dataset), data.whatIf.tolerance);
    /* The answer for all results is known. */
    const complete = algorithms.length === data.algorithms.length && datasets.length === data.datasets.length && alpha === data.whatIf.alpha;
    const found = complete ? arrange(algorithms, { ...decided, meanRanks: all }) : compute(algorithms, datasets, alpha);
    if (found.meanRanks.some(Number.isNaN)) { sentence.textContent = "These algorithms have no task in common."; return; }
    sentence.textContent = conclusions(found, alpha);
    view.append(element("div", { className: "charts groups" }, element("figure", { id: "figure-what_if" }, diagram(found))),
      rankTable(found, new Map(algorithms.map((place, row) => [place, all[row]]))), pTable(found, alpha));
  };

  /* Let the browser show the message before the computation starts. */
  let waiting = 0;
  const update = () => {
    if (!chapter.open) return;
    sentence.textContent = "Computing …";
    clearTimeout(waiting);
    waiting = setTimeout(show, 20);
  };
  for (const event of ["input", "change"]) form.addEventListener(event, update);
  form.addEventListener("reset", () => setTimeout(update));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("click", ({ target }) => {
    const { check, clear } = target.closest("button")?.dataset ?? {};
    if (!check && !clear) return;
    for (const box of boxes(check ?? clear)) box.checked = Boolean(check) || box.disabled;
    update();
  });
  chapter.addEventListener("toggle", () => { if (!view.hasChildNodes()) update(); });
  show();
  window.occstats.whatIf = { compute, written };
})();
