// Elements, SVG and text. Names of the model enter the page as text nodes only.
const VERDICTS = ['rejected', 'prepare_fails', 'wrong_values', 'altered', 'undocumented', 'advice', 'accepted', 'unchecked'];
const PHRASES = {
  rejected: ['would be rejected', 'would be rejected'],
  prepare_fails: ['would fail graph preparation', 'would fail graph preparation'],
  wrong_values: ['would compute wrong values', 'would compute wrong values'],
  altered: ['runs altered', 'run altered'],
  undocumented: ['is undocumented', 'are undocumented'],
  advice: ['has advice', 'have advice'],
  accepted: ['is accepted', 'are accepted'],
  unchecked: ['is unchecked', 'are unchecked'],
};
const words = verdict => verdict.replace('_', ' ');

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  for (const child of children.flat(9)) {
    if (child !== null && child !== undefined && child !== '') element.append(child);
  }
  return element;
}
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

// The middle of a long name says least.
function short(text, length) {
  if (text.length <= length) return text;
  const head = Math.ceil((length - 1) * 0.4);
  return text.slice(0, head) + '…' + text.slice(text.length - (length - 1 - head));
}

function number(value) {
  if (value === null || value === undefined) return '?';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(2).replace('e+', 'e');
  return String(Number(value.toPrecision(4)));
}

// The few forms that explanations of rules use: headings, lists, code, paragraphs.
function markdown(text) {
  const parts = [];
  const inline = line => line.split(/(`[^`]*`)/).map(piece =>
    piece.startsWith('`') && piece.length > 1 ? el('code', {}, piece.slice(1, -1)) : piece);
  let list = null, paragraph = [], code = null;
  const flush = () => {
    if (paragraph.length) parts.push(el('p', {}, inline(paragraph.join(' '))));
    paragraph = [];
  };
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) {
      flush();
      if (code === null) code = [];
      else { parts.push(el('pre', {}, el('code', {}, code.join('\n')))); code = null; }
    } else if (code !== null) {
      code.push(line);
    } else if (line.startsWith('## ')) {
      flush(); list = null;
      parts.push(el('h4', {}, line.slice(3)));
    } else if (/^[-*] /.test(line)) {
      flush();
      if (!list) parts.push(list = el('ul', {}));
      list.append(el('li', {}, inline(line.slice(2))));
    } else if (line.trim() === '') {
      flush(); list = null;
    } else if (list && /^ +/.test(line)) {
      list.lastChild.append(' ', ...inline(line.trim()));
    } else {
      paragraph.push(line);
    }
  }
  flush();
  return parts;
}
