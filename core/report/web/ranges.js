// What the tensors of an op can hold: one bar per tensor, or one per channel, on a common axis.
function encodingWords(tensor) {
  const e = tensor.encoding;
  if (!e) return 'no encoding';
  const parts = [e.kind];
  if (e.axis !== undefined) parts.push(`axis ${e.axis}`);
  if (e.bitwidth) parts.push(`${e.bitwidth} bits`);
  if (e.count > 1) {
    parts.push(`${e.count} scales ${number(e.scale[0])} … ${number(e.scale[1])}`);
    parts.push(e.zero[0] === e.zero[1] ? `zero point ${e.zero[0]}` : `zero points ${e.zero[0]} … ${e.zero[1]}`);
    if (e.odd) parts.push(`${e.odd} not symmetric`);
  } else if (e.count === 1) {
    parts.push(`scale ${number(e.scale[0])}`, `zero point ${e.zero[0]}`);
  }
  return parts.join(', ');
}

const extent = tensor => {
  const e = tensor.encoding;
  return e && e.low && e.low.length && e.low.every(Number.isFinite) && e.high.every(Number.isFinite)
    ? [Math.min(...e.low), Math.max(...e.high)] : null;
};

function rangePicture(tensor, axis) {
  const W = 600, e = tensor.encoding;
  const [low, high] = extent(tensor);
  const x = value => 60 + (value - axis[0]) / (axis[1] - axis[0] || 1) * (W - 120);
  const root = svg('svg', { viewBox: `0 0 ${W} 46`, preserveAspectRatio: 'xMidYMid meet', role: 'img',
    'aria-label': `from ${number(low)} to ${number(high)}` });
  root.append(svg('line', { class: 'axis', x1: x(axis[0]), x2: x(axis[1]), y1: 23, y2: 23 }));
  const n = e.low.length;
  const height = n === 1 ? 16 : Math.max(1, 36 / n - (n > 18 ? 0 : 0.6));
  for (let i = 0; i < n; ++i) {
    const y = n === 1 ? 15 : 5 + i * (36 / n);
    root.append(svg('rect', { class: e.oddAt && e.oddAt.includes(i) ? 'odd' : 'range', x: x(e.low[i]), y,
      width: Math.max(1.5, x(e.high[i]) - x(e.low[i])), height, rx: n === 1 ? 4 : 0 }));
  }
  if (axis[0] <= 0 && axis[1] >= 0) root.append(svg('line', { class: 'zero', x1: x(0), x2: x(0), y1: 1, y2: 45 }));
  root.append(svg('text', { x: x(low) - 6, y: 27, 'text-anchor': 'end' }, number(low)),
    svg('text', { x: x(high) + 6, y: 27 }, number(high)));
  return root;
}

function drawPorts(report, opIndex, hot, warm) {
  const graph = linked(report), op = graph.ops[opIndex];
  const ports = [...op.inputs.map((tensor, i) => ({ port: `in[${i}]`, tensor })),
    ...op.outputs.map((tensor, i) => ({ port: `out[${i}]`, tensor }))].filter(p => p.tensor >= 0);
  const most = 24;
  const ranges = ports.map(p => extent(graph.tensors[p.tensor])).filter(Boolean);
  // Around zero, so that symmetric looks symmetric.
  const reach = Math.max(...ranges.map(([low, high]) => Math.max(Math.abs(low), Math.abs(high))), 0);
  const rows = ports.slice(0, most).map(({ port, tensor: id }) => {
    const tensor = graph.tensors[id], { shape } = dtypeWords(tensor), range = extent(tensor);
    // A weight of 0.1 beside an activation of 100 would be a hair: it gets an axis of its own.
    const own = range && Math.max(Math.abs(range[0]), Math.abs(range[1])) < reach / 12;
    const width = range ? (own ? Math.max(Math.abs(range[0]), Math.abs(range[1])) : reach) : 0;
    const axis = range && range[0] >= 0 && ranges.every(r => r[0] >= 0) ? [0, width] : [-width, width];
    return el('div', { class: 'port ' + (hot.has(id) ? 'hot' : warm.has(id) ? 'warm' : '') },
      el('div', { class: 'who' }, el('b', { class: 'mono' }, port), ' ', tensor.dtype,
        el('span', { class: 'name', title: tensor.name }, tensor.name),
        el('small', {}, shape + (tensor.static ? ' constant' : ''))),
      range ? rangePicture(tensor, axis) : el('div', { class: 'soft' }, tensor.dtype.startsWith('FLOAT') ? 'floating point: no encoding' : ''),
      el('div', { class: 'words' }, tensor.encoding ? encodingWords(tensor) + (own ? ' · drawn larger than the others' : '') : ''));
  });
  if (ports.length > most) rows.push(el('p', { class: 'soft' }, `and ${ports.length - most} more ports`));
  return el('div', { class: 'card ports' }, rows);
}
