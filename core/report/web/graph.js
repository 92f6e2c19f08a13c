// The ops around one, in layers from its producers above to its consumers below.
const BOX = { width: 176, height: 44, gapX: 26, gapY: 58, most: 4, depth: 2 };

// Links of a report's graph, made once.
function linked(report) {
  const graph = report.graph;
  if (!graph || graph.producer) return graph;
  graph.producer = new Map();
  graph.consumers = new Map();
  graph.opsOfNode = new Map();
  graph.ops.forEach((op, index) => {
    for (const tensor of op.outputs) if (tensor >= 0) graph.producer.set(tensor, index);
    for (const tensor of op.inputs) {
      if (tensor < 0) continue;
      if (!graph.consumers.has(tensor)) graph.consumers.set(tensor, []);
      const list = graph.consumers.get(tensor);
      if (list[list.length - 1] !== index) list.push(index);
    }
    if (!graph.opsOfNode.has(op.node)) graph.opsOfNode.set(op.node, []);
    graph.opsOfNode.get(op.node).push(index);
  });
  return graph;
}

function tensorOfPort(op, port) {
  const match = /^(in|out)\[(\d+)\]$/.exec(port || '');
  if (!match) return undefined;
  return (match[1] === 'in' ? op.inputs : op.outputs)[Number(match[2])];
}

// {items, edges}: an item is an op, a static tensor or an end of the graph, with a layer.
function neighbourhood(graph, center) {
  const items = [{ key: 'o' + center, op: center, layer: 0 }];
  const known = new Map([[items[0].key, items[0]]]);
  const edges = [];
  const perLayer = new Map();
  const add = (key, item) => {
    if (known.has(key)) return known.get(key);
    const count = perLayer.get(item.layer) || 0;
    if (count >= BOX.most) return null;
    perLayer.set(item.layer, count + 1);
    known.set(key, item);
    items.push(item);
    return item;
  };
  const up = (item, depth) => {
    graph.ops[item.op].inputs.forEach((tensor, port) => {
      if (tensor < 0) return;
      const producer = graph.producer.get(tensor);
      let source;
      if (producer !== undefined) {
        source = add('o' + producer, { key: 'o' + producer, op: producer, layer: item.layer - 1 });
      } else if (depth === BOX.depth || !graph.tensors[tensor].static) {
        source = add('t' + tensor, { key: 't' + tensor, tensor, layer: item.layer - 1 });
      }
      if (!source) { item.moreUp = (item.moreUp || 0) + (producer !== undefined || depth === BOX.depth ? 1 : 0); return; }
      edges.push({ from: source, to: item, tensor, port });
      if (depth > 1 && source.op !== undefined && !source.seenUp) { source.seenUp = true; up(source, depth - 1); }
    });
  };
  const down = (item, depth) => {
    graph.ops[item.op].outputs.forEach((tensor, port) => {
      if (tensor < 0) return;
      const consumers = graph.consumers.get(tensor) || [];
      if (consumers.length === 0) {
        const end = add('e' + tensor, { key: 'e' + tensor, tensor, end: true, layer: item.layer + 1 });
        if (end) edges.push({ from: item, to: end, tensor, port });
      }
      for (const consumer of consumers) {
        const target = add('o' + consumer, { key: 'o' + consumer, op: consumer, layer: item.layer + 1 });
        if (!target) { item.moreDown = (item.moreDown || 0) + 1; continue; }
        edges.push({ from: item, to: target, tensor, port });
        if (depth > 1 && !target.seenDown && target.layer > 0) { target.seenDown = true; down(target, depth - 1); }
      }
    });
  };
  up(items[0], BOX.depth);
  down(items[0], BOX.depth);
  // A tensor that two items of one edge share is one edge only.
  const seen = new Set();
  return { items, edges: edges.filter(e => {
    const key = e.from.key + '>' + e.to.key + ':' + e.tensor;
    return !seen.has(key) && seen.add(key);
  }) };
}

