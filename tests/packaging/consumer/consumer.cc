// Checks the model files named for one chip; exit status as of `quantgate check`.
#include <cstdio>
#include <string>

#include "quantgate/quantgate.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: consumer SOC MODEL…\n");
    return 2;
  }
  absl::StatusOr<quantgate::Target> target = quantgate::Target::Parse({.soc = argv[1]});
  if (!target.ok()) {
    std::fprintf(stderr, "error: %s\n", std::string(target.status().message()).c_str());
    return 2;
  }
  const quantgate::Validator validator(*std::move(target), {.mode = quantgate::Mode::kStrict});
  int exit_code = 0;
  for (int i = 2; i < argc; ++i) {
    const absl::Status read =
        quantgate::ReadInput(argv[i], std::nullopt, [&](const quantgate::ReadModel& input) {
          if (!input.model.ok()) {
            std::fprintf(stderr, "error: %s: %s\n", input.source.c_str(),
                         std::string(input.model.status().message()).c_str());
            exit_code = 2;
            return;
          }
          quantgate::Report report = validator.Check(*input.model);
          report.model = input.source;
          std::printf("%s\n", quantgate::ReportJson(report, 0).c_str());
          if (exit_code == 0) exit_code = report.ExitCode();
        });
    if (!read.ok()) {
      std::fprintf(stderr, "error: %s: %s\n", argv[i], std::string(read.message()).c_str());
      exit_code = 2;
    }
  }
  return exit_code;
}
