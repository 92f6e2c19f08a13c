#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/database/compile/compile.h"
#include "core/database/compile/document/yaml.h"
#include "core/database/compile/expr.h"
#include "core/database/compile/from_view.h"
#include "core/database/compile/image_builder.h"
#include "core/database/view.h"
#include "quantgate/database.h"
#include "tests/unit/support/opdefs_folder.h"

namespace quantgate::opdefs {
namespace {

namespace fs = std::filesystem;

TEST_F(Folder, ReadsAGoodOne) { EXPECT_EQ(Error(), ""); }

TEST_F(Folder, RefusesDuplicates) {
  AddConstraint("in0 rank-2: {rank: ..4}\n  in0 rank-2: ..4");
  EXPECT_EQ(Error(), "htp/Op.yaml:15:3: duplicate key \"in0 rank-2\"");
  AddConstraint("in0, out0 rank: ..4");
  EXPECT_EQ(Error(), "htp/Op.yaml:14:3: duplicate constraint \"in[0]/rank\"");
  AddConstraint("in0 finite: {valid_scale: finite}");
  EXPECT_EQ(Error(), "htp/Op.yaml:14:3: duplicate constraint \"in[0]/finite\"");
  Change("INT8.1: U8 - U8", "INT8.1: U8 - U8, INT8.1-2: U8 - I8|S8");
  EXPECT_EQ(Error(), "htp/Op.yaml:8:33: duplicate row \"INT8.1\"");
  Change("INT8.1: U8 - U8", "INT8.1: U8 - U8, INT8.2: U8 - U8");
  EXPECT_EQ(Error(),
            "htp/Op.yaml:8:33: row \"INT8.2\" repeats the dtypes of another of its group and range");
  // Apart in their ranges they are two.
  Change("documented: {INT8.1: U8 - U8}",
         "documented ..2.47: {INT8.1: U8 - U8}\n  documented 2.47..: {INT8.2: U8 - U8}");
  EXPECT_EQ(Error(), "");
}

TEST_F(Folder, SeveralErrorsAtOnceAndNoMoreThanTwenty) {
  std::string text(kOp);
  for (int i = 0; i < 50; ++i) text += "  in0 c" + std::to_string(i) + ": {nothing: 1}\n";
  Write("htp/Op.yaml", text);
  const std::string error = Error();
  EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 20);
  EXPECT_EQ(error.find("and "), error.rfind('\n') + 1);
}

TEST_F(Folder, RefusesWhatIsNoDatabase) {
  Write("htp/Op.yaml", "- a list");
  EXPECT_EQ(Error(), "htp/Op.yaml:1:1: an op must be a map");
  Write("htp/Op.yaml", "");
  EXPECT_NE(Error(), "");
  Write("htp/Op.yaml", kOp);
  Write("notes.yaml", "a: 1");
  EXPECT_EQ(Error(),
            "notes.yaml: only sources.yaml, targets.yaml, precisions.yaml, op_sets.yaml, "
            "renamed_ids.yaml and waivers.yaml stand "
            "here");
  fs::remove(root_ / "notes.yaml");
  Write("gpu/Op.yaml", "op: Op\n");
  EXPECT_EQ(Error(), "gpu/Op.yaml:1:1: unknown backend \"gpu\": targets.yaml doesn't have it");
  const std::vector<std::string> nowhere = {(root_ / "nowhere").string()};
  EXPECT_FALSE(CompileOpdefs(nowhere).ok());
  EXPECT_FALSE(CompileOpdefs(std::vector<std::string>{(root_ / "sources.yaml").string()}).ok());
}

TEST_F(Folder, HostileYamlIsAnError) {
  const std::string deep(100000, '[');
  const std::string maps = [] {
    std::string text;
    for (int i = 0; i < 3000; ++i) text += "{a: ";
    return text;
  }();
  std::string wide = "[";
  for (int i = 0; i < 400000; ++i) wide += "1,";
  wide += "]";
  std::string blocks;
  for (int i = 0; i < 2000; ++i) blocks += std::string(static_cast<size_t>(i), ' ') + "a:\n";
  const std::string cases[] = {deep,
                               maps,
                               wide,
                               blocks,
                               "a: &x [1]\nb: *x\n",
                               "a: &a [1]\nb: &b [*a, *a]\nc: &c [*b, *b]\n",
                               "a: !!python/object 1\n",
                               "a: 1\n---\nb: 2\n",
                               "{[1]: 2}\n",
                               "{? a\n",
                               "a: \"unterminated\n",
                               "a: \t- b\n",
                               std::string("a: \0b\n", 6),
                               "\xff\xfe\x00\x01",
                               "%YAML 9.9\n---\na\n",
                               std::string(kMaxFileBytes + 1, ' ')};
  for (const std::string& text : cases) {
    Write("htp/Op.yaml", text);
    const std::string error = Error();
    EXPECT_EQ(error.rfind("htp/Op.yaml:", 0), 0u) << text.substr(0, 20) << "\n  gave " << error;
  }
}

TEST(Yaml, KnowsPlacesAndTypes) {
  Errors errors;
  const auto node =
      ParseYaml("a: 1\nb:\n  - \"2\"\n  - 0x10\n  - -1.5e3\n  - .inf\n  - ~\n", "f", errors);
  ASSERT_TRUE(node.has_value()) << errors.status();
  const Node* list = node->find("b");
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->children.size(), 5u);
  EXPECT_EQ(node->find("a")->integer(), 1);
  EXPECT_EQ(list->children[0].integer(), std::nullopt);  // quoted
  EXPECT_EQ(list->children[1].integer(), 16);
  EXPECT_EQ(list->children[2].real(), -1500.0);
  EXPECT_EQ(list->children[3].real(), std::nullopt);
  EXPECT_TRUE(list->children[4].is_null());
  EXPECT_EQ(list->children[2].line, 5);
  EXPECT_EQ(list->children[2].column, 5);
  EXPECT_EQ(list->key_line, 2);
}

