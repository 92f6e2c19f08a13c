// The page: files come in, a view is chosen, the program answers.
const one = id => document.getElementById(id);
const program = new Program();
const state = { files: null, targets: null, run: 0 };

const view = () => document.querySelector('input[name=view]:checked').value;
const ENCODINGS = /\.encodings$/i, MODEL = /\.(onnx|jsonl|binpb|pt2|tflite)$/i, JSON_FILE = /\.json$/i;

function say(words, kind = '') {
  one('status').textContent = words;
  one('status').className = kind;
}

// Encodings of AIMET, overrides of QAIRT and recipes of mllm name themselves near the beginning.
const HEAD = 1 << 16, SAYS_ENCODINGS = /"((activation|param)_encodings|encodings|quant_recipe)"\s*:/;
const holdsEncodings = async ({ name, data }) =>
  ENCODINGS.test(name) || (JSON_FILE.test(name) && SAYS_ENCODINGS.test(await data.slice(0, HEAD).text()));

// Which of the files is the model, and which are the encodings beside it. The rest is data that it names.
async function rolesOf(files) {
  const said = new Set();
  for (const file of files) if (await holdsEncodings(file)) said.add(file);
  const rest = files.filter(file => !said.has(file));
  const model = rest.find(file => MODEL.test(file.name)) || rest.find(file => JSON_FILE.test(file.name)) || rest[0] || files[0];
  const encodings = [...said, ...rest.filter(file => JSON_FILE.test(file.name))].find(file => file !== model);
  return { model, encodings };
}

const argument = name => (name.startsWith('-') ? `./${name}` : name);

function targetArguments() {
  const backend = one('backend').value, sdk = one('sdk').value, soc = one('soc').value.trim();
  const words = [];
  if (backend !== 'htp') words.push('--backend', backend);
  if (sdk !== newest(backend)) words.push('--sdk', sdk);
  if (soc && backend === 'htp') words.push('--soc', soc);
  return words;
}

const VIEWS = {
  report: { verb: 'check', extra: [] },
  run: { verb: 'check', extra: ['--as-run'] },
  chips: { verb: 'check', extra: ['--all-socs'] },
  fix: { verb: 'fix', extra: [] },
  plan: { verb: 'plan', extra: [] },
};
// These look at the file alone.
const WITHOUT_ENCODINGS = new Set(['chips', 'plan']);

// As somebody would type it.
function commandOf(kind, { model, encodings }) {
  const { verb, extra } = VIEWS[kind];
  const chosen = targetArguments();
  const at = chosen.indexOf('--soc');
  if (kind === 'chips' && at >= 0) chosen.splice(at, 2);
  const words = [verb, argument(model.name), ...(kind === 'plan' ? wish() : []), ...chosen, ...extra];
  if (encodings && !WITHOUT_ENCODINGS.has(kind)) words.push('--encodings', argument(encodings.name));
  return words;
}

function wish() {
  const weights = one('weights').value;
  return ['--precision', one('precision').value, ...(weights ? ['--weights', weights] : [])];
}

