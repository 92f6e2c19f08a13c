// The filter of a page: hides what is marked data-find and doesn't hold the text.
"use strict";
const search = document.querySelector("input[type=search]");
const found = document.getElementById("found");
function filter() {
  const wanted = search.value.trim().toLowerCase();
  let shown = 0;
  const entries = document.querySelectorAll("[data-find]");
  for (const entry of entries) {
    entry.hidden = !entry.dataset.find.toLowerCase().includes(wanted);
    if (!entry.hidden) ++shown;
  }
  found.textContent = wanted ? `${shown} of ${entries.length}` : "";
  history.replaceState(null, "", wanted ? "#q=" + encodeURIComponent(wanted) : location.pathname + location.search);
}
search.value = new URLSearchParams(location.hash.slice(1)).get("q") || "";
search.addEventListener("input", filter);
document.addEventListener("keydown", event => {
  if (event.key === "Escape") { search.value = ""; filter(); search.blur(); }
  if (event.key === "/" && event.target !== search) { search.focus(); event.preventDefault(); }
});
filter();