class Expressions : public ::testing::Test {
 protected:
  Expressions() {
    op_.ports = {{"in[0]", "", 0, -128, 0}, {"in[1..m]", "", opdb::kPortVariadic, -128, 1}};
    op_.input_count = 2;
    op_.params.emplace_back();
    op_.params[0].name = "axis";
  }
  std::string Codes(std::string_view text) {
    const auto expr = ParseExpr(text, Symbols(ir_, backend_, op_));
    if (!expr.ok()) return std::string(expr.status().message());
    std::string out;
    for (const auto& step : *expr) {
      out += "crdpa+-*/Mmnekt"[static_cast<int>(step.code)];
      if (step.code == opdb::ExprCode::kConst) out += std::to_string(step.value);
    }
    return out;
  }
  Ir ir_;
  Backend backend_;
  Op op_;
};

TEST_F(Expressions, BecomePostfix) {
  EXPECT_EQ(Codes("rank(in0)-1"), "rc1-");
  EXPECT_EQ(Codes("dim(in0, axis) - 1"), "pc1-");
  EXPECT_EQ(Codes("dim(in1,-2)*2+param:axis"), "dc2*a+");
  EXPECT_EQ(Codes("2*(rank(in0)+3)"), "c2rc3+*");
  EXPECT_EQ(Codes("max(rank(in0), 2, 3)"), "rc2Mc3M");
  EXPECT_EQ(Codes("-rank(in0)"), "rn");
  EXPECT_EQ(Codes("elements(in0)/count(axis)"), "ek/");
  EXPECT_EQ(Codes("dim(in0, param:axis[2]) - param:axis[ 1 ]"), "pa-");
  EXPECT_EQ(Codes("total(in0, axis)"), "t");
}

TEST_F(Expressions, ConstantsAreFolded) {
  EXPECT_EQ(Codes("INT32_MAX"), "c2147483647");
  EXPECT_EQ(Codes("2 + 3 * 4 - 1"), "c13");
  EXPECT_EQ(Codes("max(1, min(7, 5), -2)"), "c5");
  EXPECT_EQ(Codes("-(-3)"), "c3");
  EXPECT_EQ(Codes("10 / 4"), "c2");
}

