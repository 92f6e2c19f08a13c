// The program in its worker: one call after the other.
const bytesOf = id => {
  const text = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
};
const unzipped = bytes => new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')));

class Program {
  constructor() {
    this.waiting = new Map();
    this.number = 0;
    this.started = this.start();
  }

  async start() {
    const source = await unzipped(bytesOf('worker')).blob();
    this.worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
    this.worker.onmessage = ({ data: { id, ...answer } }) => {
      const { resolve, reject } = this.waiting.get(id);
      this.waiting.delete(id);
      if (answer.error) reject(new Error(answer.error));
      else resolve(answer);
    };
    this.worker.onerror = event => {
      for (const { reject } of this.waiting.values()) reject(new Error(event.message || 'the worker failed'));
      this.waiting.clear();
    };
    const wasm = bytesOf('wasm');
    return this.call('start', wasm, [wasm.buffer]);
  }

  call(what, value, transfer = []) {
    return new Promise((resolve, reject) => {
      this.waiting.set(++this.number, { resolve, reject });
      this.worker.postMessage({ id: this.number, what, value }, transfer);
    });
  }

  // `files`: [{name, data: File or Blob}]
  async files(files) {
    await this.started;
    await this.call('files', files.map(file => new File([file.data], file.name)));
    this.mounted = files;
  }

  // Status, texts of both outputs, and those of `results` that were written, by name.
  async run(args, results = []) {
    await this.started;
    const answer = await this.call('run', { args, results });
    if (answer.dead) {  // its memory may be broken
      this.worker.terminate();
      this.started = this.start();
      if (this.mounted) await this.files(this.mounted);
    }
    return answer;
  }
}
