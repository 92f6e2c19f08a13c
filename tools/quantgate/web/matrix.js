// Draws the matrix out of its JSON. The part after # keeps the filter: #q=conv&p=16a8w
"use strict";
const data = JSON.parse(document.getElementById("matrix").textContent);
const app = document.getElementById("app");
const state = {q: "", p: -1};
const make = (tag, className, text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};
const index = new Map(data.precisions.map((p, i) => [p.id, i]));
const color = i => `var(--p${i})`;
const labelOf = (row, i) => (!row.weighted && data.precisions[i].unweighted) || data.precisions[i].id;
const kindOf = supported => supported.verdict !== "accepted" ? "undocumented" : supported.measured ? "measured" : "documented";
const KIND = {measured: "measured", documented: "documented, not measured", undocumented: "undocumented"};
for (const row of data.rows) {
  for (const cell of row.cells) {
    if (cell) cell.by = new Map(cell.supported.map(t => [index.get(t.precision), t]));
  }
}
const takes = (row, p) => row.cells.some(cell => cell && cell.by.has(p));
const NAMES = {arch: "architecture", sdk: "SDK version", backend: "backend", soc: "chip"};

// Head, legend, key.
const top_ = make("div", "top");
const title = make("div", "title");
title.append(make("h1", "", `What each ${NAMES[data.by]} takes`));
const count = make("output", "soft");
count.id = "count";
const line = make("p", "soft", `${app.dataset.shared} · `);
line.append(count);
title.append(line);
const search = make("input");
search.type = "search";
search.placeholder = data.by === "soc" ? "Filter ops or chips…" : "Filter ops…";
search.setAttribute("aria-label", search.placeholder);
const tools = make("div", "tools");
tools.append(search);
top_.append(title, tools);
const legend = make("div", "legend");
const buttons = [];
data.precisions.forEach((precision, i) => {
  const used = data.rows.filter(row => takes(row, i)).length;
  const button = make("button");
  button.type = "button";
  button.style.setProperty("--c", color(i));
  button.title = precision.title;
  button.dataset.precision = precision.id;
  button.append(make("i"), precision.id, make("small", "", String(used)));
  button.onclick = () => { state.p = state.p === i ? -1 : i; changed(); };
  buttons[i] = button;
  if (used) legend.append(button);
});
const key = make("div", "key");
for (const kind of Object.keys(KIND)) {
  const item = make("span");
  item.append(make("b", kind), KIND[kind]);
  key.append(item);
}
key.append(make("span", "", "name = the best precision · ticks = all of them, in the order above"));
const keys = make("span", "keys");
keys.append(make("kbd", "", "/"), "filter ", make("kbd", "", "1"), "…", make("kbd", "", "9"), "precision ", make("kbd", "", "←↑↓→"),
            "move ", make("kbd", "", "Esc"), "all");
key.append(keys);
const scroll = make("div", "scroll");
const blocks = make("div", "blocks");
scroll.append(blocks);
const card = make("div");
card.id = "card";
card.setAttribute("role", "tooltip");
app.append(top_, legend, key, scroll);
if (data.by === "soc") app.append(chipList());
if (data.notes.length) {
  const notes = make("ul", "notes");
  for (const note of data.notes) notes.append(make("li", "", note));
  app.append(notes);
}
app.append(card);

function chipList() {
  const list = make("dl", "chips");
  const add = (name, socs) => {
    const names = make("dd");
    socs.forEach((soc, i) => {
      const chip = make("span", "chip", soc.name);
      chip.dataset.find = [soc.name, ...soc.otherNames, soc.id].join(" ").toLowerCase();
      names.append(i ? ", " : "", chip);
    });
    list.append(make("dt", "", name), names);
  };
  for (const column of data.columns) add(column.name, column.socs);
  if (data.unsupportedSocs.length) add("not supported", data.unsupportedSocs);
  return list;
}

