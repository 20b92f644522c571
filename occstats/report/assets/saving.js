"use strict";
/* Save figures as SVG and tables as CSV. */
(() => {
  const save = (name, type, content) => {
    const address = URL.createObjectURL(new Blob([content], { type }));
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  };

  /* Spreadsheets read a cell that begins like this as a formula, unless it is a number. */
  const guarded = (text, number) => (!number && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
  const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const plain = (text) => text.replaceAll("−", "-").trim();

  const csv = (table) => {
    const headings = window.occstats.headingsOf(table);
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
  Object.assign(window.occstats, { csv });
})();