const quoted = word => (/^[\w.,:/=+@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function showCommand(words) {
  one('command').textContent = ['quantgate', ...words].map(quoted).join(' ');
  one('same').hidden = false;
}

function statement(report, milliseconds) {
  const { nodes, ...counts } = report.summary;
  const found = Object.entries(counts).filter(([word, count]) => count && word !== 'accepted').map(([word, count]) => `${count} ${word.replace('_', ' ')}`);
  const rest = found.length ? found.join(', ') : 'all accepted';
  return `${report.model}: ${report.failed ? 'does not fit' : 'fits'}; ${nodes} nodes, ${rest}; checked in ${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
}

// Of one model the report is indented; of several each is a line.
function firstReport(words) {
  try {
    return JSON.parse(words);
  } catch {
    return JSON.parse(words.split('\n', 1)[0]);
  }
}

async function check(words, box, files) {
  const json = await program.run([...words, '--format', 'json', '-o', 'report.json'], ['report.json']);
  const bytes = json.files && json.files['report.json'];
  if (!bytes) return json;
  const report = firstReport(text(bytes));
  say(statement(report, json.milliseconds), report.failed ? 'failed' : 'passed');
  performance.mark('verdict');
  const html = await program.run([...words, '--format', 'html', '-o', 'report.html'], ['report.html']);
  if (html.files['report.html']) showPage(box, { html: html.files['report.html'], json: bytes }, files.model.name, 'report');
  return { ...json, said: true };
}

const FITS = { as_wished: 'as wished', nearest: 'in the nearest precision', float: 'in float', refused: 'refused', unchecked: 'unchecked' };

async function plan(words, box, files) {
  const json = await program.run([...words, '--format', 'json', '-o', 'plan.json'], ['plan.json']);
  const bytes = json.files && json.files['plan.json'];
  if (!bytes) return json;
  const { summary } = JSON.parse(text(bytes));
  const counts = Object.entries(FITS).filter(([key]) => summary[key]).map(([key, name]) => `${summary[key]} ${name}`);
  say(`${files.model.name}: a plan for ${summary.nodes} nodes, ${[...counts, `${summary.converts} Converts`].join(', ')}; made in ${json.milliseconds.toFixed(0)} ms`,
    summary.nodes === (summary.as_wished || 0) ? 'passed' : '');
  const html = await program.run([...words, '--format', 'html', '-o', 'plan.html'], ['plan.html']);
  if (html.files['plan.html']) showPage(box, { html: html.files['plan.html'], json: bytes }, files.model.name, 'plan');
  return { ...json, said: true };
}

const RUN = {
  plan,
  report: check,
  async run(words, box) {
    const done = await program.run(words);
    if (done.status < 2) showText(box, done.out);
    return done;
  },
  async chips(words, box) {
    const done = await program.run([...words, '--format', 'json', '-o', 'chips.json'], ['chips.json']);
    if (done.files && done.files['chips.json']) showChips(box, done.files['chips.json']);
    return done;
  },
  async fix(words, box, files) {
    const written = files.encodings || files.model;
    const name = `fixed.${written.name}`;
    const done = await program.run([...words, '-o', name], [name]);
    if (done.status < 2) showFix(box, done.out, done.files[name], written.name, written.data);
    return done;
  },
};

async function refresh() {
  const kind = view(), files = state.files;
  for (const each of document.querySelectorAll('.wish')) each.hidden = kind !== 'plan';
  if (!files || !state.targets) return;
  const run = ++state.run, box = one('result');
  const words = commandOf(kind, files);
  showCommand(words);
  say(`Reading ${files.model.name} …`);
  try {
    const fresh = element('div');
    const done = await RUN[kind](words, fresh, files);
    if (run !== state.run) return;  // something else was chosen meanwhile
    if (done.status > 1) {
      box.replaceChildren();
      box.hidden = true;
      return say(done.err.split('\n').filter(Boolean).pop() || 'It failed without a word.', 'unusable');
    }
    if (files.encodings && WITHOUT_ENCODINGS.has(kind)) fresh.prepend(leftOut(files.encodings.name));
    box.replaceChildren(...fresh.children);
    box.hidden = false;
    if (!done.said) say(`${files.model.name}: done in ${done.milliseconds.toFixed(0)} ms${done.err ? `; ${done.err}` : ''}`, done.status ? 'failed' : 'passed');
  } catch (error) {
    say(`error: ${error.message}`, 'unusable');
  }
}

async function open(files) {
  if (!files.length) return;
  const roles = await rolesOf(files);
  say(`Reading ${roles.model.name} …`);
  await program.files(files);
  state.files = roles;
  await refresh();
}

const fromList = list => [...list].map(file => ({ name: file.name, data: file }));

const newest = backend => {
  const known = state.targets.backends.find(each => each.name === backend);
  return known ? known.sdks[known.sdks.length - 1] : '';
};

function fillTargets() {
  const { backends, socs } = state.targets;
  const order = ['htp', ...backends.map(each => each.name).filter(name => name !== 'htp')];
  one('backend').replaceChildren(...order.map(name => element('option', { value: name }, name)));
  const unknown = soc => !soc.arch;
  one('socs').replaceChildren(...socs.filter(soc => !unknown(soc)).flatMap(soc =>
    [element('option', { value: soc.name, label: [soc.arch, ...soc.otherNames].join(', ') })]));
  fillSdks();
}

function fillSdks() {
  const backend = one('backend').value;
  const { sdks } = state.targets.backends.find(each => each.name === backend);
  one('sdk').replaceChildren(...[...sdks].reverse().map(sdk => element('option', { value: sdk }, sdk)));
  one('soc').disabled = backend !== 'htp';
}

async function begin() {
  try {
    const done = await program.run(['targets', '--format', 'json', '-o', 'targets.json'], ['targets.json']);
    state.targets = JSON.parse(text(done.files['targets.json']));
    fillTargets();
    performance.mark('ready');
    if (!state.files) say('Ready: no model yet.');
    else await refresh();
  } catch (error) {
    say(`This browser can't run it: ${error.message}`, 'unusable');
  }
}

one('files').addEventListener('change', event => open(fromList(event.target.files)));
one('example').addEventListener('click', async () => {
  const planted = await unzipped(bytesOf('planted')).blob();
  if (!one('soc').value) one('soc').value = 'SM8550';
  await open([{ name: 'planted.onnx', data: planted }]);
});
one('backend').addEventListener('change', () => { fillSdks(); refresh(); });
for (const id of ['sdk', 'soc', 'precision', 'weights']) one(id).addEventListener('change', refresh);
for (const choice of document.querySelectorAll('input[name=view]')) choice.addEventListener('change', refresh);
one('choice').addEventListener('submit', event => { event.preventDefault(); refresh(); });
one('copy').addEventListener('click', () => navigator.clipboard?.writeText(one('command').textContent)
  .then(() => { one('copy').textContent = 'Copied'; }, () => { one('copy').textContent = 'Not allowed here'; }));
addEventListener('dragover', event => { event.preventDefault(); one('drop').classList.add('over'); });
addEventListener('dragleave', event => { if (!event.relatedTarget) one('drop').classList.remove('over'); });
addEventListener('drop', event => {
  event.preventDefault();
  one('drop').classList.remove('over');
  open(fromList(event.dataTransfer.files));
});
// For scripts of the reader, and tests.
window.quantgate = { open, program, filled, ready: begin() };
