const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);
const state = { report: null, verdicts: new Set(), rule: '', text: '' };
const RANK = Object.fromEntries(VERDICTS.map((v, i) => [v, i]));
const LEVELS = { error: 0, warning: 1, note: 2 };

function prepare(report) {
  if (report.sorted) return;
  for (const finding of report.findings) {
    finding.node = finding.nodeIndex >= 0 ? report.nodes[finding.nodeIndex].name : '';
    finding.slug = data.rules[finding.code]?.slug || '';
    finding.haystack = [finding.code, finding.slug, finding.node, finding.op, finding.port, finding.tensor, finding.message]
      .join('\n').toLowerCase();
  }
  report.sorted = report.findings.map((f, i) => [f, i]).sort(([a, i], [b, j]) =>
    (a.silenced ? 1 : 0) - (b.silenced ? 1 : 0) || LEVELS[a.level] - LEVELS[b.level] ||
    RANK[a.consequence] - RANK[b.consequence] || i - j).map(([f]) => f);
}

function statement(report) {
  const total = report.nodes.length, counts = report.counts;
  const severe = ['rejected', 'prepare_fails', 'wrong_values'].filter(v => counts[v]);
  const rest = ['altered', 'undocumented', 'advice', 'unchecked'].filter(v => counts[v]);
  const nodes = `${total} node${total === 1 ? '' : 's'}`;
  if (total === 0) return ['The model has no nodes.'];
  const shown = severe.length ? severe : rest;
  if (!shown.length) return [el('em', { class: 'v-accepted' }, 'It fits: '), total === 1 ? 'the node is accepted.' : `all ${nodes} are accepted.`];
  const parts = shown.map((verdict, i) => [i ? (i === shown.length - 1 ? ' and ' : ', ') : '',
    el('em', { class: 'v-' + verdict }, `${counts[verdict]}${i ? '' : ` of ${nodes}`} ${PHRASES[verdict][counts[verdict] === 1 ? 0 : 1]}`)]);
  return [severe.length ? '' : [el('em', { class: 'v-accepted' }, 'It fits'), ', but '], parts, '.'];
}

function drawRibbon(report) {
  const canvas = $('ribbon'), ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth * ratio, height = canvas.clientHeight * ratio;
  if (!width) return;
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  const probe = el('i', { style: 'display:none' });
  document.body.append(probe);
  const color = Object.fromEntries(VERDICTS.map(v => {
    probe.style.color = `var(--${v})`;
    return [v, getComputedStyle(probe).color];
  }));
  probe.remove();
  const n = report.nodes.length, columns = Math.min(n, Math.floor(width / 2));
  // With more nodes than columns a column shows its worst node.
  for (let c = 0; c < columns; ++c) {
    const begin = Math.floor(c * n / columns), end = Math.max(begin + 1, Math.floor((c + 1) * n / columns));
    let worst = 'accepted';
    for (let i = begin; i < end; ++i) {
      const verdict = report.nodes[i].verdict;
      if (worst === 'accepted' || (verdict !== 'accepted' && RANK[verdict] < RANK[worst])) worst = verdict;
    }
    const x = Math.floor(c * width / columns), next = Math.floor((c + 1) * width / columns);
    const quiet = worst === 'accepted' || worst === 'unchecked';
    context.globalAlpha = quiet ? 0.42 : 1;
    context.fillStyle = color[worst];
    const gap = next - x > 5 ? ratio : 0;
    context.fillRect(x, quiet ? height * 0.24 : 0, next - x - gap, quiet ? height * 0.52 : height);
  }
}

function drawHead(report) {
  const t = report.target;
  document.title = `${report.model} · quantgate`;
  $('model').replaceChildren(el('span', { class: 'name' }, report.model), el('small', {},
    [t.backend, 'SDK ' + t.sdk, t.arch, t.soc, t.route && 'route ' + t.route, t.mode === 'warn' && 'mode warn'].filter(Boolean).join(' · '),
    ` — basis: ${report.basis}`));
  $('statement').replaceChildren(...statement(report).flat(9));
  $('shares').replaceChildren(...VERDICTS.filter(v => report.counts[v]).map(v => {
    const found = report.findings.some(f => f.consequence === v);
    return el('button', { class: 'share v-' + v, type: 'button', 'data-verdict': v, disabled: !found,
      'aria-pressed': state.verdicts.has(v) ? 'true' : 'false', onclick: () => toggleVerdict(v) },
      el('i'), el('b', {}, report.counts[v]), el('span', {}, words(v)));
  }));
  $('notes').replaceChildren(...report.notes.map(note => el('p', {}, note)),
    ...(report.hidden ? [el('p', {}, `${report.hidden} findings of rules not selected are left out`)] : []));
  $('first').textContent = report.nodes.length ? report.nodes[0].name : '';
  $('last').textContent = report.nodes.length > 1 ? report.nodes[report.nodes.length - 1].name : '';
  drawRibbon(report);
}

