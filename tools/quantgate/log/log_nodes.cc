#include "tools/quantgate/log/log_nodes.h"

#include <fmt/core.h>

#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "quantgate/reader.h"
#include "quantgate/text.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/input.h"

namespace quantgate::cli {
namespace {

bool IsPlain(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// As tools make identifiers of names: "/conv1/Conv" becomes "conv1_Conv".
std::string Identifier(std::string_view name) {
  std::string text;
  for (const char c : name) text += IsPlain(c) ? c : '_';
  const size_t begin = text.find_first_not_of('_');
  return begin == std::string::npos ? std::string() : text.substr(begin);
}

class Names {
 public:
  explicit Names(const Model& model) {
    for (size_t n = 0; n < model.nodes.size(); ++n) {
      const Node& node = model.nodes[n];
      Add(node.name, n, true);
      for (const TensorId id : node.outputs) {
        if (id != kNoTensor) Add(model.tensors[static_cast<size_t>(id)].name, n, false);
      }
    }
  }

  // The node whose name, or whose output's, is the longest whole beginning of `name`.
  std::optional<size_t> Find(std::string_view name) const {
    const std::string text = Identifier(name);
    for (size_t size = text.size(); size > 0; --size) {
      // "conv1" is no beginning of "conv12", but one of "conv1_1" and "conv1Reshape".
      const bool whole =
          size == text.size() || std::isdigit(static_cast<unsigned char>(text[size])) == 0;
      if (!whole) continue;
      const auto at = nodes_.find(text.substr(0, size));
      if (at != nodes_.end()) return at->second.node;
    }
    return std::nullopt;
  }

 private:
  struct Entry {
    size_t node;
    bool own;  // its name, not its output's
  };
  void Add(std::string_view name, size_t node, bool own) {
    const std::string text = Identifier(name);
    if (text.empty()) return;
    const auto [at, fresh] = nodes_.try_emplace(text, Entry{node, own});
    if (!fresh && own && !at->second.own) at->second = {node, own};
  }

  std::unordered_map<std::string, Entry> nodes_;
};

bool IsWorse(Consequence a, Consequence b) { return a != b && Worse(a, b) == a; }

MeantNode Describe(const Report& report, size_t index) {
  const NodeReport& node = report.nodes[index];
  MeantNode meant{node.name, std::string(ConsequenceName(node.verdict)), node.reason};
  if (!node.into.empty()) {
    meant.verdict += fmt::format(", part of \"{}\"", Printable(node.into, kNodeColumns));
  }
  const Finding* worst = nullptr;
  for (const Finding& finding : report.findings) {
    const bool here = finding.node_index == static_cast<int32_t>(index) ||
                      (!node.into.empty() && finding.node == node.into);
    if (!here) continue;
    if (worst == nullptr || IsWorse(finding.consequence, worst->consequence)) worst = &finding;
  }
  if (worst != nullptr) {
    meant.says = fmt::format("{} {}: {}", worst->rule->code, worst->rule->slug, worst->message);
    if (!worst->fixes.empty()) meant.says += "; fix: " + worst->fixes.front().summary;
  }
  return meant;
}

}  // namespace

absl::Status FindInModel(const std::string& path, const TargetSpec& spec, std::string_view route,
                         std::vector<LogFinding>& findings) {
  absl::StatusOr<Target> target = Target::Parse(spec);
  if (!target.ok()) return target.status();
  ValidatorOptions options;
  options.route = route;
  const Validator validator(*std::move(target), options);
  absl::Status failed;
  const absl::Status status = ReadModels(path, std::nullopt, [&](ReadModel read) {
    if (!read.model.ok()) {
      failed = absl::InvalidArgumentError(ParseReadError(read.model.status()).Text(read.source));
      return;
    }
    const Names names(*read.model);
    const Report report = validator.Check(*read.model);
    for (LogFinding& finding : findings) {
      if (finding.node.empty()) continue;
      if (const auto node = names.Find(finding.node)) {
        finding.meant.push_back(Describe(report, *node));
      }
    }
  });
  if (!status.ok()) return absl::InvalidArgumentError(ParseReadError(status).Text(path));
  return failed;
}

}  // namespace quantgate::cli
