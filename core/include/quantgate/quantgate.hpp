// The C interface for C++17 programs: for those that have another Abseil than quantgate or none,
// or that load the library where its C++ interface can't be relied on. Header only, links nothing
// but libquantgate_c, uses std:: types alone, and reports every failure as a value: it compiles
// with -fno-exceptions.
//
//   quantgate::c::Options options;
//   options.soc = "SM8550";
//   const quantgate::c::Validator validator(options);
//   if (!validator.ok()) return Fail(validator.error());
//   const quantgate::c::Result result =
//       validator.Check(bytes, quantgate::c::Format::kOnnx, "model.onnx");
//   if (result.status != quantgate::c::Status::kPassed) Show(result.text);
#ifndef QUANTGATE_QUANTGATE_HPP_
#define QUANTGATE_QUANTGATE_HPP_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "quantgate/quantgate_c.h"

namespace quantgate::c {

// What is checked for, as the flags of `quantgate check`. Empty = the default.
struct Options {
  std::string backend = {};  // "htp"
  std::string sdk = {};      // "2.51"; newest known
  std::string soc = {};      // "SM8550"
  std::string arch = {};     // "v73"
  std::string mode = {};     // "strict" or "warn"
  std::string fail_on = {};  // "wrong_values"
  std::string route = {};    // as --route; by kind of model
};

enum class Format {
  kModelJson = QUANTGATE_MODEL_JSON,    // Model JSON
  kModelBinpb = QUANTGATE_MODEL_BINPB,  // quantgate.v1.Model
  kOnnx = QUANTGATE_ONNX                // an ONNX file; external data is not looked for
};

enum class Status {
  kPassed = QUANTGATE_PASSED,
  kFailed = QUANTGATE_FAILED,     // findings that fail the mode
  kUnusable = QUANTGATE_UNUSABLE  // the validator or the model can't be used
};

struct Result {
  Status status = Status::kUnusable;
  // The report, the JSON of docs/schemas/report.schema.json on one line; kUnusable: why, a sentence.
  std::string text;
};

// Of the library that was loaded: "0.1.0".
inline std::string_view Version() { return quantgate_version(); }

// Owns what it was made of; moving leaves one that is not ok(). One may be used by any number of
// threads at once.
class Validator {
 public:
  explicit Validator(const Options& options = {}) {
    if (quantgate_api_version() < QUANTGATE_C_API_VERSION) {
      error_ = "libquantgate_c is older than the header it is used with";
      return;
    }
    quantgate_options given = {};
    given.size = sizeof given;
    given.backend = options.backend.c_str();
    given.sdk = options.sdk.c_str();
    given.soc = options.soc.c_str();
    given.arch = options.arch.c_str();
    given.mode = options.mode.c_str();
    given.fail_on = options.fail_on.c_str();
    given.route = options.route.c_str();
    char* error = nullptr;
    handle_.reset(quantgate_create(&given, &error));
    if (handle_ == nullptr) error_ = Take(error, "no memory");
  }

  bool ok() const { return handle_ != nullptr; }
  // Why it can't be used: an unknown chip, with the nearest names. Empty where it is ok().
  const std::string& error() const { return error_; }

  // Checks the model in `bytes`; `name` stands for its file in the report. kUnusable with error()
  // where the validator is not ok().
  Result Check(std::string_view bytes, Format format, const std::string& name = {}) const {
    if (handle_ == nullptr) return {Status::kUnusable, error_.empty() ? "moved from" : error_};
    char* text = nullptr;
    const quantgate_result result =
        quantgate_check(handle_.get(), bytes.data(), bytes.size(),
                        static_cast<quantgate_format>(format), name.c_str(), &text);
    return {static_cast<Status>(result), Take(text, "no memory")};
  }

 private:
  struct Destroy {
    void operator()(quantgate_validator* validator) const { quantgate_destroy(validator); }
  };
  struct Free {
    void operator()(char* text) const { quantgate_free_text(text); }
  };

  static std::string Take(char* text, const char* otherwise) {
    const std::unique_ptr<char, Free> owned(text);
    return owned == nullptr ? otherwise : owned.get();
  }

  std::unique_ptr<quantgate_validator, Destroy> handle_;
  std::string error_;
};

}  // namespace quantgate::c

#endif  // QUANTGATE_QUANTGATE_HPP_