function drawRuns() {
  if (data.reports.length < 2) return;
  $('runs').hidden = false;
  const used = VERDICTS.filter(v => data.reports.some(r => r.counts?.[v]));
  const most = Object.fromEntries(used.map(v => [v, Math.max(...data.reports.map(r => r.counts?.[v] || 0))]));
  $('runs').replaceChildren(el('table', {}, el('thead', {}, el('tr', {}, el('th', {}, 'model'), el('th', {}, 'target'),
    used.map(v => el('th', { class: 'n' }, words(v))))),
  el('tbody', {}, data.reports.map(report => report.error
    ? el('tr', {}, el('td', { class: 'name' }, report.model), el('td', { colspan: used.length + 1, class: 'soft' }, 'unreadable: ' + report.error))
    : el('tr', { tabindex: 0, 'aria-selected': report === state.report ? 'true' : 'false', onclick: () => open(report),
      onkeydown: event => { if (event.key === 'Enter') open(report); } },
    el('td', { class: 'name' }, report.model), el('td', { class: 'soft' }, [report.target.soc, report.target.arch, 'SDK ' + report.target.sdk].filter(Boolean).join(' · ')),
    used.map(v => {
      const count = report.counts[v];
      // Few of something bad must show: the square root lifts small shares.
      return el('td', count ? { class: 'n v-' + v, style: `--p:${Math.round(18 + 67 * Math.sqrt(count / most[v]))}%` } : { class: 'n zero' }, count || '·');
    }))))));
}

function drawRules(report) {
  const counts = new Map();
  for (const finding of report.findings) counts.set(finding.code, (counts.get(finding.code) || 0) + 1);
  $('rules').replaceChildren(el('option', { value: '' }, 'all rules'), ...[...counts].sort().map(([code, count]) =>
    el('option', { value: code }, `${code} ${data.rules[code]?.slug || ''} (${count})`)));
  $('rules').value = state.rule;
}

function applyFilters(keep) {
  const needles = state.text.toLowerCase().split(/\s+/).filter(Boolean);
  const items = state.report.sorted.filter(finding =>
    (state.verdicts.size === 0 || state.verdicts.has(finding.consequence)) && (!state.rule || finding.code === state.rule) &&
    needles.every(needle => finding.haystack.includes(needle)));
  const total = state.report.findings.length;
  $('count').textContent = items.length === total ? `${total} finding${total === 1 ? '' : 's'}` : `${items.length} of ${total} findings`;
  $('clear').hidden = items.length === total;
  $('empty').hidden = items.length > 0;
  $('empty').replaceChildren(...(total === 0 ? [el('b', {}, 'Nothing found'), 'Every node that could be checked is accepted.']
    : [el('b', {}, 'No finding fits'), 'Esc clears the filters.']));
  list.show(items, keep);
}

function toggleVerdict(verdict) {
  if (!state.report.findings.some(f => f.consequence === verdict)) return;
  if (!state.verdicts.delete(verdict)) state.verdicts.add(verdict);
  for (const button of $('shares').children) button.setAttribute('aria-pressed', state.verdicts.has(button.dataset.verdict) ? 'true' : 'false');
  applyFilters();
}

function clearFilters() {
  state.verdicts.clear();
  state.rule = state.text = '';
  $('search').value = $('rules').value = '';
  for (const button of $('shares').children) button.setAttribute('aria-pressed', 'false');
  applyFilters(list.items[list.selected]);
}

function pickNode(index) {
  const finding = state.report.sorted.find(f => f.nodeIndex === index);
  if (!finding) return false;
  if (!list.items.includes(finding)) clearFilters();
  list.select(list.items.indexOf(finding));
  return true;
}

