"use strict";
/* Sections fold; an address opens its section, and printing opens all. */
(() => {
  const every = [...document.querySelectorAll("details")];
  const chapters = every.filter((one) => one.classList.contains("chapter"));
  const button = document.getElementById("unfold");
  const openAll = (open) => { for (const one of chapters) one.open = open; };
  const label = () => {
    button.textContent = chapters.every((one) => one.open) ? "Close all sections" : "Open all sections";
  };
  button.addEventListener("click", () => openAll(!chapters.every((one) => one.open)));
  for (const one of chapters) one.addEventListener("toggle", label);

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
})();
