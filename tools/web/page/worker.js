// Runs the command line in a worker: files are mounted, not copied, and read by ranges.
let program;

// Bytes, which are no terminal's: no colours and no line of progress.
const written = { out: [], err: [] };
const textOf = bytes => new TextDecoder().decode(new Uint8Array(bytes)).trimEnd();

// What is mounted is read only; links beside each other let results stand next to their model.
function mount(files) {
  const { FS, WORKERFS } = program;
  FS.chdir('/');
  for (const name of FS.readdir('/in')) if (name !== '.' && name !== '..') FS.unlink(`/in/${name}`);
  if (FS.readdir('/files').length > 2) FS.unmount('/files');
  FS.mount(WORKERFS, { files }, '/files');
  for (const { name } of files) FS.symlink(`/files/${name}`, `/in/${name}`);
  FS.chdir('/in');
}

function run({ args, results }) {
  written.out.length = written.err.length = 0;
  const start = performance.now();
  let status;
  try {
    // A worker has one thread.
    status = program.callMain(args[0] === 'check' ? [...args, '--jobs', '1'] : args);
  } catch (error) {
    // An exhausted memory ends the program; the page starts another one.
    return { status: 2, out: '', err: `error: ${error.message || error}`, dead: true };
  }
  const files = {};
  for (const name of results) {
    const path = `/in/${name}`;
    if (!program.FS.analyzePath(path).exists) continue;
    files[name] = program.FS.readFile(path);
    program.FS.unlink(path);
  }
  return { status, out: textOf(written.out), err: textOf(written.err), files, milliseconds: performance.now() - start };
}

async function start(compressed) {
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream('gzip'));
  program = await createQuantgate({
    wasmBinary: await new Response(stream).arrayBuffer(),
    stdout: byte => { if (byte !== null) written.out.push(byte & 255); },
    stderr: byte => { if (byte !== null) written.err.push(byte & 255); },
  });
  program.FS.ignorePermissions = true;  // umask() says 0777 here
  for (const folder of ['/files', '/in']) program.FS.mkdir(folder);
  program.FS.chdir('/in');
  return {};
}

onmessage = async ({ data: { id, what, value } }) => {
  let answer;
  try {
    answer = await { start, files: mount, run, memory: () => ({ bytes: program.FS && program.HEAPU8 ? program.HEAPU8.length : 0 }) }[what](value) || {};
  } catch (error) {
    answer = { error: String(error.message || error) };
  }
  postMessage({ id, ...answer });
};
