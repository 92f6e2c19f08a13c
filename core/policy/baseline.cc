// The baseline file: read, and written.
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/base/json_cursor.h"
#include "core/readers/file_bytes.h"
#include "core/report/fingerprint.h"
#include "quantgate/policy.h"

namespace quantgate {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostBytes = size_t{256} << 20;

std::string Dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::Status At(const std::string& path, const absl::Status& status) {
  const std::string_view message(status.message().data(), status.message().size());
  const bool has_place = !message.empty() && message[0] >= '0' && message[0] <= '9';
  return absl::InvalidArgumentError(path + (has_place ? ":" : ": ") + std::string(message));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : json_(text) {}

  absl::StatusOr<Baseline> Read() {
    const bool ok = json_.Document([&](JsonCursor::Value root) {
      return json_.Object(root, kKeys, [&](size_t key, JsonCursor::Value value) {
        if (key == 0) return Version(value);
        return json_.Array(value, [&](JsonCursor::Value entry) { return Entry(entry); });
      });
    });
    if (!ok) return json_.status();
    return std::move(baseline_);
  }

 private:
  static constexpr std::array<JsonKey, 2> kKeys = {
      {{"schemaVersion", "schemaVersion"}, {"findings", "findings"}}};
  // Only the first two count; the others are for people.
  static constexpr std::array<JsonKey, 7> kEntryKeys = {{{"model", "model"},
                                                         {"fingerprint", "fingerprint"},
                                                         {"code", "code"},
                                                         {"rule", "rule"},
                                                         {"node", "node"},
                                                         {"port", "port"},
                                                         {"tensor", "tensor"}}};

  bool Version(JsonCursor::Value value) {
    std::string_view version;
    if (!json_.String(value, &version)) return false;
    return version == "1" || json_.FailAt(0, "is written by another version; write it again");
  }

  bool Entry(JsonCursor::Value entry) {
    const size_t offset = json_.OffsetOf(entry);
    std::string_view model, fingerprint, rest;
    const bool ok = json_.Object(entry, kEntryKeys, [&](size_t key, JsonCursor::Value value) {
      return json_.String(value, key == 0 ? &model : key == 1 ? &fingerprint : &rest);
    });
    if (!ok) return false;
    if (fingerprint.empty()) return json_.FailAt(offset, "needs a \"fingerprint\"");
    baseline_.models[std::string(model)].emplace(fingerprint);
    return true;
  }

  JsonCursor json_;
  Baseline baseline_;
};

}  // namespace

std::string BaselineModel(const std::string& path, const std::string& model) {
  if (model == "-" || model.starts_with("-:")) return "stdin";
  std::error_code error;
  const auto folder = std::filesystem::absolute(path, error).parent_path().lexically_normal();
  if (error) return model;
  const auto file = std::filesystem::absolute(model, error).lexically_normal();
  if (error) return model;
  return file.lexically_relative(folder).generic_string();
}

absl::StatusOr<Baseline> ReadBaseline(const std::string& path) {
  const auto look = [](std::string_view) { return absl::OkStatus(); };
  const absl::StatusOr<FileBytes> bytes = FileBytes::Open(path, look);
  if (!bytes.ok()) return At(path, bytes.status());
  if (bytes->bytes().size() > kMostBytes) {
    return absl::InvalidArgumentError(path + ": is too large for a baseline");
  }
  absl::StatusOr<Baseline> baseline = Parser(bytes->bytes()).Read();
  if (!baseline.ok()) return At(path, baseline.status());
  return baseline;
}

void BaselineWriter::Add(const Checked& checked) {
  const Report& report = checked.report;
  const std::string model = BaselineModel(path_, report.model);
  Fingerprints fingerprints;
  for (const Finding& finding : report.findings) {
    std::string fingerprint = fingerprints.Next(finding);
    // What a configuration suppresses needs no second excuse.
    const Suppression* suppression = checked.SuppressionOf(finding);
    if (suppression != nullptr && suppression->by == Suppression::By::kConfigured) continue;
    const Json line = {{"model", model},
                       {"fingerprint", fingerprint},
                       {"code", finding.rule->code},
                       {"rule", finding.rule->slug},
                       {"node", finding.node},
                       {"port", finding.port},
                       {"tensor", finding.tensor}};
    if (models_[model].emplace(std::move(fingerprint), Dump(line)).second) ++count_;
  }
}

std::string BaselineWriter::Text() const {
  std::string text = "{\"schemaVersion\": \"1\", \"findings\": [";
  bool first = true;
  for (const auto& [model, lines] : models_) {
    for (const auto& [fingerprint, line] : lines) {
      text += std::exchange(first, false) ? "\n" : ",\n";
      text += line;
    }
  }
  return text + "\n]}\n";
}

}  // namespace quantgate
