#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/opdb/view.h"
#include "core/opdefs_yaml/compile.h"
#include "core/opdefs_yaml/expr.h"
#include "core/opdefs_yaml/from_view.h"
#include "core/opdefs_yaml/image_builder.h"
#include "core/opdefs_yaml/yaml.h"
#include "quantgate/database.h"

namespace quantgate::opdefs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSources = R"(sources:
  - {id: docs-2.25, title: documentation, sdk: "2.25", measured: false}
  - {id: measured-2.47, title: library, sdk: "2.47", measured: true}
)";
constexpr std::string_view kTargets = R"(backends:
  htp: {archs: [v68, v69, v73], default_arch: v73, tuple_rows: true, sdks: ["2.25", "2.47"], first_measured: "2.47"}
socs:
  - {id: 43, name: SM8550, arch: v73, vtcm_mb: 8, sources: [docs-2.25]}
)";
// Line 13 is the variant, line 15 the constraint.
constexpr std::string_view kOp = R"(op: Op
backend: htp
sources: [docs-2.25]
inputs:
  - {port: "in[0]", role: activation}
  - {port: "in[1]", optional: true}
outputs:
  - {port: "out[0]"}
params:
  - {name: axis, dtype: INT_32, required: true}
  - {name: operation, dtype: UINT_32, values: {ADD: 0, POWER: 7}}
variants:
  - {id: INT8.1, group: INT8, dtypes: [UFIXED_POINT_8, ~, UFIXED_POINT_8], sources: [docs-2.25]}
constraints:
  - {id: "in[0]/rank", port: "in[0]", kind: rank, max: 5, consequence: rejected, sources: [docs-2.25]}
)";

// A folder of its own per test, removed at its end.
class Folder : public ::testing::Test {
 protected:
  Folder() {
    const auto* const info = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(::testing::TempDir()) /
            ("opdefs_yaml_test." + std::to_string(::getpid()) + "." + info->name());
    fs::remove_all(root_);
    Write("sources.yaml", kSources);
    Write("targets.yaml", kTargets);
    Write("htp/Op.yaml", kOp);
  }
  ~Folder() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  void Write(const std::string& file, std::string_view text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file, std::ios::binary) << text;
  }
  // The op with one piece of text replaced.
  void Change(std::string_view from, std::string_view to) {
    std::string text(kOp);
    const size_t at = text.find(from);
    ASSERT_NE(at, text.npos) << from;
    Write("htp/Op.yaml", text.replace(at, from.size(), to));
  }
  // The op with one more constraint, on line 16.
  void AddConstraint(std::string_view fields) {
    Write("htp/Op.yaml", std::string(kOp) + "  - {id: x, " + std::string(fields) +
                             ", consequence: rejected, sources: [docs-2.25]}\n");
  }
  absl::StatusOr<std::string> Compile() {
    const std::vector<std::string> folders = {root_.string()};
    return CompileOpdefs(folders);
  }
  // The error without the folder's name; "" = none.
  std::string Error() {
    const auto image = Compile();
    if (image.ok()) return "";
    EXPECT_EQ(image.status().code(), absl::StatusCode::kInvalidArgument);
    std::string text(image.status().message());
    const std::string prefix = root_.string() + "/";
    for (size_t at; (at = text.find(prefix)) != text.npos;) text.erase(at, prefix.size());
    return text;
  }
  Database Load() {
    auto image = Compile();
    EXPECT_TRUE(image.ok()) << image.status();
    return *Database::FromImage(*image);
  }

  fs::path root_;
};

struct Case {
  const char* from;
  const char* to;
  const char* error;
};

TEST_F(Folder, ReadsAGoodOne) { EXPECT_EQ(Error(), ""); }

