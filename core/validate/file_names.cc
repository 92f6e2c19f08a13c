#include "core/validate/file_names.h"

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "core/lower/resolve/resolve.h"

namespace quantgate {
namespace {

struct TypeName {
  std::string_view qnn, file;
};
// As ONNX and PyTorch call what carries the quantized values.
constexpr std::array<TypeName, 8> kTypeNames = {{{"UFIXED_POINT_4", "uint4"},
                                                 {"SFIXED_POINT_4", "int4"},
                                                 {"UFIXED_POINT_8", "uint8"},
                                                 {"SFIXED_POINT_8", "int8"},
                                                 {"UFIXED_POINT_16", "uint16"},
                                                 {"SFIXED_POINT_16", "int16"},
                                                 {"UFIXED_POINT_32", "uint32"},
                                                 {"SFIXED_POINT_32", "int32"}}};

// Where a type is named first, its other name follows.
std::string WithFileTypes(std::string text) {
  for (const TypeName& type : kTypeNames) {
    const size_t at = text.find(type.qnn);  // no name is the beginning of another
    if (at != std::string::npos) {
      text.insert(at + type.qnn.size(), fmt::format(" ({})", type.file));
    }
  }
  return text;
}

// Most texts name no type, and many findings have equal ones: each is made once.
class TypeTexts {
 public:
  SharedString Of(const SharedString& text) {
    if (text.view().find("FIXED_POINT_") == std::string_view::npos) return text;
    const auto [at, added] = made_.try_emplace(text.str());
    if (added) at->second = WithFileTypes(text.str());
    return at->second;
  }

 private:
  absl::flat_hash_map<std::string, SharedString> made_;
};

bool Changes(const Fix& fix, std::string_view field) {
  for (const Edit& edit : fix.edits) {
    if (edit.path.find(field) != std::string::npos) return true;
  }
  return false;
}

// "in the file: "w_scale" and "w_zp""
std::string ConstantsText(const QuantizationConstants& names, const Fix& fix) {
  std::string text;
  if (Changes(fix, "/scale") && !names.scale.empty()) text = fmt::format("\"{}\"", names.scale);
  if (Changes(fix, "/zeroPoint") && !names.zero_point.empty()) {
    text += fmt::format("{}\"{}\"", text.empty() ? "" : " and ", names.zero_point);
  }
  return text.empty() ? text : fmt::format(" (in the file: {})", text);
}

}  // namespace

void NameAsInFile(const Model& model, const Target& target, const opdb::View& database,
                  Report& report) {
  if (model.dialect == Dialect::kQnn) return;
  absl::flat_hash_map<std::string, QuantizationConstants> constants;
  for (const Finding& finding : report.findings) {
    for (const Fix& fix : finding.fixes) {
      if (Changes(fix, "/encoding/")) constants.try_emplace(finding.tensor.str());
    }
  }
  if (!constants.empty()) FindQuantizationConstants(model, target, database, constants);
  TypeTexts texts;
  for (Finding& finding : report.findings) {
    finding.found = texts.Of(finding.found);
    finding.allowed = texts.Of(finding.allowed);
    for (Fix& fix : finding.fixes) {
      fix.summary = WithFileTypes(std::move(fix.summary));
      const auto known = constants.find(finding.tensor.str());
      if (known != constants.end()) fix.summary += ConstantsText(known->second, fix);
    }
  }
}

}  // namespace quantgate
