#include "quantgate/sweep.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "core/sweep/columns.h"
#include "quantgate/reader.h"

namespace quantgate {
namespace {

using sweep::Field;
using sweep::TableBuilder;
using sweep::Type;

constexpr int kTables = 3;
// Models that a thread takes at a time; each such group is a batch of the tables.
constexpr size_t kGroup = 64;

constexpr Field kModelFields[] = {
    {"model", Type::kText, false},    {"target", Type::kText, false},
    {"backend", Type::kText, false},  {"sdk", Type::kText, false},
    {"arch", Type::kText},            {"soc", Type::kText},
    {"route", Type::kText},           {"verdict", Type::kText},
    {"failed", Type::kFlag, false},   {"nodes", Type::kInteger},
    {"accepted", Type::kInteger},     {"advice", Type::kInteger},
    {"undocumented", Type::kInteger}, {"altered", Type::kInteger},
    {"wrong_values", Type::kInteger}, {"prepare_fails", Type::kInteger},
    {"rejected", Type::kInteger},     {"unchecked", Type::kInteger},
    {"findings", Type::kInteger},     {"error", Type::kText},
};
constexpr Field kFindingFields[] = {
    {"model", Type::kText, false},   {"target", Type::kText, false},
    {"node", Type::kText},           {"op", Type::kText},
    {"code", Type::kText, false},    {"rule", Type::kText, false},
    {"constraint", Type::kText},     {"consequence", Type::kText, false},
    {"level", Type::kText, false},   {"port", Type::kText},
    {"tensor", Type::kText},         {"message", Type::kText, false},
    {"found", Type::kText},          {"allowed", Type::kText},
    {"fix", Type::kText},            {"fix_is_safe", Type::kFlag},
    {"sources", Type::kText},        {"waived", Type::kText},
};
constexpr Field kNodeFields[] = {
    {"model", Type::kText, false}, {"target", Type::kText, false},
    {"node", Type::kText, false},  {"op", Type::kText, false},
    {"resolved", Type::kText},     {"verdict", Type::kText, false},
    {"basis", Type::kText, false}, {"into", Type::kText},
    {"reason", Type::kText},       {"location", Type::kText},
};

std::span<const Field> FieldsOf(SweepTable table) {
  switch (table) {
    case SweepTable::kModels:
      return kModelFields;
    case SweepTable::kFindings:
      return kFindingFields;
    case SweepTable::kNodes:
      return kNodeFields;
  }
  return {};
}

template <typename Texts>
std::string Joined(const Texts& texts) {
  std::string all;
  for (const auto& text : texts) {
    if (!all.empty()) all += ", ";
    all += std::string_view(text);
  }
  return all;
}

// The tables of one group of models.
class Tables {
 public:
  explicit Tables(const SweepOptions& options) : options_(options) {}

  void AddReport(std::string_view model, const ListedTarget& target, const Report& report) {
    Head(model, target, report.route);
    models_.Text(ConsequenceName(report.verdict));
    models_.Flag(report.failed);
    models_.Integer(static_cast<int64_t>(report.nodes.size()));
    // In the order of Consequence, as the columns are.
    for (const int64_t count : report.counts) models_.Integer(count);
    models_.Integer(static_cast<int64_t>(report.findings.size()));
    models_.Null();
    models_.EndRow();
    if (options_.findings) {
      for (const Finding& finding : report.findings) AddFinding(model, target, finding);
    }
    if (options_.nodes) {
      for (const NodeReport& node : report.nodes) AddNode(model, target, node);
    }
  }

  void AddError(std::string_view model, const ListedTarget& target, std::string_view error) {
    Head(model, target, "");
    models_.Null();
    models_.Flag(true);
    for (int i = 0; i < kConsequenceCount + 2; ++i) models_.Null();
    models_.Text(error);
    models_.EndRow();
  }

  std::array<sweep::Batches, kTables> Finish() {
    return {models_.Finish(), findings_.Finish(), nodes_.Finish()};
  }

 private:
  void Head(std::string_view model, const ListedTarget& target, std::string_view route) {
    models_.Text(model);
    models_.Text(target.label);
    models_.Text(target.target.backend());
    models_.Text(target.target.sdk());
    models_.TextOrNull(target.target.arch());
    models_.TextOrNull(target.target.soc());
    models_.TextOrNull(route);
  }

  void AddFinding(std::string_view model, const ListedTarget& target, const Finding& finding) {
    TableBuilder& row = findings_;
    row.Text(model);
    row.Text(target.label);
    row.TextOrNull(finding.node);
    row.TextOrNull(finding.op);
    row.Text(finding.rule->code);
    row.Text(finding.rule->slug);
    row.TextOrNull(finding.constraint);
    row.Text(ConsequenceName(finding.consequence));
    row.Text(LevelName(finding.level));
    row.TextOrNull(finding.port);
    row.TextOrNull(finding.tensor);
    row.Text(finding.message);
    row.TextOrNull(finding.found);
    row.TextOrNull(finding.allowed);
    if (finding.fixes.empty()) {
      row.Null();
      row.Null();
    } else {
      row.Text(finding.fixes.front().summary);
      row.Flag(finding.fixes.front().safe);
    }
    row.TextOrNull(Joined(*finding.sources));
    row.TextOrNull(finding.waived);
    row.EndRow();
  }

  void AddNode(std::string_view model, const ListedTarget& target, const NodeReport& node) {
    TableBuilder& row = nodes_;
    row.Text(model);
    row.Text(target.label);
    row.Text(node.name);
    row.Text(node.op);
    row.TextOrNull(Joined(node.resolved));
    row.Text(ConsequenceName(node.verdict));
    row.Text(BasisName(node.basis));
    row.TextOrNull(node.into);
    row.TextOrNull(node.reason);
    row.TextOrNull(node.location);
    row.EndRow();
  }