TEST_F(Expressions, MistakesHaveAReason) {
  for (const char* text : {"",
                           "rank",
                           "rank(",
                           "rank()",
                           "rank(in0",
                           "rank(in0))",
                           "1 2",
                           "1 +",
                           "dim(in0)",
                           "param:axis[",
                           "param:axis[-1]",
                           "dim(in0, axis[x])",
                           "elements()",
                           "count(in0)",
                           "total(in0)",
                           "dim(in0, 99)",
                           "max(1)",
                           "9999999999999999999",
                           "9223372036854775807 + 1",
                           "-(-9223372036854775807 - 1)",
                           "1 / 0",
                           "rank(in2)",
                           "rank(in3..m)",
                           "param:",
                           "param:axis[",
                           "param:axis[x]",
                           "param:axis[-1]",
                           "param:axis[65]",
                           "param:axis[0",
                           "dim(in0,axis[0)",
                           "param:ax",
                           "sin(1)",
                           "1.5"}) {
    EXPECT_EQ(Codes(text).rfind("expression ", 0), 0u) << text << " gave " << Codes(text);
  }
  EXPECT_NE(Codes(std::string(200, '(')).find("nested too deep"), std::string::npos);
  std::string right = "rank(in0)";
  for (int i = 0; i < 16; ++i) right = "1+(" + right + ")";
  EXPECT_NE(Codes(right).find("too deep"), std::string::npos);
  EXPECT_NE(Codes(std::string(1100, '1')).find("too long"), std::string::npos);
}

TEST(Fraction, IsANumber) {
  EXPECT_EQ(ParseFraction("1/65536"), 1.0 / 65536);
  EXPECT_EQ(ParseFraction("-3/4"), -0.75);
  EXPECT_EQ(ParseFraction("1e-3"), 1e-3);
  for (const char* text : {"", "/", "1/", "1/0", "x", "1/2/3", "inf", "nan", "1e999", " 1"}) {
    EXPECT_EQ(ParseFraction(text), std::nullopt) << text;
  }
}

TEST_F(Folder, NamesOfValuesBecomeNumbers) {
  AddConstraint(
      "operation values: {param_value: {denied: [POWER, 3]}, when: {param_not: {operation: ADD}}}");
  const Database database = Load();
  const opdb::View& view = database.view();
  const auto& op = view.get(view.backends()[0].ops)[0];
  const auto& row = view.get(op.constraints).back();
  EXPECT_EQ(row.param, 1);
  const auto& arg = view.get(row.args)[0];
  EXPECT_EQ(arg.type, opdb::ArgType::kInts);
  const auto ints = view.get(opdb::Slice<int64_t>{arg.a, arg.b});
  EXPECT_EQ(std::vector<int64_t>(ints.begin(), ints.end()), (std::vector<int64_t>{7, 3}));
  const auto& cond = view.get(row.when)[0];
  EXPECT_EQ(cond.key, opdb::CondKey::kParamNot);
  EXPECT_EQ(view.get(cond.ints)[0], 0);
}

TEST_F(Folder, OwnPortConditionsNeedAPort) {
  AddConstraint("axis value: {param_value: {eq: 1}, when: {bits: 8}}");
  EXPECT_NE(Error().find("use bits_of with a port"), std::string::npos);
}

TEST_F(Folder, EqualInputGivesEqualBytes) {
  const std::string first = *Compile();
  EXPECT_EQ(first, *Compile());
  const Database database = *Database::FromImage(first);
  EXPECT_EQ(*BuildImage(FromView(database.view())), first);
}

TEST(FromView, KeepsTheWholeDatabase) {
  const std::vector<std::string> folders = {QUANTGATE_SOURCE_DIR "/opdefs"};
  const auto image = CompileOpdefs(folders);
  ASSERT_TRUE(image.ok()) << image.status();
  const Database database = *Database::FromImage(*image);
  EXPECT_EQ(*BuildImage(FromView(database.view())), *image);
}

