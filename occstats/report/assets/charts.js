"use strict";
/* Two small charts with tooltips, drawn without style attributes, which the policy forbids. */
(() => {
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
  const short = (value) => String(Number(value.toPrecision(6))).replace("-", "−");

  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  const showTip = (event) => {
    const words = event.target.dataset?.tip;
    tip.hidden = !words;
    if (!words) return;
    tip.textContent = words;
    const room = document.documentElement.clientWidth - tip.offsetWidth - 12;
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, room))}px`;
    tip.style.top = `${event.clientY + 16}px`;
  };
  const withTips = (chart) => {
    chart.addEventListener("pointermove", showTip);
    chart.addEventListener("pointerleave", () => { tip.hidden = true; });
    return chart;
  };

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
        text(left - 6, y(at) + 4, short(at), { "text-anchor": "end" }),
      );
    }
    rows.forEach((row, index) => {
      const x = left + index * step;
      const [from, to] = [y(Math.max(row.difference, 0)), y(Math.min(row.difference, 0))];
      chart.append(
        svgElement("rect", { x: x + step * 0.12, width: step * 0.76, y: from, height: Math.max(to - from, 0.8), class: row.difference < 0 ? "second" : "first" }),
        svgElement("rect", { x, width: step, y: top, height: height - top - bottom, class: "target", "data-tip": describe(row) }),
      );
    });
    chart.append(text(left, height - 6, "datasets, by mean difference"));
    return withTips(chart);
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
        text(x(at), size - bottom + 14, short(at), { "text-anchor": "middle" }),
        text(left - 6, y(at) + 4, short(at), { "text-anchor": "end" }),
      );
    }
    chart.append(svgElement("line", { x1: x(low), y1: y(low), x2: x(high), y2: y(high), class: "zero" }));
    for (const point of points) {
      chart.append(svgElement("circle", {
        cx: x(point.b), cy: y(point.a), r: 1.6 + 3.4 * Math.sqrt(point.weight),
        class: point.difference < 0 ? "second" : "first", "data-tip": point.words,
      }));
    }
    const middle = (size - bottom + edge) / 2;
    chart.append(
      text((size + left) / 2, size - 6, names.b, { "text-anchor": "middle" }),
      text(12, middle, names.a, { "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }),
    );
    return withTips(chart);
  };

  document.body.append(tip);
  Object.assign(window.occstats, { bars, scatter, svgElement });
})();
