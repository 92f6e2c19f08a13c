// quantgate verify INPUT… --backend-lib LIB: its flags and help.
#include <memory>

#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/verbs.h"
#include "tools/quantgate/verify/verify.h"

namespace quantgate::cli {
namespace {

// What is put to which library, and how.
void AddQuestionFlags(VerbFlags verb, VerifyFlags& flags) {
  verb.Add({.name = "INPUT", .words = "Model files; '-' = standard input", .required = true},
           flags.models);
  verb.Add(
      {.name = "--backend-lib",
       .type = "LIB",
       .words = "Backend library: a file, the folder of an SDK or of an unpacked wheel; or the name "
                "of a compiler or interpreter that --python has: docs/guide/verify.md"},
      flags.library);
  verb.Add({.name = "--graph",
            .words = "Put the whole model to the library as one graph; without --backend-lib to ONNX "
                     "Runtime's provider: session, graphs, values"},
           flags.graph);
  verb.Add({.name = "--reduce",
            .words = "With --graph: write the smallest model that still fails to -o"},
           flags.reduce);
  verb.Add({.name = "--prepare", .words = "Also prepare a graph of each node alone"},
           flags.prepare);
  verb.Add({.name = "--execute",
            .words = "Also run it, and judge its values against a float reference"},
           flags.execute);
  verb.Add({.name = "--inputs",
            .type = "FILE",
            .words = "Model JSON whose tensors' values are used, with --graph a .npz; others "
                     "are random"},
           flags.inputs);
  verb.Add({.name = "--seed", .words = "Of random values"}, flags.seed);
  verb.Add({.name = "--timeout",
            .type = "SECONDS",
            .words = "Seconds for one step of one node; with --graph for a session",
            .most = 86400},
           flags.timeout);
  verb.Add(
      {.name = "--jobs", .type = "N", .words = "Processes that ask the library", .most = 256},
      flags.jobs);
  verb.Add({.name = "--known",
            .type = "FILE",
            .words = "Disagreements that don't fail; one that is gone does: docs/guide/verify.md"},
           flags.known);
  verb.Add({.name = "--record",
            .type = "FILE",
            .words = "Also write what was asked and answered, without names of the model or weights, "
                     "to hand on: docs/extending/measurements.md"},
           flags.record);
  verb.Add({.name = "--python",
            .type = "PROGRAM",
            .words = "Python with NumPy, for the float reference, or with the package that is "
                     "asked; .venv's if not given. With --graph: that has quantgate[provider]"},
           flags.python);
}

}  // namespace

void AddVerify(CommandLine& line) {
  const auto flags = std::make_shared<VerifyFlags>();
  line.AddVerb(
      "verify", "Ask a real backend library too, and compare",
      [flags] { return RunVerify(*flags); },
      [flags](VerbFlags verb) {
        flags->parser = verb;
        AddQuestionFlags(verb, *flags);
        AddTargetFlags(verb, flags->target);
        flags->opdefs.Add(verb);
        flags->route.Add(verb);
        AddFormatFlag(verb, flags->format);
        AddOutputFlag(verb, flags->output);
        flags->reading.Add(verb);
        verb.Add({.name = "-v,--verbose", .words = "A table of every node"}, flags->verbose);
        flags->color.Add(verb);
        verb.Footer(
            "Examples:\n"
            "  quantgate verify model.onnx --backend-lib LIBRARY --soc SM8550\n"
            "  quantgate verify net.json --backend-lib SDK_FOLDER --arch v73 --execute\n"
            "  quantgate verify model.tflite --backend-lib COMPILER --python venv/bin/python\n"
            "  quantgate verify model.onnx --graph --soc SM8550 --reduce -o smallest.onnx\n"
            "  quantgate verify net.json --graph --backend-lib LIBRARY --reduce -o smallest.json\n\n"
            "The library runs in child processes: a crash or a hang of it is a result.\n"
            "The SDK is that of the library if not given.\n"
            "Exit status: 0 both agree, 1 a disagreement that isn't listed, 2 unusable input, "
            "arguments\n"
            "or library.");
      });
}

}  // namespace quantgate::cli