TEST_F(Folder, NamesPlaceAndReasonOfMistakes) {
  const Case cases[] = {
      {"role:", "rule:", "htp/Op.yaml:5:21: unknown key \"rule\" of a port (did you mean role?)"},
      {"kind: rank", "kind: rnak", "htp/Op.yaml:15:45: unknown kind \"rnak\" (did you mean rank?)"},
      {"max: 5", "maxx: 5", "htp/Op.yaml:15:5: kind rank needs more of its fields"},
      {"[UFIXED_POINT_8, ~", "[UFIXED_POINT8, ~",
       "htp/Op.yaml:13:40: unknown dtype \"UFIXED_POINT8\" (did you mean UFIXED_POINT_8"},
      {"port: \"in[0]\", kind", "port: \"in[2]\", kind",
       "htp/Op.yaml:15:30: unknown port or param \"in[2]\" (did you mean in[0]"},
      {"[docs-2.25]}\nconstraints", "[doc-2.25]}\nconstraints",
       "htp/Op.yaml:13:86: unknown source \"doc-2.25\" (did you mean docs-2.25?)"},
      {", sources: [docs-2.25]}\nconstraints", "}\nconstraints",
       "htp/Op.yaml:13:5: a variant has no `sources`"},
      {", sources: [docs-2.25]}\nconstraints", ", sources: []}\nconstraints",
       "`sources` must be a list of source ids, at least one"},
      {"~, UFIXED_POINT_8]", "UFIXED_POINT_8]",
       "htp/Op.yaml:13:39: `dtypes` must be a list of 3 entries, one per declared port, inputs "
       "then outputs; it has 2"},
      {"consequence: rejected", "consequence: reject",
       "unknown consequence \"reject\" (did you mean rejected?)"},
      {"max: 5", "max: 5, max: 6", "htp/Op.yaml:15:59: duplicate key \"max\""},
      {"max: 5", "max: 5, arch: v7x", "unknown arch \"v7x\" (did you mean v73"},
      {"max: 5", "max: 5, arch: v73..v68", "inverted arch range"},
      {"max: 5", "max: 5, since: \"2.26\"", "unknown SDK \"2.26\""},
      {"max: 5", "max: 5, since: 2.25", "must be quoted"},
      {"max: 5", "max: 5, since: \"2.47\", until: \"2.25\"", "empty range: until 2.25"},
      {"max: 5", "max: 5, until: \"2.25\"", "empty range: until 2.25"},
      {"max: 5", "max: 5, groups: [INT16]", "unknown group \"INT16\": no variant has it"},
      {"max: 5", "max: 5, when: {dtyp: [BOOL_8]}",
       "unknown condition \"dtyp\" (did you mean dtype"},
      {"max: 5", "max: 5, when: {param: {operation: [ADDD]}}",
       "unknown value \"ADDD\" of operation (did you mean ADD?)"},
      {"max: 5", "max: 5, when: {param: {operatin: [ADD]}}",
       "unknown param \"operatin\" (did you mean operation?)"},
      {"max: 5", "max: 5, when: {bits_of: {\"in[7]\": 8}}", "unknown port \"in[7]\""},
      {"max: 5", "max: 5, when: {encoding: [AXIS_OFFSET]}", "unknown encoding \"AXIS_OFFSET\""},
      {"max: 5", "max: \"rank(in[0]\"", "expected ')' at character 11"},
      {"max: 5", "max: \"rank(in[9])\"", "unknown port \"in[9]\""},
      {"max: 5", "max: \"dim(in[0], axs)\"", "unknown param \"axs\" (did you mean axis?)"},
      {"max: 5", "max: \"1/0\"", "division by zero"},
      {"kind: rank, max: 5", "kind: same_encoding, as: \"in[0]\", aspect: sacle",
       "`aspect` must be scale or offset or both"},
      {"kind: rank, max: 5", "kind: param_value, eq: 1",
       "kind param_value is about a param, not a port"},
      {"kind: rank, max: 5", "kind: any_of, of: [[{port: \"in[0]\", kind: rank, max: 3}]]",
       "two or more lists"},
      {"kind: rank, max: 5", "kind: any_of, of: [[], []]", "two or more lists"},
      {"kind: rank, max: 5",
       "kind: any_of, of: [[{port: \"in[0]\", kind: rank, max: 3}], [{port: \"in[0]\", kind: "
       "any_of}]]",
       "any_of is not taken within any_of"},
      {"kind: rank, max: 5", "kind: fixed_encoding, scale: 1/x", "a fraction like"},
      {"port: \"in[1]\"", "port: \"in[2]\"", "port \"in[2]\": expected in[1] here"},
      {"port: \"in[0]\", role", "port: \"in[0..m]\", role", "a variadic port must be the last one"},
      {"op: Op", "op: Opp", "op \"Opp\" in the file of \"Op\""},
      {"backend: htp", "backend: cpu", "backend \"cpu\" in the folder of \"htp\""},
      {"name: axis", "name: operation", "duplicate param \"operation\""},
      {"constraints:", "constraint:",
       "unknown key \"constraint\" of an op (did you mean constraints?)"},
  };
  for (const Case& c : cases) {
    Change(c.from, c.to);
    EXPECT_NE(Error().find(c.error), std::string::npos) << c.to << "\n  gave " << Error();
  }
}

