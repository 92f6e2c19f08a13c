// The memory of accepted forms changes nothing: nodes checked together, where all but the first
// of a form may take the short way, get what each gets in a model of its own, and what they get with
// the shortcut switched off.
#include "core/validate/cache/known_forms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/database/compile/compile.h"
#include "core/rules/rule_entry.h"
#include "core/validate/cache/node_form.h"
#include "quantgate/quantgate.h"
#include "quantgate/reader.h"

namespace quantgate {
namespace {

// Small QNN models of every rule's fixtures, good and bad; those for the made-up backend, whose
// constraints cover all kinds, or those for HTP.
std::vector<Model> Fixtures(bool toy) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(QUANTGATE_SOURCE_DIR
                                                                         "/tests/fixtures/rules")) {
    std::ifstream args(std::filesystem::path(entry.path()).replace_extension(".args"));
    const std::string text(std::istreambuf_iterator<char>(args), {});
    const bool is_toy = text.find("toy") != std::string::npos;
    if (entry.path().extension() == ".json" && is_toy == toy) {
      paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Model> models;
  for (const std::string& path : paths) {
    (void)ReadInput(path, std::nullopt, [&](const ReadModel& read) {
      if (read.model.ok() && read.model->dialect == Dialect::kQnn) models.push_back(*read.model);
    });
  }
  return models;
}

// Changes numbers only: the form stays.
void Mutate(Model& model, std::mt19937& random) {
  const auto one_of = [&](auto... values) {
    const std::array list = {values...};
    return list[random() % list.size()];
  };
  for (Tensor& tensor : model.tensors) {
    if (random() % 2 == 0) continue;
    for (float& scale : tensor.encoding.Edit().scales) {
      if (random() % 2 == 0) {
        scale *= one_of(1.0F, 2.0F, -1.0F, 1e-30F, std::numeric_limits<float>::quiet_NaN());
      }
    }
    for (int32_t& zero_point : tensor.encoding.Edit().zero_points) {
      if (random() % 2 == 0) zero_point = one_of(0, 128, 1, -7, 32768, 70000);
    }
    for (int32_t& factor : tensor.encoding.Edit().block_scales) factor = one_of(factor, 1, 16, 0, 17);
    if (tensor.values != nullptr && random() % 2 == 0) {
      auto values = *tensor.values;
      for (int64_t& value : values.ints) value = one_of(value, int64_t{0}, int64_t{999});
      tensor.values = std::make_shared<TensorValues>(std::move(values));
    }
  }
}

// Appends `part`, its tensors and nodes renumbered and renamed.
void Append(const Model& part, size_t copy, Model& whole) {
  const auto base = static_cast<TensorId>(whole.tensors.size());
  for (Tensor tensor : part.tensors) {
    tensor.name += "@" + std::to_string(copy);
    whole.tensors.push_back(std::move(tensor));
  }
  for (Node node : part.nodes) {
    const auto renumber = [&](TensorId& id) {
      if (id != kNoTensor) id += base;
    };
    std::for_each(node.inputs.begin(), node.inputs.end(), renumber);
    std::for_each(node.outputs.begin(), node.outputs.end(), renumber);
    whole.nodes.push_back(std::move(node));
  }
}

// Rules between nodes see other neighbours in another graph.
bool IsBetweenNodes(const Finding& finding) {
  for (const rules::RuleEntry* entry : rules::AllEntries()) {
    if (&entry->rule == finding.rule) return entry->is_between_nodes();
  }
  return false;
}

bool IsOf(const Finding& finding, size_t node) {
  return finding.node_index >= 0 && static_cast<size_t>(finding.node_index) == node &&
         !IsBetweenNodes(finding);
}

std::vector<std::string> FindingsOf(const Report& report, size_t node) {
  std::vector<std::string> all;
  for (const Finding& f : report.findings) {
    if (!IsOf(f, node)) continue;
    all.push_back(std::string(f.rule->code) + " " + f.constraint + " " + f.port + " " + f.found);
  }
  return all;
}

// Of the node alone.
Consequence VerdictOf(const Report& report, size_t node) {
  if (report.nodes[node].verdict == Consequence::kUnchecked) return Consequence::kUnchecked;
  Consequence verdict = Consequence::kAccepted;
  for (const Finding& f : report.findings) {
    if (IsOf(f, node)) verdict = Worse(verdict, f.consequence);
  }
  return verdict;
}

struct Outcomes {
  size_t accepted = 0, refused = 0;
};

// Everything that a report says of nodes, in order.
std::vector<std::string> Lines(const Report& report) {
  std::vector<std::string> lines;
  for (const NodeReport& node : report.nodes) {
    lines.push_back(std::string(ConsequenceName(node.verdict)) + " " + node.reason);
  }
  for (const Finding& f : report.findings) {
    lines.push_back(std::to_string(f.node_index) + " " + std::string(f.rule->code) + " " +
                    f.constraint + " " + f.port + " " + f.message);
  }
  return lines;
}

void CheckTogetherAndAlone(const Validator& validator, const Database& database,
                           const Model& fixture, std::mt19937& random,
                           Outcomes& outcomes) {
  Model together;
  std::vector<Model> parts;
  for (size_t copy = 0; copy < 24; ++copy) {
    parts.push_back(fixture);
    if (copy > 0) Mutate(parts.back(), random);
    Append(parts.back(), copy, together);
  }
  const Report report = validator.Check(together);
  const Validator plain(validator.target(), {.shortcuts = false}, database);
  ASSERT_EQ(Lines(plain.Check(together)), Lines(report)) << fixture.name;
  ASSERT_EQ(report.nodes.size(), parts.size() * fixture.nodes.size());
  for (size_t copy = 0; copy < parts.size(); ++copy) {
    const size_t first = copy * fixture.nodes.size();
    for (size_t n = 0; n < fixture.nodes.size(); ++n) {
      Model one = parts[copy];
      one.nodes = {parts[copy].nodes[n]};
      const Report alone = validator.Check(one);
      const Consequence verdict = VerdictOf(alone, 0);
      ASSERT_EQ(verdict, VerdictOf(report, first + n))
          << fixture.name << " node " << n << " copy " << copy;
      ASSERT_EQ(FindingsOf(alone, 0), FindingsOf(report, first + n));
      ++(verdict == Consequence::kAccepted ? outcomes.accepted : outcomes.refused);
    }
  }
}

TEST(KnownForms, ChangeNoVerdictOnHtp) {
  const std::vector<Model> fixtures = Fixtures(/*toy=*/false);
  ASSERT_GE(fixtures.size(), 40u);
  std::mt19937 random(7);
  Outcomes outcomes;
  for (const char* arch : {"v68", "v73"}) {
    const auto target = Target::Parse({.backend = "htp", .sdk = "", .soc = "", .arch = arch});
    ASSERT_TRUE(target.ok());
    const Validator validator(*target);
    for (const Model& fixture : fixtures) {
      CheckTogetherAndAlone(validator, Database::Embedded(), fixture, random, outcomes);
    }
  }
  EXPECT_GT(outcomes.accepted, 300u);
  EXPECT_GT(outcomes.refused, 300u);
}

TEST(KnownForms, ChangeNoVerdictOfAnyKindOfConstraint) {
  const std::vector<std::string> folders = {QUANTGATE_SOURCE_DIR "/tests/fixtures/opdefs/toy"};
  auto image = opdefs::CompileOverlay(Database::Embedded().view(), folders);
  ASSERT_TRUE(image.ok()) << image.status();
  const auto database = Database::FromImage(*std::move(image));
  ASSERT_TRUE(database.ok()) << database.status();
  const auto target =
      Target::Parse({.backend = "toy", .sdk = "1.5", .soc = "", .arch = ""}, *database);
  ASSERT_TRUE(target.ok()) << target.status();
  const Validator validator(*target, {}, *database);
  const std::vector<Model> fixtures = Fixtures(/*toy=*/true);
  ASSERT_GE(fixtures.size(), 15u);
  std::mt19937 random(8);
  Outcomes outcomes;
  for (const Model& fixture : fixtures) {
    CheckTogetherAndAlone(validator, *database, fixture, random, outcomes);
  }
  EXPECT_GT(outcomes.accepted, 100u);
  EXPECT_GT(outcomes.refused, 100u);
}

TEST(NodeForm, IsTheSameExactlyWhereOnlyNumbersDiffer) {
  Model model;
  Tensor tensor;
  tensor.dtype = Dtype::kUfixedPoint8;
  tensor.dims = {1, 8};
  tensor.encoding.Edit().kind = EncodingKind::kPerTensor;
  tensor.encoding.Edit().scales = {0.5F};
  tensor.encoding.Edit().zero_points = {3};
  model.tensors = {tensor, tensor, tensor};
  Node node;
  node.op = "Op";
  node.inputs = {0, 1};
  node.outputs = {2};
  node.params = {{"axis", IntParam{1}}};
  // Compares the node with one whose tensors come behind its own.
  const auto differs = [&](auto change) {
    Model m = model;
    Node n = node;
    change(m, n);
    const auto count = static_cast<TensorId>(model.tensors.size());
    Node before = node;
    for (TensorId& id : before.inputs) id += count;
    for (TensorId& id : before.outputs) id += count;
    m.tensors.insert(m.tensors.end(), model.tensors.begin(), model.tensors.end());
    const bool same = SameForm(m, before, n);
    EXPECT_EQ(same, SameForm(m, n, before));
    // Only of two forms may the hashes be the same or not.
    EXPECT_TRUE(!same || HashOfForm(m, before) == HashOfForm(m, n));
    return !same;
  };
  EXPECT_FALSE(differs([](Model&, Node&) {}));
  EXPECT_FALSE(differs([](Model& m, Node& n) {
    m.tensors[0].encoding.Edit().scales[0] = 0.25F;
    m.tensors[0].encoding.Edit().zero_points[0] = 4;
    m.tensors[0].name = n.name = "renamed";
  }));
  EXPECT_TRUE(differs([](Model& m, Node&) { m.tensors[0].dims[1] = 9; }));
  EXPECT_TRUE(differs([](Model& m, Node&) { m.tensors[0].dtype = Dtype::kSfixedPoint8; }));
  EXPECT_TRUE(differs([](Model& m, Node&) { m.tensors[1].is_static = true; }));
  EXPECT_TRUE(differs([](Model& m, Node&) { m.tensors[1].encoding.Edit().bitwidth = 8; }));
  EXPECT_TRUE(differs([](Model& m, Node&) { m.tensors[1].encoding.Edit().scales.push_back(1); }));
  EXPECT_TRUE(differs([](Model& m, Node&) { m.tensors[1].encoding = {}; }));
  EXPECT_TRUE(differs([](Model&, Node& n) { n.inputs[0] = kNoTensor; }));
  EXPECT_TRUE(differs([](Model&, Node& n) { n.inputs[0] = n.inputs[1]; }));
  EXPECT_TRUE(differs([](Model&, Node& n) { n.op = "Op2"; }));
  EXPECT_TRUE(differs([](Model&, Node& n) { n.params.Edit()[0].value = IntParam{2}; }));
  EXPECT_TRUE(differs([](Model&, Node& n) { n.params.Edit()[0].value = UintParam{1}; }));
  EXPECT_TRUE(differs([](Model&, Node& n) { n.params.clear(); }));
}

}  // namespace
}  // namespace quantgate
