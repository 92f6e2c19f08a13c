// One finding in full.
function copyButton(text) {
  return el('button', { type: 'button', onclick: event => {
    const button = event.target;
    navigator.clipboard?.writeText(text).then(() => { button.textContent = 'copied'; }, () => { button.textContent = 'not allowed here'; });
  } }, 'copy');
}

function centerOf(report, finding) {
  const graph = linked(report);
  const ops = graph && graph.opsOfNode.get(finding.nodeIndex);
  return ops ? ops[finding.opIndex >= 0 && finding.opIndex < ops.length ? finding.opIndex : 0] : undefined;
}

function pictures(report, finding, onPickNode) {
  const center = centerOf(report, finding);
  if (finding.nodeIndex < 0) return [];
  if (center === undefined) {
    return [el('h3', {}, 'Graph'), el('div', { class: 'card nograph' },
      'No op of this node is in the graph that the backend would get, so there is nothing to draw.')];
  }
  const graph = linked(report);
  const holder = el('div', { class: 'card graph' }), portsHolder = el('div', {});
  const title = el('h3', {}), portsTitle = el('h3', {});
  const show = op => {
    const home = op === center;
    const hot = new Set(home ? [tensorOfPort(graph.ops[op], finding.port)].filter(t => t !== undefined) : []);
    const warm = new Set(home ? finding.related.map(port => tensorOfPort(graph.ops[op], port)).filter(t => t !== undefined) : []);
    const node = report.nodes[graph.ops[op].node];
    holder.className = `card graph v-${home ? finding.consequence : node.verdict}`;
    holder.replaceChildren(drawGraph(report, op, hot, warm, picked => show(picked)));
    const box = holder.querySelector('svg');
    requestAnimationFrame(() => { holder.scrollLeft = (box.clientWidth - holder.clientWidth) / 2; });
    portsHolder.className = `v-${home ? finding.consequence : node.verdict}`;
    portsHolder.replaceChildren(drawPorts(report, op, hot, warm));
    title.replaceChildren('Around the node', el('small', {}, home ? 'as the backend gets it; click a neighbour to walk on' : node.name),
      ...(home ? [] : [
        report.findings.some(f => f.nodeIndex === graph.ops[op].node)
          ? el('button', { type: 'button', onclick: () => onPickNode(graph.ops[op].node) }, 'its findings') : '',
        el('button', { type: 'button', onclick: () => show(center) }, 'back to the finding')]));
    portsTitle.replaceChildren('Encodings and what they can hold', el('small', {}, graph.ops[op].op));
  };
  show(center);
  return [title, holder, portsTitle, portsHolder];
}

function detailOf(data, report, finding, onPickNode) {
  const rule = data.rules[finding.code] || { summary: '', explanation: '' };
  const node = report.nodes[finding.nodeIndex];
  const box = el('div', { class: `v-${finding.consequence}` });
  const at = finding.nodeIndex < 0 ? ['the model as a whole'] : ['node ', el('b', { class: 'name' }, finding.node),
    ` (${node && node.op !== finding.op ? node.op + ' → ' : ''}${finding.op})`,
    finding.port ? ', ' + finding.port : '', finding.tensor ? [' ', el('span', { class: 'name' }, finding.tensor)] : '',
    node && node.location ? ', ' + node.location : ''];
  box.append(
    el('div', { class: 'rule' }, el('span', { class: 'pill' }, words(finding.consequence)), el('b', { class: 'mono' }, finding.code),
      finding.slug, el('span', {}, '· ' + finding.level)),
    el('p', { class: 'message name' }, finding.message),
    el('p', { class: 'at' }, at));
  if (finding.found || finding.allowed) {
    box.append(el('div', { class: 'two' },
      el('div', { class: 'found' }, el('small', {}, 'found'), finding.found),
      el('div', { class: 'allowed' }, el('small', {}, 'allowed'), finding.allowed || '—')));
  }
  box.append(el('p', { class: 'effect' }, el('b', {}, 'Effect: '), finding.effect + '.'));
  if (finding.silenced) box.append(el('p', { class: 'soft' }, 'Does not count: ' + finding.silenced));
  if (finding.fixes.length) {
    box.append(el('h3', {}, finding.fixes.length > 1 ? 'Fixes' : 'Fix'));
    for (const fix of finding.fixes) {
      box.append(el('div', { class: 'card fix' }, el('b', {}, fix.summary), fix.safe ? el('span', { class: 'safe' }, ' keeps every value') : '',
        fix.edits.length ? el('ul', { class: 'mono' }, fix.edits.map(e => el('li', {}, e))) : ''));
    }
  }
  box.append(...pictures(report, finding, onPickNode));
  if (finding.because) box.append(el('h3', {}, 'Because'), el('p', { class: 'because' }, finding.because));
  if (rule.explanation) {
    box.append(el('h3', {}, 'The rule', el('small', {}, rule.summary)),
      el('div', { class: 'card explain' }, markdown(rule.explanation)));
  }
  const command = 'quantgate explain ' + finding.code;
  box.append(el('span', { class: 'command' }, el('code', {}, command), copyButton(command)));
  return box;
}