  const SweepOptions& options_;
  TableBuilder models_{kModelFields}, findings_{kFindingFields}, nodes_{kNodeFields};
};

std::string StemOf(const std::string& path) { return std::filesystem::path(path).stem().string(); }

ReadModel ReadLine(const SweepInput& input) {
  ReadModel read{input.path + ":" + std::to_string(input.line), absl::InvalidArgumentError("")};
  std::string json(static_cast<size_t>(input.length), '\0');
  std::ifstream file(input.path, std::ios::binary);
  file.seekg(input.offset);
  file.read(json.data(), static_cast<std::streamsize>(json.size()));
  if (file) {
    read.model = ReadModelJson(json, StemOf(input.path));
  } else {
    read.model = absl::InvalidArgumentError("this line can't be read: the file has changed");
  }
  return read;
}

// Every model of an input; what can't be read comes with its error.
void ReadAll(const SweepInput& input, const std::function<void(ReadModel)>& use) {
  absl::Status status;
  if (input.line > 0) {
    use(ReadLine(input));
  } else if (input.bytes) {
    status = ReadBytes(*input.bytes, input.path, {}, use);
  } else {
    // "-" is a file's name here.
    status = ReadInput(input.path == "-" ? "./-" : input.path, {}, use);
  }
  if (!status.ok()) use({input.path, status});
}

// Adds batches to a result in the order of their groups.
void Append(const sweep::Batches& from, sweep::Batches& to) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

struct SweepResult::Batches {
  std::array<sweep::Batches, kTables> tables;
};

int64_t SweepResult::rows(SweepTable table) const {
  int64_t rows = 0;
  for (const auto& batch : batches_->tables[static_cast<size_t>(table)]) rows += batch->rows;
  return rows;
}

void SweepResult::Export(SweepTable table, ArrowArrayStream* out) const {
  sweep::ExportBatches(FieldsOf(table), batches_->tables[static_cast<size_t>(table)], out);
}

struct Sweeper::Impl {
  // Targets of one backend and SDK, which share what is the same for all of them.
  struct Backend {
    std::vector<Validator> validators;
    std::vector<size_t> targets;  // of each
  };
  std::vector<ListedTarget> targets;
  std::vector<Backend> backends;

  void Check(const std::string& source, const Model& model, Tables& tables) const {
    std::vector<Report> reports(targets.size());
    for (const Backend& backend : backends) {
      std::vector<Report> made = Validator::CheckEach(backend.validators, model);
      for (size_t i = 0; i < made.size(); ++i) reports[backend.targets[i]] = std::move(made[i]);
    }
    for (size_t i = 0; i < targets.size(); ++i) tables.AddReport(source, targets[i], reports[i]);
  }

  void Refuse(const std::string& source, const std::string& error, Tables& tables) const {
    for (const ListedTarget& target : targets) tables.AddError(source, target, error);
  }

  void Sweep(const SweepInput& input, Tables& tables) const {
    if (input.model != nullptr) return Check(input.path, *input.model, tables);
    if (!input.error.empty()) return Refuse(input.path, input.error, tables);
    ReadAll(input, [&](ReadModel read) {
      if (read.model.ok()) return Check(read.source, *read.model, tables);
      Refuse(read.source, std::string(read.model.status().message()), tables);
    });
  }
};

Sweeper::Sweeper(std::vector<ListedTarget> targets, const ValidatorOptions& options,
                 const Database& database)
    : impl_(std::make_unique<Impl>()) {
  ValidatorOptions own = options;
  own.threads = 1;
  own.as_run = false;
  std::vector<std::string> names;
  for (size_t i = 0; i < targets.size(); ++i) {
    const std::string name = targets[i].target.backend() + " " + targets[i].target.sdk();
    const auto at = std::find(names.begin(), names.end(), name);
    const auto index = static_cast<size_t>(at - names.begin());
    if (at == names.end()) {
      names.push_back(name);
      impl_->backends.emplace_back();
    }
    impl_->backends[index].validators.emplace_back(targets[i].target, own, database);
    impl_->backends[index].targets.push_back(i);
  }
  impl_->targets = std::move(targets);
}
Sweeper::~Sweeper() = default;
Sweeper::Sweeper(Sweeper&&) noexcept = default;
Sweeper& Sweeper::operator=(Sweeper&&) noexcept = default;

SweepResult Sweeper::Run(std::span<const SweepInput> inputs, const SweepOptions& options) const {
  const size_t threads = static_cast<size_t>(std::max(options.threads, 1));
  const size_t group = std::clamp<size_t>(inputs.size() / (threads * 8), 1, kGroup);
  const size_t groups = (inputs.size() + group - 1) / group;
  std::vector<std::array<sweep::Batches, kTables>> done(groups);
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < groups; i = next++) {
      Tables tables(options);
      for (const SweepInput& input : inputs.subspan(i * group, std::min(group, inputs.size() - i * group))) {
        impl_->Sweep(input, tables);
      }
      done[i] = tables.Finish();
    }
  };
  std::vector<std::thread> others;
  for (size_t i = 1; i < std::min(threads, groups); ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  auto all = std::make_shared<SweepResult::Batches>();
  for (const auto& tables : done) {
    for (size_t i = 0; i < kTables; ++i) Append(tables[i], all->tables[i]);
  }
  return SweepResult(std::move(all));
}

}  // namespace quantgate