function placed({ items, edges }) {
  const layers = new Map();
  for (const item of items) {
    if (!layers.has(item.layer)) layers.set(item.layer, []);
    layers.get(item.layer).push(item);
  }
  const order = [...layers.keys()].sort((a, b) => a - b);
  const step = BOX.width + BOX.gapX;
  const spread = layer => layer.forEach((item, i) => { item.x = (i - (layer.length - 1) / 2) * step; });
  layers.forEach(spread);
  // Outwards from the center: each item under or over the mean of what it is tied to.
  for (const key of [...order].sort((a, b) => Math.abs(a) - Math.abs(b)).filter(k => k !== 0)) {
    const layer = layers.get(key);
    for (const item of layer) {
      const ties = edges.filter(e => (key < 0 ? e.from : e.to) === item).map(e => (key < 0 ? e.to : e.from).x);
      item.pull = ties.length ? ties.reduce((a, b) => a + b, 0) / ties.length : 0;
    }
    layer.sort((a, b) => a.pull - b.pull);
    const mean = layer.reduce((sum, item) => sum + item.pull, 0) / layer.length;
    layer.forEach((item, i) => { item.x = mean + (i - (layer.length - 1) / 2) * step; });
  }
  const left = Math.min(...items.map(i => i.x)) - BOX.width / 2 - 12;
  const right = Math.max(...items.map(i => i.x)) + BOX.width / 2 + 12;
  const top = order[0];
  for (const item of items) {
    item.x -= left;
    item.y = 30 + (item.layer - top) * (BOX.height + BOX.gapY) + BOX.height / 2;
  }
  return { items, edges, width: right - left, height: 60 + order.length * (BOX.height + BOX.gapY) - BOX.gapY };
}

function dtypeWords(tensor) {
  const shape = tensor.dims === null ? '[?]' : '[' + tensor.dims.map(d => d < 0 ? '?' : d).join(' × ') + ']';
  // U8, S32, F16 as in tables; plain integers in small letters.
  const [, kind, bits] = /^([A-Z]+)(?:_POINT)?_(\d+)$/.exec(tensor.dtype) || [];
  const letter = { UFIXED: 'U', SFIXED: 'S', FLOAT: 'F', UINT: 'u', INT: 'i', BOOL: 'b' }[kind];
  return { type: letter ? letter + bits : tensor.dtype, shape };
}

