"""Asks Vela about .tflite files, in the process: a line of JSON {"arch", "model": base64} in, a line out.

Runs under the Python that has the ethos-u-vela to be queried, and may crash or hang with it: whoever
starts it watches over it (`children.py`).

{"places": ["npu" | "cpu", one per operator], "cpu": results of those, if "results" is requested} or {"error": kind, "message": its first line}.
"""
import base64
import contextlib
import ctypes
import io
import json
import os
import signal
import sys
import tempfile

CONFIGS = {"u55": "ethos-u55-128", "u65": "ethos-u65-256", "u85": "ethos-u85-256"}


def quiet(run):
    """What `run` returns, with what it prints on any level thrown away."""
    sys.stdout.flush()
    kept = os.dup(1)
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return run()
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(sink)


def custom_codes(data):
    """The custom code of each operator of the first subgraph, "" for builtin ones, and its number of outputs."""
    from ethosu.vela.tflite import Model

    model = Model.Model.GetRootAsModel(bytearray(data), 0)
    graph = model.Subgraphs(0)
    codes = []
    for i in range(graph.OperatorsLength()):
        code = model.OperatorCodes(graph.Operators(i).OpcodeIndex())
        codes.append((code.CustomCode() or b"").decode())
    return codes


def cpu_results(data):
    """The names of what operators on the CPU write, and maybe of parts that they became."""
    from ethosu.vela.tflite import Model

    model = Model.Model.GetRootAsModel(bytearray(data), 0)
    graph = model.Subgraphs(0)
    names = []
    for i, code in enumerate(custom_codes(data)):
        if code != "ethos-u":
            names += [graph.Tensors(graph.Operators(i).Outputs(k)).Name().decode() for k in
                      range(graph.Operators(i).OutputsLength())]
    return names


def compile_by_main(data, arch, folder):
    """The compiled file, by Vela's own command line in this process."""
    from ethosu.vela import vela

    path = os.path.join(folder, "m.tflite")
    out = os.path.join(folder, "m_vela.tflite")
    if os.path.exists(out):
        os.remove(out)
    with open(path, "wb") as file:
        file.write(data)
    vela.main(["--accelerator-config", CONFIGS[arch], "--output-dir", folder, path])
    with open(out, "rb") as file:
        return file.read()


class Regor:
    """The compiler that Vela's command line calls, with the arguments that it calls it with."""

    def __init__(self, folder):
        self.folder, self.calls = folder, {}

    def compile(self, data, arch):
        import ethosu.regor as regor

        if arch not in self.calls:
            real, seen = regor.compile, []

            def keep(*args, **kwargs):
                seen.append((args, kwargs))
                return real(*args, **kwargs)

            regor.compile = keep
            try:
                compile_by_main(data, arch, self.folder)
            except BaseException:  # pylint: disable=broad-except
                pass
            finally:
                regor.compile = real
            if not seen:
                return compile_by_main(data, arch, self.folder)
            self.calls[arch] = seen[0]
        args, kwargs = self.calls[arch]
        return bytes(regor.compile(args[0], data, *args[2:], **kwargs).model)


def response_to(compile_it, request):
    try:
        compiled = quiet(compile_it)
        answer = {"places": ["npu" if code == "ethos-u" else "cpu" for code in custom_codes(compiled)]}
        if request.get("results"):
            answer["cpu"] = cpu_results(compiled)
        return answer
    except SystemExit as error:
        return {"error": "exit", "message": str(error.code)[:200]}
    except BaseException as error:  # pylint: disable=broad-except
        return {"error": type(error).__name__, "message": (str(error).splitlines() or [""])[0][:200]}


def response_of_child(compile_it, request):
    """The same in a process of its own: what the core of 4.2 keeps of one network spoils the next."""
    ends = os.pipe()
    child = os.fork()
    if child == 0:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: it ends with this process
        with os.fdopen(ends[1], "w") as out:
            json.dump(response_to(compile_it, request), out)
        os._exit(0)
    os.close(ends[1])
    with os.fdopen(ends[0]) as inbox:
        response = inbox.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return {"error": "crash", "message": signal.Signals(os.WTERMSIG(status)).name}
    return json.loads(response)


def main():
    out = os.fdopen(os.dup(1), "w")
    with tempfile.TemporaryDirectory() as folder:
        from importlib.metadata import version

        major = int(version("ethos-u-vela").split(".")[0])
        compiler = Regor(folder) if major >= 5 else None
        if compiler is None:
            from ethosu.vela import vela  # noqa: F401, for the processes that are forked  # pylint: disable=unused-import
        for line in sys.stdin:
            request = json.loads(line)
            data = base64.b64decode(request["model"])
            if compiler is not None:
                answer = response_to(lambda: compiler.compile(data, request["arch"]), request)
            else:
                answer = response_of_child(lambda: compile_by_main(data, request["arch"], folder), request)
            out.write(json.dumps(answer) + "\n")
            out.flush()


if __name__ == "__main__":
    main()