function select(finding) {
  $('detail').replaceChildren(...(finding ? [detailOf(data, state.report, finding, pickNode)] : []));
  $('detail').scrollTop = 0;
  if (finding) {
    const reportIndex = data.reports.indexOf(state.report), at = state.report.findings.indexOf(finding);
    try { history.replaceState(null, '', `#r=${reportIndex}&f=${at}`); } catch { /* a page without an address */ }
  }
}

function open(report, keep) {
  prepare(report);
  state.report = report;
  state.verdicts.clear();
  state.rule = state.text = '';
  $('search').value = '';
  drawHead(report);
  drawRuns();
  drawRules(report);
  applyFilters(keep);
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  if (state.report) drawRibbon(state.report);
}

const list = new FindingList($('list'), select);
$('search').addEventListener('input', () => { state.text = $('search').value; applyFilters(list.items[list.selected]); });
$('rules').addEventListener('change', () => { state.rule = $('rules').value; applyFilters(list.items[list.selected]); });
$('clear').addEventListener('click', clearFilters);
$('theme').addEventListener('click', () => {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  setTheme(dark ? 'light' : 'dark');
});
$('help').addEventListener('click', () => $('keys').showModal());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawRibbon(state.report));
new ResizeObserver(() => state.report && drawRibbon(state.report)).observe($('ribbon'));

const nodeAt = event => {
  const box = $('ribbon').getBoundingClientRect();
  return Math.min(state.report.nodes.length - 1, Math.max(0, Math.floor((event.clientX - box.left) / box.width * state.report.nodes.length)));
};
$('ribbon').addEventListener('pointermove', event => {
  const node = state.report.nodes[nodeAt(event)];
  if (!node) return;
  $('hover').hidden = false;
  $('hover').style.left = `${Math.min(85, Math.max(15, (event.offsetX / $('ribbon').clientWidth) * 100))}%`;
  $('hover').textContent = `${node.name} (${node.op}): ${words(node.verdict)}`;
});
$('ribbon').addEventListener('pointerleave', () => { $('hover').hidden = true; });
$('ribbon').addEventListener('click', event => {
  // The nearest node with findings: a cell can be a pixel wide.
  const at = nodeAt(event);
  const near = state.report.findings.filter(f => f.nodeIndex >= 0).map(f => f.nodeIndex)
    .reduce((best, i) => best < 0 || Math.abs(i - at) < Math.abs(best - at) ? i : best, -1);
  if (near >= 0) pickNode(near);
});

document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || $('keys').open) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === 'Escape') { clearFilters(); $('list').focus(); return; }
  if (typing && !(event.target === $('search') && /^(ArrowDown|ArrowUp|Enter)$/.test(event.key))) return;
  const inDetail = $('detail').contains(event.target);
  const actions = {
    j: () => list.move(1), k: () => list.move(-1),
    ArrowDown: inDetail ? null : () => list.move(1), ArrowUp: inDetail ? null : () => list.move(-1),
    PageDown: inDetail ? null : () => list.move(list.page()), PageUp: inDetail ? null : () => list.move(-list.page()),
    Home: inDetail ? null : () => list.select(0), End: inDetail ? null : () => list.select(list.items.length - 1),
    '/': () => $('search').focus(), t: () => $('theme').click(), '?': () => $('keys').showModal(),
    n: () => { const i = data.reports.indexOf(state.report); const next = data.reports.slice(i + 1).concat(data.reports).find(r => !r.error); open(next); },
    Enter: event.target === $('search') || event.target === $('list') ? () => $('detail').focus() : null,
  };
  const digit = Number(event.key);
  if (digit >= 1 && digit <= 8) toggleVerdict(VERDICTS[digit - 1]);
  else if (actions[event.key]) actions[event.key]();
  else return;
  event.preventDefault();
});

const wanted = new URLSearchParams(location.hash.slice(1));
if (wanted.get('theme')) setTheme(wanted.get('theme'));
const opened = data.reports[Number(wanted.get('r') || 0)];
const first = opened && !opened.error ? opened : data.reports.find(report => !report.error);
if (first) open(first, first.findings[Number(wanted.get('f') || -1)]);
else { $('statement').textContent = 'No model could be read.'; drawRuns(); $('runs').hidden = false; }
$('list').focus({ preventScroll: true });
