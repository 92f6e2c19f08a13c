// What is shown of a run.
const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

const text = bytes => new TextDecoder().decode(bytes);

const saved = (name, parts, type) => {
  const link = element('a', { download: name, href: URL.createObjectURL(new Blob(parts, { type })) }, `Save ${name}`);
  return link;
};

const stem = name => name.replace(/\.[^.]*$/, '');

const FIT = { fits: 'fits', falls_back: 'falls back', fails: 'fails', unknown: 'unknown' };

// A page of the program, of this kind: "report", "plan".
function showPage(box, { html, json }, model, kind) {
  const title = `${kind[0].toUpperCase()}${kind.slice(1)} of ${model}`;
  const frame = element('iframe', { title, sandbox: 'allow-scripts', srcdoc: text(html) });
  const files = element('div', { className: 'files plain' }, saved(`${stem(model)}.${kind}.html`, [html], 'text/html'),
    saved(`${stem(model)}.${kind}.json`, [json], 'application/json'));
  box.replaceChildren(frame, files);
}

const leftOut = name => element('p', { className: 'plain soft' }, `${name} is left out here: this view looks at the file of the model alone.`);

function showText(box, words) {
  box.replaceChildren(element('div', { className: 'plain' }, element('pre', { tabIndex: 0 }, words)));
}

function showChips(box, json) {
  const survey = JSON.parse(text(json));
  const head = ['arch', 'fit', 'rejected', 'on the CPU', 'partitions', 'chips'];
  const rows = survey.archs.map(fit => {
    const name = [fit.arch || 'other', ...(fit.lacks || []).map(feature => `no ${feature}`)].join(' ');
    const cells = [name, FIT[fit.fit] || fit.fit, fit.summary.rejected, fit.cpuNodes, fit.partitions,
      fit.socs.join(', ') + (fit.reason ? ` (${fit.reason})` : '')];
    const row = element('tr', {}, ...cells.map((cell, i) => element(i ? 'td' : 'th', i ? {} : { scope: 'row' }, String(cell))));
    row.children[1].className = `fit-${fit.fit}`;
    return row;
  });
  const table = element('table', {},
    element('caption', { className: 'soft' }, `${survey.archs[0]?.summary.nodes} nodes, ${survey.target.backend} ${survey.target.sdk}`),
    element('thead', {}, element('tr', {}, ...head.map(name => element('th', { scope: 'col' }, name)))),
    element('tbody', {}, ...rows));
  box.replaceChildren(element('div', { className: 'plain' }, element('div', { className: 'wide', tabIndex: 0 }, table),
    element('div', { className: 'files' }, saved('all_chips.json', [json], 'application/json'))));
}

// Of a long file the program saw an outline, in which weights are said to lie in the file itself: they are put
// in again from there, without being read. Fields on the way to a TensorProto of onnx.proto, as in outline.cc.
const CHILDREN = { model: { 7: 'graph' }, graph: { 1: 'node', 5: 'tensor', 15: 'sparse' }, node: { 5: 'attribute' },
  attribute: { 5: 'tensor', 6: 'graph', 10: 'tensor', 11: 'graph', 22: 'sparse' }, sparse: { 1: 'tensor', 2: 'tensor' }, tensor: {} };

const varint = value => {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push(value % 128 | 128);
  return new Uint8Array([...bytes, value]);
};

function fieldsOf(bytes) {
  const fields = [];
  let at = 0;
  const number = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const begin = at, tag = number(), field = { number: Math.floor(tag / 8), type: tag & 7 };
    if (field.type === 0) field.value = number();
    else if (field.type === 1) at += 8;
    else if (field.type === 5) at += 4;
    else {
      const size = number();
      field.content = bytes.subarray(at, at + size);
      at += size;
    }
    field.whole = bytes.subarray(begin, at);
    fields.push(field);
  }
  return fields;
}

function entryOf(field) {
  const [key, value] = fieldsOf(field.content);
  return [text(key.content), text(value.content)];
}

// The parts of a Blob, and how many bytes they are.
function filledMessage(bytes, kind, name, file) {
  const parts = [];
  let size = 0;
  const add = part => { parts.push(part); size += part.size ?? part.length; };
  const fields = fieldsOf(bytes);
  const external = kind === 'tensor' ? Object.fromEntries(fields.filter(f => f.number === 13).map(entryOf)) : {};
  const own = external.location === name;
  let done = false;
  for (const field of fields) {
    const child = CHILDREN[kind][field.number];
    if (own && (field.number === 13 || field.number === 14)) {
      if (done) continue;
      done = true;
      const begin = Number(external.offset), length = Number(external.length);
      add(new Uint8Array([9 << 3 | 2]));
      add(varint(length));
      add(file.slice(begin, begin + length));
    } else if (child && field.content) {
      const inner = filledMessage(field.content, child, name, file);
      add(varint(field.number * 8 + 2));
      add(varint(inner.size));
      inner.parts.forEach(add);
    } else {
      add(field.whole);
    }
  }
  return { parts, size };
}

const filled = (bytes, name, file) => filledMessage(bytes, 'model', name, file).parts;

function showFix(box, out, bytes, model, file) {
  const name = `${stem(model)}.fixed${model.slice(stem(model).length)}`;
  const plain = element('div', { className: 'plain' });
  if (bytes) {
    const parts = model.endsWith('.onnx') ? filled(bytes, model, file) : [bytes];
    plain.append(element('div', { className: 'files' }, saved(name, parts, 'application/octet-stream')));
  }
  plain.append(element('pre', { tabIndex: 0 }, out));
  box.replaceChildren(plain);
}