TEST_F(Folder, OverlaysReplaceAndAdd) {
  const Database base = Load();
  const fs::path overlay = root_ / "overlay";
  fs::create_directories(overlay / "htp");
  std::string op(kOp);
  op.replace(op.find("max: 5"), 6, "max: 3");
  std::ofstream(overlay / "htp/Op.yaml") << op;
  op.replace(op.find("op: Op"), 6, "op: New");
  op.replace(op.find("max: 3"), 6, "max: 3, sources: [mine]");
  std::ofstream(overlay / "htp/New.yaml") << op;
  std::ofstream(overlay / "sources.yaml")
      << "sources:\n  - {id: mine, kind: measured, title: own, sdk: \"2.47\"}\n";
  std::ofstream(overlay / "targets.yaml")
      << "socs:\n  - {id: 999, name: MyChip, arch: v69, sources: [mine]}\n";
  const std::vector<std::string> folders = {overlay.string()};
  const auto image = CompileOverlay(base.view(), folders);
  ASSERT_TRUE(image.ok()) << image.status();
  const Database merged = *Database::FromImage(*image);
  const auto target = Target::Parse({.soc = "mychip"}, merged);
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->arch(), "v69");
  EXPECT_EQ(merged.Ops(*target), (std::vector<std::string>{"New", "Op"}));
  const auto rank = [&](const char* name) {
    auto constraints = merged.Query(name, *target)->constraints;
    std::erase_if(constraints, [](auto& one) { return !one.id.ends_with("/in[0]/rank"); });
    EXPECT_EQ(constraints.size(), 1U);
    return constraints.at(0);
  };
  EXPECT_EQ(rank("Op").text, "rank <= 3");
  EXPECT_EQ(rank("New").sources, std::vector<std::string>{"mine"});
  // The profiles of the base hold for an op of the overlay.
  EXPECT_EQ(merged.Query("New", *target)->constraints.size(), 4U);
  EXPECT_EQ(merged.Socs().size(), 2u);
}

// A row of group INT8 needs what SM7550 has not; INT16.1 says itself that it needs nothing.
TEST_F(Folder, ChipsLackFeaturesThatRowsNeed) {
  Write("targets.yaml", R"(backends:
  htp: {archs: [v68, v69, v73], default_arch: v73, socs: true, tuple_rows: true, sdks: ["2.25", "2.47"],
    features: {dot: [INT8, INT16]}}
socs:
  - {id: 43, name: SM8550, arch: v73, sources: [docs-2.25]}
  - {id: 64, name: SM7550, aliases: [Snapdragon 7 Gen 3], arch: v73, lacks: [dot], sources: [docs-2.25]}
)");
  std::string op(kOp);
  op.replace(op.find("{INT8.1: U8 - U8}"), 17,
             "{INT8.1: U8 - U8, INT16.1: {row: U16 - U16, needs: []}}");
  Write("htp/Op.yaml", op);
  const Database database = Load();
  const auto rows = [&](const Database& of, const char* soc) {
    std::vector<std::string> ids;
    const OpInfo op = *of.Query("Op", *Target::Parse({.soc = soc}, of));
    for (const auto& row : op.variants) ids.push_back(row.id);
    return ids;
  };
  EXPECT_EQ(rows(database, "SM8550"), (std::vector<std::string>{"htp/Op#INT8.1", "htp/Op#INT16.1"}));
  EXPECT_EQ(rows(database, "SM7550"), std::vector<std::string>{"htp/Op#INT16.1"});
  EXPECT_EQ(database.Socs()[1].lacks, std::vector<std::string>{"dot"});
  // An overlay that has the backend anew has its features too.
  const fs::path overlay = root_ / "overlay";
  fs::create_directories(overlay);
  std::ofstream(overlay / "targets.yaml") << "backends:\n  htp: {archs: [v68, v69, v73], default_arch: "
                                             "v73, tuple_rows: true, sdks: [\"2.47\"]}\n";
  const auto image = CompileOverlay(database.view(), std::vector<std::string>{overlay.string()});
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_EQ(rows(*Database::FromImage(*image), "SM7550"),
            std::vector<std::string>{"htp/Op#INT16.1"});
}

TEST_F(Folder, FeaturesMustBeKnown) {
  Write("targets.yaml", R"(backends:
  htp: {archs: [v73], default_arch: v73, socs: true, tuple_rows: true, sdks: ["2.25", "2.47"], features: {dot: []}}
socs:
  - {id: 43, name: SM8550, arch: v73, lacks: [dotted], sources: [docs-2.25]}
)");
  EXPECT_EQ(Error(), "targets.yaml:4:47: no backend with `socs: true` has the feature \"dotted\"");
}

TEST_F(Folder, OverlaysCannotReorderArchs) {
  const Database base = Load();
  const fs::path overlay = root_ / "overlay";
  fs::create_directories(overlay);
  std::ofstream(overlay / "targets.yaml") << "backends:\n  htp: {archs: [v73, v68], default_arch: "
                                             "v73, tuple_rows: true, sdks: [\"2.25\"]}\n";
  const std::vector<std::string> folders = {overlay.string()};
  const auto image = CompileOverlay(base.view(), folders);
  EXPECT_NE(image.status().message().find("must begin with those"), absl::string_view::npos);
}

}  // namespace
}  // namespace quantgate::opdefs
