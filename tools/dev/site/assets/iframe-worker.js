// Browsers start no Worker from file://. There the search runs in a hidden frame instead, which
// Material's worker script knows by the name IFrameWorker.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      const inner = frame.contentWindow;
      // What a worker's script calls to answer.
      inner.postMessage = (data) => {
        const event = new MessageEvent("message", {data});
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      inner.importScripts = (...urls) => urls.reduce((before, each) => before.then(() =>
          new Promise((done, failed) => {
            const script = inner.document.createElement("script");
            script.src = each;
            script.onload = done;
            script.onerror = failed;
            inner.document.body.appendChild(script);
          })), Promise.resolve());
      this.inner = inner;
      inner.importScripts(url).then(() => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach((data) => this.postMessage(data));
      });
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.inner.dispatchEvent(new MessageEvent("message", {data}));
    }
    terminate() {
      this.inner.frameElement.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}