function cellNode(row, cell, r, c) {
  const node = make("div", "cell");
  node.dataset.r = r;
  node.dataset.c = c;
  node.tabIndex = -1;
  const where = `${row.op} on ${data.columns[c].name}`;
  const best = make("div", "best");
  node.append(best);
  if (!cell) {
    node.classList.add("absent");
    node.setAttribute("aria-label", `${where}: no such op`);
    return node;
  }
  const shown = state.p >= 0 ? cell.by.get(state.p) : cell.supported[0];
  if (shown) {
    const p = index.get(shown.precision);
    const kind = kindOf(shown);
    node.classList.add(kind);
    best.style.setProperty("--c", color(p));
    best.textContent = labelOf(row, p);
    node.setAttribute("aria-label", `${where}: ${labelOf(row, p)}, ${KIND[kind]}`);
  } else {
    node.classList.add("none");
    if (state.p >= 0) node.classList.add("dim");
    best.textContent = state.p >= 0 ? "–" : "other";
    node.setAttribute("aria-label", `${where}: ${state.p >= 0 ? "no" : "dtypes of its own"}`);
  }
  const slots = make("div", "slots");
  data.precisions.forEach((precision, i) => {
    const slot = make("i");
    const supported = cell.by.get(i);
    if (supported) {
      slot.className = kindOf(supported) === "undocumented" ? "half" : "on";
      slot.style.setProperty("--c", color(i));
    } else if (precision.needsWeight && !row.weighted) {
      slot.className = "moot";
    }
    slots.append(slot);
  });
  node.append(slots);
  return node;
}

function headOf(rows) {
  const head = make("thead");
  const line = make("tr");
  line.append(make("th", "op", "op"));
  data.columns.forEach((column, c) => {
    const th = make("th", "", column.name);
    th.scope = "col";
    if (column.socs) th.title = column.socs.map(s => s.name).join(", ");
    const share = make("div", "share");
    const counts = new Map();
    for (const row of data.rows) {
      const best = row.cells[c] && row.cells[c].supported[0];
      if (best) counts.set(index.get(best.precision), (counts.get(index.get(best.precision)) || 0) + 1);
    }
    [...counts].sort((a, b) => a[0] - b[0]).forEach(([p, n]) => {
      const part = make("i");
      part.style.setProperty("--c", color(p));
      part.style.flexGrow = n;
      part.title = `${data.precisions[p].id}: best of ${n} ops`;
      share.append(part);
    });
    th.append(share);
    line.append(th);
  });
  head.append(line);
  return head;
}

let visible = [];
let blockCount = 0;
function wanted() {
  const width = 184 + data.columns.length * 48 + 22;
  const fits = Math.floor((document.documentElement.clientWidth - 44 + 22) / width);
  return Math.max(1, Math.min(fits, 4, Math.ceil(visible.length / 8)));
}

function draw() {
  const q = state.q.toLowerCase();
  // By soc the filter finds chips too; the ops then stay.
  let chips = 0;
  for (const chip of document.querySelectorAll(".chip")) {
    const hit = q !== "" && chip.dataset.find.includes(q);
    chip.classList.toggle("hit", hit);
    if (hit) ++chips;
  }
  visible = data.rows.filter(row => (!q || chips || row.op.toLowerCase().includes(q)) && (state.p < 0 || takes(row, state.p)));
  blockCount = wanted();
  blocks.replaceChildren();
  const size = Math.ceil(visible.length / blockCount);
  let cells = 0;
  for (let b = 0; b < blockCount && visible.length; ++b) {
    const table = make("table");
    table.append(headOf());
    const body = make("tbody");
    visible.slice(b * size, (b + 1) * size).forEach((row, i) => {
      const tr = make("tr");
      const th = make("th", "", row.op);
      th.scope = "row";
      th.title = row.op;
      tr.append(th);
      row.cells.forEach((cell, c) => {
        const td = make("td");
        td.append(cellNode(row, cell, b * size + i, c));
        tr.append(td);
        ++cells;
      });
      body.append(tr);
    });
    table.append(body);
    blocks.append(table);
  }
  if (!visible.length) blocks.append(make("p", "empty", "No op fits this filter."));
  const first = blocks.querySelector(".cell");
  if (first) first.tabIndex = 0;
  count.textContent = visible.length === data.rows.length ? `${visible.length} ops × ${data.columns.length}`
                                                          : `${visible.length} of ${data.rows.length} ops`;
  count.dataset.ops = visible.length;
  count.dataset.cells = cells;
  buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === state.p)));
  card.classList.remove("on");
}

