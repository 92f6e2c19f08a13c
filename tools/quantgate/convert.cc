// quantgate convert INPUT -o MODEL.json (or .jsonl, .binpb, .tflite)
#include <fmt/core.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantgate/reader.h"
#include "quantgate/text.h"
#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/input.h"
#include "tools/quantgate/cli/output.h"
#include "tools/quantgate/cli/verbs.h"

namespace quantgate::cli {
namespace {

struct ConvertFlags {
  std::string input, output, encodings;
  ReadFlags reading;
};

int RunConvert(const ConvertFlags& flags) {
  const absl::StatusOr<ReadOptions> format = flags.reading.Parse();
  if (!format.ok()) return Fail(format.status());
  if (flags.input == "-" && flags.encodings == "-") {
    return Fail("standard input ('-') can be read once only");
  }
  const absl::StatusOr<std::optional<EncodingsFile>> encodings = LoadEncodings(flags.encodings);
  if (!encodings.ok()) return Fail(encodings.status());
  for (const std::string_view other : {".onnx", ".pt2", ".pte", ".dlc"}) {
    if (!flags.output.ends_with(other)) continue;
    return Fail(fmt::format("{}: convert writes no {} files; name the output .json, .jsonl, .binpb or .tflite",
                            Printable(flags.output), other));
  }
  const bool lines = flags.output.ends_with(".jsonl");
  const bool binary = flags.output.ends_with(".binpb") || flags.output.ends_with(".pb");
  std::vector<std::string> inputs = {flags.input};
  if (!flags.encodings.empty()) inputs.push_back(flags.encodings);
  absl::StatusOr<Output> output = Output::Open(flags.output, inputs);
  if (!output.ok()) return Fail(output.status());

  size_t count = 0;
  bool failed = false;
  const absl::Status status = ReadModels(flags.input, *format, [&](ReadModel read) {
    ++count;
    if (!read.model.ok()) {
      Fail(ParseReadError(read.model.status()).Text(read.source));
      failed = true;
      return;
    }
    if (encodings->has_value()) ApplyEncodings(**encodings, *read.model);
    if (flags.output.ends_with(".tflite")) {
      const absl::StatusOr<std::string> bytes = WriteTflite(*read.model);
      failed = !bytes.ok();
      if (failed) {
        Fail(read.source + ": " + std::string(bytes.status().message()));
      } else {
        output->Write(*bytes);
      }
    } else if (binary) {
      output->Write(WriteModelBinpb(*read.model));
    } else {
      // Several models fit a stream of lines only.
      const bool one_line = lines || read.source != flags.input;
      output->Write(WriteModelJson(*read.model, one_line ? 0 : 1) + "\n");
    }
  });
  if (!status.ok()) return Fail(ParseReadError(status).Text(flags.input));
  if (failed) return kUnusable;
  if (count != 1 && !lines && !output->is_stdout()) {
    return Fail(flags.input + ": holds " + std::to_string(count) +
                " models; name the output .jsonl");
  }
  if (const absl::Status done = output->Commit(); !done.ok()) return Fail(done);
  return kFine;
}

}  // namespace

void AddConvert(CommandLine& line) {
  const auto flags = std::make_shared<ConvertFlags>();
  line.AddVerb(
      "convert", "Write a model as Model JSON", [flags] { return RunConvert(*flags); },
      [flags](VerbFlags verb) {
        verb.Add({.name = "INPUT", .words = "Model file; '-' = standard input", .required = true},
                 flags->input);
        verb.Add({.name = "-o,--output",
                  .type = "FILE",
                  .words = "Model .json, .jsonl, .binpb or, of TFLite operators, .tflite; standard output if "
                           "not given"},
                 flags->output);
        verb.Add({.name = "--encodings",
                  .type = "FILE",
                  .words = "AIMET encodings or mllm recipe to put into the model"},
                 flags->encodings);
        flags->reading.Add(verb);
        verb.Footer(
            "Examples:\n"
            "  quantgate convert model.onnx -o model.json\n"
            "  quantgate convert model.onnx | less");
      });
}

}  // namespace quantgate::cli
