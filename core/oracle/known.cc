#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/oracle/json_file.h"
#include "nlohmann/json.hpp"
#include "quantgate/text.h"
#include "quantgate/verify.h"

namespace quantgate::verify {
namespace {

using PlainJson = nlohmann::json;

constexpr size_t kMaxBytes = size_t{4} << 20;

}  // namespace

absl::StatusOr<KnownDifferences> KnownDifferences::Read(const std::string& path) {
  const absl::StatusOr<FileBytes> file = OpenJson(path, kMaxBytes);
  if (!file.ok()) return file.status();
  return Parse(file->bytes());
}

absl::StatusOr<KnownDifferences> KnownDifferences::Parse(std::string_view json) {
  const auto bad = [](std::string_view place, std::string_view reason) {
    return absl::InvalidArgumentError(std::string(place) + ": " + std::string(reason));
  };
  const absl::StatusOr<PlainJson> parsed = ParseJson(json);
  if (!parsed.ok()) return parsed.status();
  const PlainJson& file = *parsed;
  if (!file.is_object() || !file.contains("differences") || !file["differences"].is_array()) {
    return absl::InvalidArgumentError("expected an object with a list `differences`");
  }
  KnownDifferences known;
  size_t index = 0;
  for (const PlainJson& item : file["differences"]) {
    const std::string place = "differences[" + std::to_string(index++) + "]";
    if (!item.is_object()) return bad(place, "expected an object");
    Entry entry;
    const std::pair<const char*, std::string*> fields[] = {{"model", &entry.model},
                                                           {"node", &entry.node},
                                                           {"op", &entry.op},
                                                           {"agreement", &entry.agreement},
                                                           {"reason", &entry.reason}};
    for (const auto& [key, value] : item.items()) {
      bool found = false;
      for (const auto& [name, text] : fields) {
        if (key != name) continue;
        if (!value.is_string()) return bad(place, key + ": expected text");
        *text = value.get<std::string>();
        found = true;
      }
      if (!found) return bad(place, "unknown key '" + Printable(key, 80) + "'");
    }
    if (entry.agreement != AgreementName(Agreement::kFalseRejection) &&
        entry.agreement != AgreementName(Agreement::kFalseAcceptance)) {
      return bad(place, "agreement: expected false_rejection or false_acceptance");
    }
    if (entry.reason.empty()) return bad(place, "needs a reason");
    if (entry.model.empty() && entry.node.empty() && entry.op.empty()) {
      return bad(place, "needs model, node or op");
    }
    known.entries_.push_back(std::move(entry));
  }
  return known;
}

void KnownDifferences::Mark(Comparison& comparison) {
  for (ComparedNode& node : comparison.nodes) {
    const std::string_view agreement = AgreementName(node.agreement);
    for (Entry& entry : entries_) {
      if (entry.agreement != agreement ||
          (!entry.model.empty() && entry.model != comparison.model) ||
          (!entry.node.empty() && entry.node != node.name && entry.node != node.source) ||
          (!entry.op.empty() && entry.op != node.op)) {
        continue;
      }
      entry.used = true;
      if (node.known.empty()) node.known = entry.reason;
    }
  }
}

std::vector<std::string> KnownDifferences::Unused() const {
  std::vector<std::string> unused;
  for (const Entry& entry : entries_) {
    if (entry.used) continue;
    std::string text = entry.agreement + " of";
    for (const std::string* part : {&entry.model, &entry.node, &entry.op}) {
      if (!part->empty()) text += " " + *part;
    }
    unused.push_back(std::move(text));
  }
  return unused;
}

}  // namespace quantgate::verify
