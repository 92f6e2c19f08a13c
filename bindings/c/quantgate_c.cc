#include "quantgate/quantgate_c.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "quantgate/quantgate.h"
#include "quantgate/reader.h"

struct quantgate_validator {
  quantgate::Validator validator;
};

namespace {

using quantgate::ValidatorOptions;

// A copy that free() takes; NULL where no memory is left.
char* CopyOf(std::string_view text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

void Give(char** target, std::string_view text) {
  if (target != nullptr) *target = CopyOf(text);
}

std::string_view Text(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

std::string OrEmpty(const char* text) { return text == nullptr ? "" : text; }

absl::StatusOr<ValidatorOptions> OptionsOf(const quantgate_options& given) {
  ValidatorOptions options;
  const std::string mode = OrEmpty(given.mode), fail_on = OrEmpty(given.fail_on),
                    route = OrEmpty(given.route);
  if (mode == "warn") {
    options.mode = quantgate::Mode::kWarn;
  } else if (!mode.empty() && mode != "strict") {
    return absl::InvalidArgumentError("unknown mode '" + mode + "'; known: strict, warn");
  }
  if (!fail_on.empty()) {
    const auto consequence = quantgate::ConsequenceFromName(fail_on);
    if (!consequence) return absl::InvalidArgumentError("unknown verdict '" + fail_on + "'");
    options.fail_on = *consequence;
  }
  if (!route.empty()) {
    const std::vector<std::string> known = quantgate::Database::Embedded().Routes();
    if (std::find(known.begin(), known.end(), route) == known.end()) {
      return absl::InvalidArgumentError("unknown route '" + route + "'");
    }
    options.route = route;
  }
  return options;
}

absl::StatusOr<quantgate::Model> Read(std::string_view bytes, quantgate_format format,
                                      std::string_view name) {
  switch (format) {
    case QUANTGATE_MODEL_JSON:
      return quantgate::ReadModelJson(bytes, name);
    case QUANTGATE_MODEL_BINPB:
      return quantgate::ReadModelBinpb(bytes, name);
    case QUANTGATE_ONNX:
      return quantgate::ReadOnnx(bytes, name, "");
  }
  return absl::InvalidArgumentError("unknown format");
}

}  // namespace

int quantgate_api_version(void) { return QUANTGATE_C_API_VERSION; }

const char* quantgate_version(void) { return QUANTGATE_VERSION; }

quantgate_validator* quantgate_create(const quantgate_options* options, char** error) {
  if (error != nullptr) *error = nullptr;
  try {
    // A caller built with an older header knows fewer fields: the others are the defaults.
    quantgate_options given = {};
    if (options != nullptr) {
      std::memcpy(&given, options, options->size < sizeof given ? options->size : sizeof given);
    }
    quantgate::TargetSpec spec;
    if (const std::string backend = OrEmpty(given.backend); !backend.empty()) {
      spec.backend = backend;
    }
    spec.sdk = OrEmpty(given.sdk);
    spec.soc = OrEmpty(given.soc);
    spec.arch = OrEmpty(given.arch);
    const absl::StatusOr<ValidatorOptions> parsed = OptionsOf(given);
    if (!parsed.ok()) {
      Give(error, Text(parsed.status()));
      return nullptr;
    }
    absl::StatusOr<quantgate::Target> target = quantgate::Target::Parse(spec);
    if (!target.ok()) {
      Give(error, Text(target.status()));
      return nullptr;
    }
    return new quantgate_validator{quantgate::Validator(*std::move(target), *parsed)};
  } catch (const std::exception& exception) {  // no memory
    Give(error, exception.what());
    return nullptr;
  }
}

void quantgate_destroy(quantgate_validator* validator) { delete validator; }

quantgate_result quantgate_check(const quantgate_validator* validator, const void* bytes,
                                 size_t size, quantgate_format format, const char* name,
                                 char** text) {
  if (text != nullptr) *text = nullptr;
  if (validator == nullptr || (bytes == nullptr && size > 0)) {
    Give(text, "no validator or no model given");
    return QUANTGATE_UNUSABLE;
  }
  try {
    const std::string called = OrEmpty(name);
    const std::string_view model_bytes(static_cast<const char*>(bytes), size);
    const absl::StatusOr<quantgate::Model> model = Read(model_bytes, format, called);
    if (!model.ok()) {
      Give(text, Text(model.status()));
      return QUANTGATE_UNUSABLE;
    }
    quantgate::Report report = validator->validator.Check(*model);
    if (!called.empty()) report.model = called;
    if (text != nullptr) *text = CopyOf(quantgate::ReportJson(report, 0));
    return report.failed ? QUANTGATE_FAILED : QUANTGATE_PASSED;
  } catch (const std::exception& exception) {  // no memory
    Give(text, exception.what());
    return QUANTGATE_UNUSABLE;
  }
}

void quantgate_free_text(char* text) { std::free(text); }