TEST_F(Folder, RefusesDuplicates) {
  const std::string op(kOp);
  Write("htp/Op.yaml", op + op.substr(op.find("  - {id: \"in[0]/rank\"")));
  EXPECT_EQ(Error(), "htp/Op.yaml:16:5: duplicate constraint id \"in[0]/rank\"");
  const std::string variant =
      op.substr(op.find("  - {id: INT8.1"), op.find("constraints") - op.find("  - {id: INT8.1"));
  Change(variant, variant + variant);
  EXPECT_NE(Error().find("htp/Op.yaml:14:5: duplicate variant id \"INT8.1\""), std::string::npos);
  std::string renamed = variant;
  renamed.replace(renamed.find("INT8.1"), 6, "INT8.2");
  Change(variant, variant + renamed);
  EXPECT_NE(Error().find("variant \"INT8.2\" repeats the dtypes of another of its group and range"),
            std::string::npos);
  // Apart in their ranges they are two.
  std::string old = variant, fresh = renamed;
  old.insert(old.find(", sources"), ", until: \"2.47\"");
  fresh.insert(fresh.find(", sources"), ", since: \"2.47\"");
  Change(variant, old + fresh);
  EXPECT_EQ(Error(), "");
}

TEST_F(Folder, SeveralErrorsAtOnceAndNoMoreThanTwenty) {
  std::string text(kOp);
  for (int i = 0; i < 50; ++i) text += "  - {id: c" + std::to_string(i) + ", kind: nothing}\n";
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
            "notes.yaml: only sources.yaml, targets.yaml, precisions.yaml, op_sets.yaml and "
            "waivers.yaml stand "
            "here");
  fs::remove(root_ / "notes.yaml");
  Write("gpu/Op.yaml", "op: Op\nbackend: gpu\n");
  EXPECT_EQ(Error(), "gpu/Op.yaml:2:10: unknown backend \"gpu\": targets.yaml doesn't have it");
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
  EXPECT_EQ(Codes("rank(in[0])-1"), "rc1-");
  EXPECT_EQ(Codes("dim(in[0], axis) - 1"), "pc1-");
  EXPECT_EQ(Codes("dim(in[1],-2)*2+param:axis"), "dc2*a+");
  EXPECT_EQ(Codes("2*(rank(in[0])+3)"), "c2rc3+*");
  EXPECT_EQ(Codes("max(rank(in[0]), 2, 3)"), "rc2Mc3M");
  EXPECT_EQ(Codes("-rank(in[0])"), "rn");
  EXPECT_EQ(Codes("elements(in[0])/count(axis)"), "ek/");
  EXPECT_EQ(Codes("dim(in[0], param:axis[2]) - param:axis[ 1 ]"), "pa-");
  EXPECT_EQ(Codes("total(in[0], axis)"), "t");
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
                           "rank(in[0]",
                           "rank(in[0]))",
                           "1 2",
                           "1 +",
                           "dim(in[0])",
                           "param:axis[",
                           "param:axis[-1]",
                           "dim(in[0], axis[x])",
                           "elements()",
                           "count(in[0])",
                           "total(in[0])",
                           "dim(in[0], 99)",
                           "max(1)",
                           "9999999999999999999",
                           "9223372036854775807 + 1",
                           "-(-9223372036854775807 - 1)",
                           "1 / 0",
                           "rank(in[2])",
                           "rank(in[3..m])",
                           "param:",
                           "param:axis[",
                           "param:axis[x]",
                           "param:axis[-1]",
                           "param:axis[65]",
                           "param:axis[0",
                           "dim(in[0],axis[0)",
                           "param:ax",
                           "sin(1)",
                           "1.5"}) {
    EXPECT_EQ(Codes(text).rfind("expression ", 0), 0u) << text << " gave " << Codes(text);
  }
  EXPECT_NE(Codes(std::string(200, '(')).find("nested too deep"), std::string::npos);
  std::string right = "rank(in[0])";
  for (int i = 0; i < 16; ++i) right = "1+(" + right + ")";
  EXPECT_NE(Codes(right).find("too deep"), std::string::npos);
  EXPECT_NE(Codes(std::string(300, '1')).find("too long"), std::string::npos);
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
      "port: operation, kind: param_value, denied: [POWER, 3], when: {param_not: {operation: "
      "ADD}}");
  const Database database = Load();
  const opdb::View& view = database.view();
  const auto& op = view.get(view.backends()[0].ops)[0];
  const auto& row = view.get(op.constraints)[1];
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
  AddConstraint("port: axis, kind: param_value, eq: 1, when: {bits: 8}");
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
  op.replace(op.rfind("docs-2.25"), 9, "mine");
  std::ofstream(overlay / "htp/New.yaml") << op;
  std::ofstream(overlay / "sources.yaml")
      << "sources:\n  - {id: mine, title: own, sdk: \"2.47\", measured: true}\n";
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
  EXPECT_EQ(merged.Query("Op", *target)->constraints[0].text, "rank <= 3");
  EXPECT_EQ(merged.Query("New", *target)->constraints[0].sources, std::vector<std::string>{"mine"});
  EXPECT_EQ(merged.Socs().size(), 2u);
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