function show(node) {
  const row = visible[node.dataset.r], column = data.columns[node.dataset.c], cell = row.cells[node.dataset.c];
  const title = make("h3", "", `${row.op} `);
  const t = column.target;
  title.append(make("span", "", [t.backend, `SDK ${t.sdk}`, t.arch].filter(Boolean).join(" · ")));
  card.replaceChildren(title);
  if (!cell) {
    card.append(make("p", "", "This target has no such op."));
  } else if (!cell.supported.length) {
    card.append(make("p", "", "It has dtypes of its own: none of the precisions above."));
  } else {
    const table = make("table");
    for (const supported of cell.supported) {
      const p = index.get(supported.precision);
      const tr = make("tr");
      const name = make("td");
      const dot = make("i");
      dot.style.setProperty("--c", color(p));
      name.append(dot, labelOf(row, p));
      const ids = supported.rows.map(id => id.slice(id.indexOf("#") + 1));
      const rows = make("td", "mono", ids.slice(0, 4).join(" ") + (ids.length > 4 ? ` +${ids.length - 4}` : ""));
      tr.append(name, make("td", "", KIND[kindOf(supported)]), rows);
      table.append(tr);
    }
    card.append(table);
  }
  const flags = [`--backend ${t.backend}`, t.arch ? `--arch ${t.arch}` : "", `--sdk ${t.sdk}`];
  if (cell) card.append(make("p", "mono", `quantgate query ${row.op} ${flags.filter(Boolean).join(" ")}`));
  card.classList.add("on");
  const box = node.getBoundingClientRect(), own = card.getBoundingClientRect();
  const left = Math.min(Math.max(8, box.left + box.width / 2 - own.width / 2), document.documentElement.clientWidth - own.width - 8);
  const below = box.bottom + 8 + own.height < window.innerHeight;
  card.style.left = `${Math.max(8, left)}px`;
  card.style.top = `${below ? box.bottom + 8 : Math.max(8, box.top - own.height - 8)}px`;
}

const at = (r, c) => blocks.querySelector(`.cell[data-r="${r}"][data-c="${c}"]`);
blocks.addEventListener("mouseover", event => {
  const cell = event.target.closest(".cell");
  if (cell) show(cell); else card.classList.remove("on");
});
blocks.addEventListener("mouseleave", () => card.classList.remove("on"));
blocks.addEventListener("focusin", event => { if (event.target.classList.contains("cell")) show(event.target); });
blocks.addEventListener("focusout", () => card.classList.remove("on"));
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") { state.q = ""; state.p = -1; search.value = ""; search.blur(); changed(); return; }
  if (event.target === search) { if (event.key === "Enter" || event.key === "ArrowDown") { at(0, 0)?.focus(); event.preventDefault(); } return; }
  if (event.key === "/") { search.focus(); event.preventDefault(); return; }
  if (/^[1-9]$/.test(event.key) && buttons[event.key - 1]?.isConnected) { buttons[event.key - 1].click(); return; }
  const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
  const from = document.activeElement.closest?.(".cell");
  if (!step || !from) return;
  const next = at(Number(from.dataset.r) + step[0], Number(from.dataset.c) + step[1]);
  if (next) { from.tabIndex = -1; next.tabIndex = 0; next.focus(); }
  event.preventDefault();
});
search.addEventListener("input", () => { state.q = search.value.trim(); changed(); });

function changed() {
  const parts = new URLSearchParams();
  if (state.q) parts.set("q", state.q);
  if (state.p >= 0) parts.set("p", data.precisions[state.p].id);
  history.replaceState(null, "", parts.size ? `#${parts}` : location.pathname + location.search);
  draw();
}
function restore() {
  const parts = new URLSearchParams(location.hash.slice(1));
  state.q = parts.get("q") || "";
  state.p = index.get(parts.get("p")) ?? -1;
  search.value = state.q;
  draw();
}
addEventListener("hashchange", restore);
addEventListener("resize", () => { if (wanted() !== blockCount) draw(); });
restore();
