// Random models against random targets: the validator finds what the slow evaluator finds.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "quantgate/quantgate.h"
#include "tests/fuzz/byte_source.h"
#include "tests/fuzz/random_model.h"
#include "tests/fuzz/reference_evaluator.h"
#include "tests/fuzz/round_trip.h"

namespace {

using quantgate::Consequence;
using quantgate::Database;
using quantgate::Finding;
using quantgate::Model;
using quantgate::Report;
using quantgate::Target;

Target ATarget(const Database& database, quantgate::fuzz::ByteSource& bytes) {
  quantgate::TargetSpec spec;
  const std::vector<std::string> backends = database.Backends();
  spec.backend = bytes.OneIn(4) ? bytes.Pick(backends) : "htp";
  if (bytes.Flag()) spec.sdk = bytes.Pick(database.Sdks(spec.backend));
  const std::vector<std::string> archs = database.Archs(spec.backend);
  if (!archs.empty() && bytes.Flag()) spec.arch = bytes.Pick(archs);
  return *Target::Parse(spec, database);
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// The constraints of the database that the report says a node breaks.
std::vector<std::string> Reported(const Report& report, size_t node,
                                  const std::set<std::string>& constraints) {
  std::vector<std::string> lines;
  for (const Finding& finding : report.findings) {
    if (finding.node_index != static_cast<int32_t>(node)) continue;
    if (constraints.count(finding.constraint) == 0) continue;
    lines.push_back(finding.constraint + " " +
                    std::string(quantgate::ConsequenceName(finding.consequence)));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Database& database = Database::Embedded();
  const quantgate::opdb::View& db = database.view();
  quantgate::fuzz::ByteSource bytes(data, size);
  const Target target = ATarget(database, bytes);
  const auto& backend = db.backends()[static_cast<size_t>(target.backend_index())];
  Model model = quantgate::fuzz::RandomModel(db, backend, bytes);
  // Its ops are the backend's own.
  model.dialect = quantgate::DialectFromName(target.dialect()).value_or(model.dialect);

  const quantgate::Validator validator(target, {.route = "direct"});
  const Report report = validator.Check(model);
  const std::string json = quantgate::ReportJson(report, 0);
  quantgate::fuzz::Require(report.nodes.size() == model.nodes.size(), "a node is missing", json);

  std::set<std::string> constraints;
  const int op = db.FindOp(backend, model.nodes[0].op);
  for (const auto& row : db.get(db.get(backend.ops)[static_cast<size_t>(op)].constraints)) {
    constraints.insert(std::string(db.str(backend.name)) + "/" + model.nodes[0].op + "/" +
                       std::string(db.str(row.id)));
  }
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    const auto found = Reported(report, i, constraints);
    const auto expected = quantgate::fuzz::BrokenBy(db, target, model, model.nodes[i]);
    quantgate::fuzz::Require(found == expected, "the validator differs from the slow evaluator",
                             "node " + std::to_string(i) + "\nfound:\n" + Joined(found) +
                                 "expected:\n" + Joined(expected) + json + "\n" +
                                 quantgate::WriteModelJson(model, 0));
  }
  return 0;
}