// `hot`: tensors of the finding's port, `warm`: of its related ports.
function drawGraph(report, center, hot, warm, onPick) {
  const graph = linked(report);
  const { items, edges, width, height } = placed(neighbourhood(graph, center));
  const root = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'group',
    'aria-label': 'graph around the node' });
  const lines = svg('g', {}), tags = svg('g', {}), boxes = svg('g', {});
  root.append(lines, tags, boxes);
  const fan = new Map();
  for (const edge of edges) {
    const heat = hot.has(edge.tensor) && (edge.from.op === center || edge.to.op === center) ? 'hot'
      : warm.has(edge.tensor) && (edge.from.op === center || edge.to.op === center) ? 'warm' : '';
    const y1 = edge.from.y + BOX.height / 2, y2 = edge.to.y - BOX.height / 2 - 7;
    // Edges into one box end side by side.
    const into = edges.filter(e => e.to === edge.to), nth = into.indexOf(edge);
    const x1 = edge.from.x, x2 = edge.to.x + (nth - (into.length - 1) / 2) * Math.min(26, 130 / into.length);
    const skips = edge.to.layer - edge.from.layer !== 1;
    const bend = Math.max(24, Math.abs(y2 - y1) * 0.45);
    const path = skips && edge.to.layer <= edge.from.layer
      ? `M${x1},${y1} C${x1 + 120},${y1 + 60} ${x2 + 120},${y2 - 60} ${x2},${y2}`
      : `M${x1},${y1} C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2}`;
    lines.append(svg('path', { class: 'edge ' + heat, d: path }),
      svg('path', { class: 'tip ' + heat, d: `M${x2 - 4.5},${y2} L${x2 + 4.5},${y2} L${x2},${y2 + 7} Z` }));
    if (edge.from.op !== center && edge.to.op !== center) continue;
    const tensor = graph.tensors[edge.tensor];
    const port = edge.to.op === center ? `in[${edge.port}]` : edge.from.op === center ? `out[${edge.port}]` : '';
    const label = port + ' ' + dtypeWords(tensor).type;
    // Tags of one side are distinguished by height.
    const side = edge.to.op === center ? 'in' : 'out' + edge.tensor;
    const turn = fan.get(side) || 0;
    fan.set(side, turn + 1);
    if (side !== 'in' && turn > 0) continue;
    const w = label.length * 6.3 + 12, at = side === 'in' ? 0.42 : 0.5;
    const x = x1 + (x2 - x1) * at, y = y1 + (y2 - y1) * at + (side === 'in' ? (turn % 2 ? 10 : -8) : 0);
    tags.append(svg('g', { class: 'tag ' + heat },
      svg('rect', { x: x - w / 2, y: y - 8.5, width: w, height: 17, rx: 8.5 }),
      svg('text', { x, y: y + 3.6, 'text-anchor': 'middle' }, label)));
  }
  for (const item of items) {
    const isOp = item.op !== undefined;
    const op = isOp ? graph.ops[item.op] : null;
    const node = isOp ? report.nodes[op.node] : null;
    const tensor = isOp ? null : graph.tensors[item.tensor];
    const title = isOp ? op.op : item.end ? 'output' : tensor.static ? 'constant' : 'input';
    const sub = isOp ? node.name : tensor.name;
    const verdict = isOp ? node.verdict : 'unchecked';
    const kind = isOp ? (item.op === center ? 'center' : '') : tensor.static ? 'static' : 'end';
    const group = svg('g', {
      class: `node ${kind} v-${verdict}`, transform: `translate(${item.x - BOX.width / 2},${item.y - BOX.height / 2})`,
      tabindex: isOp && item.op !== center ? 0 : undefined, role: isOp ? 'button' : undefined,
      'aria-label': isOp ? `${op.op} ${node.name}, ${words(verdict)}` : undefined,
      onclick: isOp ? () => onPick(item.op) : undefined,
      onkeydown: isOp ? event => {
        if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); event.stopPropagation(); onPick(item.op); }
      } : undefined,
    },
      svg('title', {}, isOp ? `${node.name}\n${op.op}: ${words(verdict)}` : tensor.name),
      svg('rect', { class: 'box', width: BOX.width, height: BOX.height, rx: isOp ? 9 : 22 }),
      isOp ? svg('path', { class: 'stripe', d: `M9,0 H6 A6,6 0 0 0 0,6 V${BOX.height - 6} A6,6 0 0 0 6,${BOX.height} H9 Z` }) : '',
      svg('text', { x: isOp ? 17 : BOX.width / 2, y: 19, 'text-anchor': isOp ? 'start' : 'middle' }, short(title, 22)),
      svg('text', { class: 'sub', x: isOp ? 17 : BOX.width / 2, y: 34, 'text-anchor': isOp ? 'start' : 'middle' }, short(sub, isOp ? 24 : 25)));
    boxes.append(group);
    if (item.moreUp) boxes.append(svg('text', { class: 'more', x: item.x, y: item.y - BOX.height / 2 - 12, 'text-anchor': 'middle' }, `+${item.moreUp} more`));
    if (item.moreDown) boxes.append(svg('text', { class: 'more', x: item.x, y: item.y + BOX.height / 2 + 17, 'text-anchor': 'middle' }, `+${item.moreDown} more`));
  }
  return root;
}
