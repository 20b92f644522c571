"use strict";
/* Tables that sort by their headings and filter by words. */
(() => {
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  document.documentElement.classList.add("scripted");
  for (const element of document.querySelectorAll(".needs-script")) element.hidden = false;

  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

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

  /* The last row of headings has one for each column. */
  const headingsOf = (table) => [...[...table.tHead.rows].at(-1).cells];

  const makeSortable = (table) => {
    const headings = headingsOf(table);
    headings.forEach((heading, position) => {
      if (heading.querySelector(".unseen")) return;
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
    const cells = rows.map((row) => [...row.cells].map((cell) => cell.textContent.toLowerCase()));
    const texts = cells.map((row) => row.join(" "));
    const names = cells.map((row) => new Set(row.flatMap((cell) => [cell, ...cell.split(/[\s,;:/()[\]]+/)])));
    /* A word that is a whole name finds that name only: IF is not a part of EIF. */
    const finder = (word) => (names.some((row) => row.has(word))
      ? (index) => names[index].has(word) : (index) => texts[index].includes(word));
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const found = words.map(finder);
      let shown = 0;
      rows.forEach((row, index) => {
        row.hidden = !found.every((has) => has(index));
        shown += !row.hidden;
      });
      count.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
    });
  };

  /* Show where a table continues, and let its window end with a whole row. */
  const showEnds = (holder) => {
    const scroll = holder.querySelector(".scroll");
    const cue = holder.querySelector(".cue");
    const update = () => {
      const right = scroll.scrollWidth - scroll.clientWidth - scroll.scrollLeft > 1;
      const below = scroll.scrollHeight - scroll.clientHeight - scroll.scrollTop > 1;
      scroll.parentElement.classList.toggle("more-right", right);
      scroll.parentElement.classList.toggle("more-below", below);
      cue.hidden = !(right || below);
      cue.textContent = `More ${[right && "columns to the right →", below && "rows below ↓"].filter(Boolean).join(", ")}`;
    };
    const fit = () => {
      if (scroll.classList.contains("tall") && scroll.clientHeight) {
        scroll.style.maxHeight = "";
        const most = parseFloat(getComputedStyle(scroll).maxHeight);
        const top = scroll.getBoundingClientRect().top - scroll.scrollTop;
        const ends = [...holder.querySelectorAll("tbody tr")]
          .map((row) => row.getBoundingClientRect().bottom - top).filter((end) => end > 0 && end <= most);
        const bar = scroll.offsetHeight - scroll.clientHeight;
        if (ends.length) scroll.style.maxHeight = `${Math.max(...ends) + bar}px`;
      }
      update();
    };
    scroll.addEventListener("scroll", update, { passive: true });
    new ResizeObserver(fit).observe(scroll.parentElement);
  };

  for (const holder of document.querySelectorAll("[data-table]")) {
    const table = holder.querySelector("table");
    showEnds(holder);
    makeFilterable(holder, table);
    makeSortable(table);
  }

  /* A table made by a script, with the same controls as the others. */
  const held = (name, table, tall = false) => {
    makeSortable(table);
    const scroll = element("div", { className: `scroll${tall ? " tall" : ""}`, tabIndex: 0 }, table);
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-labelledby", table.caption.id);
    const save = element("button", { type: "button", className: "save" }, "CSV",
      element("span", { className: "unseen" }, ` of ${table.caption.textContent}`));
    save.dataset.save = "csv";
    const holder = element("div", { className: "table" }, element("p", { className: "tools" }, save),
      element("div", { className: "frame" }, scroll), element("p", { className: "cue", hidden: true }));
    holder.dataset.table = name;
    showEnds(holder);
    return holder;
  };

  /* Round halves, and what is one but for the last bits, away from zero. */
  const fixed = (value, digits) => {
    const size = (Math.round(Math.abs(value) * 10 ** digits + 1e-6) / 10 ** digits).toFixed(digits);
    return value < 0 && Number(size) !== 0 ? `−${size}` : size;
  };
  const signed = (value, digits) => {
    const words = fixed(value, digits);
    return value > 0 && Number(words) !== 0 ? `+${words}` : words;
  };
  window.occstats = { element, fixed, headingsOf, held, signed };
})();
