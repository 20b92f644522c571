"use strict";
/* Tables that sort by their headings and filter by words; what needs this script becomes visible. */
(() => {
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  document.documentElement.classList.add("scripted");
  for (const element of document.querySelectorAll(".needs-script")) element.hidden = false;

  const compareCells = (one, other) => {
    const [a, b] = [one.dataset.v, other.dataset.v];
    if (a !== undefined && b !== undefined) return Number(a) - Number(b);
    return collator.compare(one.textContent, other.textContent);
  };
  const isEmpty = (cell) =>
    cell.dataset.v === undefined && ["", "–"].includes(cell.textContent.trim());

  const sortBy = (table, position, descending) => {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    rows.forEach((row, order) => { row.dataset.order ??= order; });
    rows.sort((one, other) => {
      const [a, b] = [one.cells[position], other.cells[position]];
      if (isEmpty(a) || isEmpty(b)) return isEmpty(a) - isEmpty(b);
      return (descending ? -1 : 1) * compareCells(a, b) || one.dataset.order - other.dataset.order;
    });
    body.append(...rows);
  };

  const makeSortable = (table) => {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, position) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = heading.dataset.heading = heading.textContent;
      button.title = "Sort by this column";
      heading.replaceChildren(button);
      heading.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const descending = heading.getAttribute("aria-sort") === "ascending";
        for (const other of headings) other.setAttribute("aria-sort", "none");
        heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
        sortBy(table, position, descending);
      });
    });
  };

  const makeFilterable = (holder, table) => {
    const input = holder.querySelector("input[type=search]");
    if (!input) return;
    const count = holder.querySelector(".count");
    const rows = [...table.tBodies[0].rows];
    const texts = rows.map((row) =>
      [...row.cells].map((cell) => cell.textContent.toLowerCase()).join(" "));
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, index) => {
        row.hidden = !words.every((word) => texts[index].includes(word));
        shown += !row.hidden;
      });
      count.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
    });
  };

  for (const holder of document.querySelectorAll("[data-table]")) {
    const table = holder.querySelector("table");
    makeFilterable(holder, table);
    makeSortable(table);
  }
  window.occstats = { makeSortable };
})();
