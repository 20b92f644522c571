"use strict";
/* Controls of the page: tables sort, filter and save as CSV, figures save as SVG, sections fold. */
(() => {
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  document.documentElement.classList.add("scripted");
  for (const element of document.querySelectorAll(".needs-script")) element.hidden = false;

  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  /* Long names break after underscores. */
  const breakable = (text) => text.split(/(?<=_)/).flatMap((part) => [document.createElement("wbr"), part]).slice(1);

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
      heading.dataset.heading = heading.textContent;
      const button = element("button", { type: "button", title: "Sort by this column" }, ...heading.childNodes);
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

  /* Show that a table continues, and end its window with a whole row. */
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

  /* A table made by a script, with the same controls as the others. A row is its name, then texts, or
     numbers as [shown, value]. */
  const makeTable = (name, title, explanation, headings, rows, tall = false) => {
    const classes = (text, number) => `${number ? "n" : ""}${text.length > 30 ? " long" : ""}`;
    const cell = (content, place) => {
      if (!place) return element("th", { scope: "row", className: classes(content) }, ...breakable(content));
      if (!Array.isArray(content)) return element("td", {}, content);
      const made = element("td", { className: "n" }, content[0]);
      if (!Number.isNaN(content[1])) made.dataset.v = content[1];
      return made;
    };
    const caption = element("caption", { id: `table-${name}` }, element("span", {}, element("b", {}, title), ` ${explanation}`));
    const head = headings.map((text, place) =>
      element("th", { scope: "col", className: classes(text, Array.isArray(rows[0]?.[place])) }, ...breakable(text)));
    const table = element("table", {}, caption, element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(cell)))));
    makeSortable(table);
    const scroll = element("div", { className: `scroll${tall ? " tall" : ""}`, tabIndex: 0 }, table);
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-labelledby", caption.id);
    const button = element("button", { type: "button", className: "save" }, "CSV",
      element("span", { className: "unseen" }, ` of ${caption.textContent}`));
    button.dataset.save = "csv";
    const holder = element("div", { className: "table" }, element("p", { className: "tools" }, button),
      element("div", { className: "frame" }, scroll), element("p", { className: "cue", hidden: true }));
    holder.dataset.table = name;
    showEnds(holder);
    return holder;
  };

  /* Round halves, up to floating-point error, away from zero. */
  const fixed = (value, digits) => {
    const size = (Math.round(Math.abs(value) * 10 ** digits + 1e-6) / 10 ** digits).toFixed(digits);
    return value < 0 && Number(size) !== 0 ? `−${size}` : size;
  };
  const signed = (value, digits) => {
    const words = fixed(value, digits);
    return value > 0 && Number(words) !== 0 ? `+${words}` : words;
  };

  /* Save tables and figures. */
  const save = (name, type, content) => {
    const address = URL.createObjectURL(new Blob([content], { type }));
    element("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  };

  /* Spreadsheets read a cell that begins like this as a formula, unless it is a number. */
  const guarded = (text, number) => (!number && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
  const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const plain = (text) => text.replaceAll("−", "-").trim();

  const csv = (table) => {
    const headings = headingsOf(table);
    const lines = [headings.map((cell) => quoted(guarded(cell.textContent.trim(), false)))];
    for (const row of table.tBodies[0].rows) {
      lines.push([...row.cells].map((cell, position) => {
        const exact = "exact" in headings[position].dataset ? cell.dataset.v : undefined;
        return quoted(exact ?? guarded(plain(cell.textContent), cell.classList.contains("n")));
      }));
    }
    return `${lines.map((line) => line.join(",")).join("\n")}\n`;
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-save]");
    if (!button) return;
    if (button.dataset.save === "csv") {
      const holder = button.closest("[data-table]");
      save(`${holder.dataset.table}.csv`, "text/csv", csv(holder.querySelector("table")));
    } else {
      const figure = button.closest("figure");
      const drawing = new XMLSerializer().serializeToString(figure.querySelector("svg"));
      save(`${figure.id.replace("figure-", "")}.svg`, "image/svg+xml", drawing);
    }
  });

  /* An address opens its section, and printing opens all. */
  const every = [...document.querySelectorAll("details")];
  const chapters = every.filter((one) => one.classList.contains("chapter"));
  const button = document.getElementById("unfold");
  const openAll = (open) => { for (const one of chapters) one.open = open; };
  const label = () => {
    button.textContent = chapters.every((one) => one.open) ? "Close all sections" : "Open all sections";
  };
  button.addEventListener("click", () => openAll(!chapters.every((one) => one.open)));
  for (const one of chapters) one.addEventListener("toggle", label);

  /* On a narrow screen the contents are a menu, which closes when an entry is chosen. */
  const menu = document.querySelector(".menu");
  const narrow = matchMedia("(max-width: 60rem)");
  const fold = () => { menu.open = !narrow.matches; };
  narrow.addEventListener("change", fold);
  menu.addEventListener("click", ({ target }) => { if (target.closest("a")) fold(); });
  fold();

  const openTarget = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let one = target.closest("details") ?? target.querySelector(":scope > details"); one;
      one = one.parentElement.closest("details")) one.open = true;
    target.scrollIntoView();
  };
  window.addEventListener("hashchange", openTarget);
  openTarget();

  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = every.filter((one) => !one.open);
    for (const one of folded) one.open = true;
  });
  window.addEventListener("afterprint", () => { for (const one of folded) one.open = false; });
  label();

  window.occstats = { csv, element, fixed, makeTable, signed };
})();
