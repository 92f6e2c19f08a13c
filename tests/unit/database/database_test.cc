#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "core/database/compile/compile.h"
#include "core/database/describe.h"
#include "core/database/image.h"
#include "core/database/image_check.h"
#include "core/database/kinds.h"
#include "core/database/view.h"
#include "quantgate/database.h"
#include "quantgate/target.h"

namespace quantgate {
namespace {

using ::testing::Test;

std::string SmallImage() {
  const std::vector<std::string> folders = {QUANTGATE_SOURCE_DIR "/tests/fixtures/opdefs/small"};
  auto image = opdefs::CompileOpdefs(folders);
  EXPECT_TRUE(image.ok()) << image.status();
  return image.ok() ? *image : std::string();
}

class SmallDatabase : public Test {
 protected:
  SmallDatabase() : database_(*Database::FromImage(SmallImage())) {}

  absl::StatusOr<Target> Parse(TargetSpec spec) { return Target::Parse(spec, database_); }
  Target Good(TargetSpec spec) {
    auto target = Parse(spec);
    EXPECT_TRUE(target.ok()) << target.status();
    return target.ok() ? *target : Target();
  }
  std::string Error(TargetSpec spec) {
    const auto target = Parse(spec);
    EXPECT_EQ(target.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(target.status().message());
  }

  Database database_;
};

TEST(Sdk, ComparesAsNumbers) {
  EXPECT_LT(*ParseSdk("2.9"), *ParseSdk("2.13"));
  EXPECT_EQ(*ParseSdk("2.51.0.26"), *ParseSdk("2.51"));
  EXPECT_EQ(SdkName(*ParseSdk("2.5.1")), "2.5");
}

TEST(Sdk, RefusesWhatIsNoVersion) {
  for (const char* text : {"", "2", "2.", ".5", "v2.51", "2.51x", "2.256", "300.1", "-2.1", "2.-1",
                           "2.51.", "2.51..1", "2.51.\n", "255.255", " 2.51"}) {
    EXPECT_FALSE(ParseSdk(text).ok()) << text;
  }
}

TEST_F(SmallDatabase, TargetDefaults) {
  const Target target = Good({});
  EXPECT_EQ(target.backend(), "htp");
  EXPECT_EQ(target.sdk(), "2.51");
  EXPECT_EQ(target.arch(), "v73");
  EXPECT_EQ(target.arch_index(), 2);
  EXPECT_EQ(target.soc(), "");
  EXPECT_TRUE(target.measured());
  ASSERT_EQ(target.notes().size(), 1u);
  EXPECT_EQ(target.notes()[0], "neither soc nor arch given: assumed v73");
}

TEST_F(SmallDatabase, SocGivesTheArch) {
  for (const char* soc : {"SM8350", "sm8350", "sm 8350", "30"}) {
    const Target target = Good({.soc = soc});
    EXPECT_EQ(target.soc(), "SM8350") << soc;
    EXPECT_EQ(target.arch(), "v68") << soc;
    EXPECT_TRUE(target.notes().empty()) << soc;
    EXPECT_EQ(target.unsupported(), "") << soc;
  }
  // Aliases, with and without a maker's name before them.
  for (const char* soc : {"qcs8550", "Snapdragon 8 Gen 2", "maker-snapdragon-8-gen-2", "519",
                          "maker-snapdragon-8gen2", "Snapdragon® 8 Gen 2 QRD", "QCS8550 (Proxy)",
                          "sm8550-ac", "Snapdragon 8 Gen 2 for Phones", "8 Gen 2", "8gen2",
                          "SD 8 Gen 2"}) {
    EXPECT_EQ(Good({.soc = soc}).soc(), "SM8550") << soc;
  }
  EXPECT_EQ(Good({.soc = "qcs8550"}).notes(), std::vector<std::string>{"\"qcs8550\" is SM8550"});
  EXPECT_EQ(Good({.soc = "519"}).notes(),
            std::vector<std::string>{
                "\"519\" is the Linux kernel's number for SM8550, whose SoC id is 43"});
  for (const char* soc : {"Gen 2", "2 Snapdragon 8 Gen 2", "XQCS8550", "520", "Snapdragon 8 Gen 22",
                          "SM8550 2", "board 519"}) {
    EXPECT_NE(Error({.soc = soc}).find("unknown soc"), std::string::npos) << soc;
  }
}

TEST_F(SmallDatabase, SocWinsAgainstTheArch) {
  const Target target = Good({.soc = "SM8550", .arch = "v68"});
  EXPECT_EQ(target.arch(), "v73");
  EXPECT_EQ(target.conflict(), "SM8550 has arch v73, not v68: v73 is used");
  EXPECT_EQ(Good({.soc = "SM8550", .arch = "V73"}).conflict(), "");
}

TEST_F(SmallDatabase, SocBelowTheFirstArchIsUnsupported) {
  const Target old = Good({.soc = "SM8250"});
  EXPECT_EQ(old.arch(), "v66");
  EXPECT_EQ(old.unsupported(),
            "SM8250 is v66, older than the first arch of htp, v68: nothing runs there");
  EXPECT_EQ(Good({.soc = "59"}).unsupported(), "the arch of QCM4490 is unknown");
}

TEST_F(SmallDatabase, SdkBetweenKnownOnesTakesTheLower) {
  const Target target = Good({.sdk = "2.30.0", .arch = "v69"});
  EXPECT_EQ(target.sdk(), "2.30");
  EXPECT_EQ(target.knowledge_sdk(), "2.25");
  EXPECT_FALSE(target.measured());
  ASSERT_EQ(target.notes().size(), 1u);
  EXPECT_NE(target.notes()[0].find("those of 2.25 are used"), std::string::npos);
  EXPECT_TRUE(Good({.sdk = "2.47", .arch = "v69"}).measured());
}

TEST_F(SmallDatabase, SdkAboveTheNewestIsNoted) {
  const Target target = Good({.sdk = "3.0", .arch = "v69"});
  EXPECT_EQ(target.knowledge_sdk(), "2.51");
  ASSERT_EQ(target.notes().size(), 1u);
  EXPECT_NE(target.notes()[0].find("newer than the newest known, 2.51"), std::string::npos);
}

TEST_F(SmallDatabase, UnknownTargetsNameTheNearest) {
  EXPECT_EQ(Error({.backend = "http"}), "unknown backend \"http\" (did you mean htp?)");
  EXPECT_NE(Error({.backend = "tpux"}).find("htp"), std::string::npos);
  EXPECT_EQ(Error({.soc = "SM8555"}).find("unknown soc \"SM8555\" (did you mean SM8550"), 0u);
  EXPECT_EQ(Error({.soc = "v73"}), "unknown soc \"v73\": it is an architecture (--arch v73)");
  EXPECT_EQ(Error({.arch = "v74"}).find("unknown arch \"v74\" of htp (did you mean v73"), 0u);
  EXPECT_EQ(Error({.sdk = "2.9"}), "SDK 2.9 is older than the oldest known, 2.25");
  EXPECT_NE(Error({.sdk = "new"}).find("expected MAJOR.MINOR"), std::string::npos);
  EXPECT_NE(Error({.soc = "99999999999999999999"}).find("unknown soc"), std::string::npos);
  EXPECT_EQ(Error({.soc = std::string(100000, '\n')}).find('\n'), std::string::npos);
}

TEST_F(SmallDatabase, ListsWhatItKnows) {
  EXPECT_EQ(database_.Backends(), std::vector<std::string>{"htp"});
  EXPECT_EQ(database_.Sdks("htp"), (std::vector<std::string>{"2.25", "2.47", "2.51"}));
  EXPECT_EQ(database_.Archs("htp"), (std::vector<std::string>{"v68", "v69", "v73", "v75"}));
  EXPECT_TRUE(database_.Sdks("gpu").empty());
  EXPECT_EQ(database_.Ops(Good({})), (std::vector<std::string>{"Join", "Relu"}));
  ASSERT_EQ(database_.Socs().size(), 4u);
  EXPECT_EQ(database_.Socs()[0].arch, "v66");
  EXPECT_EQ(database_.Socs()[1].vtcm_mb, 4);
}

TEST_F(SmallDatabase, QueryKeepsWhatTheTargetTakes) {
  const OpInfo old = *database_.Query("Relu", Good({.sdk = "2.25", .arch = "v73"}));
  ASSERT_EQ(old.variants.size(), 1u);
  EXPECT_EQ(old.variants[0].id, "htp/Relu#INT8.1");
  EXPECT_EQ(old.variants[0].sources, (std::vector<std::string>{"docs-2.25", "measured-2.47"}));
  ASSERT_EQ(old.constraints.size(), 2u);
  EXPECT_EQ(old.constraints[1].consequence, Consequence::kRejected);

  const OpInfo now = *database_.Query("Relu", Good({.arch = "v73"}));
  ASSERT_EQ(now.variants.size(), 2u);
  EXPECT_EQ(now.variants[1].since, "2.47");
  EXPECT_EQ(now.variants[1].archs, "v73+");
  EXPECT_EQ(now.constraints[1].id, "htp/Relu/out[0]/same-encoding");
  EXPECT_EQ(now.constraints[1].rule, "QG401");
  EXPECT_EQ(now.constraints[1].text, "same encoding as in[0]");
  EXPECT_EQ(now.constraints[1].consequence, Consequence::kUndocumented);  // as measured
  EXPECT_EQ(now.constraints[1].groups, std::vector<std::string>{"INT8"});

  EXPECT_EQ(database_.Query("Relu", Good({.arch = "v69"}))->variants.size(), 1u);
}

TEST_F(SmallDatabase, QueryOfUnknownOpsNamesTheNearest) {
  const auto info = database_.Query("Rely", Good({}));
  EXPECT_EQ(info.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(info.status().message(), "unknown op \"Rely\" of htp (did you mean Relu?)");
}

TEST_F(SmallDatabase, ConstraintsReadAsText) {
  const OpInfo info = *database_.Query("Join", Good({.arch = "v73"}));
  std::vector<std::string> texts;
  for (const auto& c : info.constraints) texts.push_back(c.port + ": " + c.text);
  EXPECT_EQ(texts, (std::vector<std::string>{
                       "in[1..m]: rank = max(rank(in[0]), 2), when operation is ADD or MULTIPLY "
                       "and it is UFIXED_POINT_8",
                       "in[2]: dimension 0, -1 <= dim(in[0], axis) - 1",
                       "out[0]: scale 1.52588e-05, offset -32768, when in[0] is constant and in[1] "
                       "has rank 2 or 3",
                       "axis: >= 0 and <= rank(in[0]) - 1",
                       "operation: not POWER",
                       "stride: stride = 1, 1; or in[0] rank <= 3 and axis = 0",
                   }));
  EXPECT_EQ(info.constraints[1].archs, "v69..v73");
  EXPECT_EQ(info.constraints[2].note, "half a range");
}

TEST_F(SmallDatabase, DocumentsAreTreesWithPlaces) {
  const opdb::View& view = database_.view();
  const opdb::Tree onnx = view.Document("resolve/onnx");
  ASSERT_TRUE(onnx);
  EXPECT_EQ(onnx["ops"]["Relu"]["to"].str(), "Relu");
  EXPECT_EQ(onnx["ops"]["Relu"]["attribute_defaults"]["since"].integer(), 6);
  EXPECT_EQ(onnx["ops"].at(0).key(), "Abs");  // sorted, though written second
  const opdb::Tree list = onnx["ops"]["Abs"]["clamp"]["min"];
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list.at(2).real(), 3.5);
  EXPECT_EQ(list.at(2).str(), "3.5");
  EXPECT_EQ(list.at(3).flag(), true);
  EXPECT_EQ(list.at(4).type(), opdb::TreeType::kNull);
  EXPECT_FALSE(list.at(4));
  EXPECT_EQ(list.line(), 3u);
  EXPECT_EQ(list.column(), 32u);
  EXPECT_FALSE(onnx["nothing"]["here"].at(3));
  EXPECT_FALSE(view.Document("resolve/tflite"));
}

TEST_F(SmallDatabase, FindsOps) {
  const opdb::View& view = database_.view();
  const opdb::BackendRow& htp = view.backends()[static_cast<size_t>(view.FindBackend("htp"))];
  EXPECT_EQ(view.FindOp(htp, "Join"), 0);
  EXPECT_EQ(view.FindOp(htp, "Relu"), 1);
  for (const char* name : {"", "Joi", "Joins", "relu", "Zzz"})
    EXPECT_EQ(view.FindOp(htp, name), -1);
  EXPECT_EQ(view.FindBackend("gpu"), -1);
}

TEST_F(SmallDatabase, SingleTensorsOfVariadicPorts) {
  const opdb::View& view = database_.view();
  const opdb::OpRow& join = view.get(view.backends()[0].ops)[0];
  const auto constraints = view.get(join.constraints);
  EXPECT_EQ(constraints[0].port, 1);
  EXPECT_EQ(constraints[0].element, -1);  // in[1..m]
  EXPECT_EQ(constraints[1].port, 1);
  EXPECT_EQ(constraints[1].element, 1);  // in[2]
  const auto when = view.get(constraints[2].when);
  ASSERT_EQ(when.size(), 2u);
  EXPECT_EQ(when[1].port, 1);
  EXPECT_EQ(when[1].element, 0);  // in[1]
}

TEST(Image, RefusesWhatIsNone) {
  EXPECT_FALSE(Database::FromImage("").ok());
  EXPECT_FALSE(Database::FromImage("short").ok());
  EXPECT_FALSE(Database::FromImage(std::string(100000, '\0')).ok());
  std::string image = SmallImage();
  EXPECT_FALSE(Database::FromImage(image + "x").ok());
  EXPECT_FALSE(Database::FromImage(image.substr(0, image.size() - 8)).ok());
  image[8] = 99;  // the version
  EXPECT_NE(Database::FromImage(image).status().message().find("format"), std::string::npos);
}

// Walks over everything that an image holds.
size_t ReadAll(const Database& database) {
  size_t read = 0;
  for (const std::string& backend : database.Backends()) {
    const auto target = Target::Parse({.backend = backend}, database);
    if (!target.ok()) continue;
    for (const std::string& op : database.Ops(*target)) {
      const auto info = database.Query(op, *target);
      if (!info.ok()) continue;
      for (const auto& c : info->constraints) read += c.text.size();
      for (const auto& v : info->variants) read += v.dtypes.size();
    }
  }
  for (const auto& soc : database.Socs()) read += soc.name.size();
  std::vector<opdb::Tree> open;
  for (const auto& row : database.view().documents()) {
    open.push_back(database.view().TreeAt(row.root));
  }
  while (!open.empty()) {
    const opdb::Tree tree = open.back();
    open.pop_back();
    read += tree.str().size() + tree.key().size();
    for (size_t i = 0; i < tree.size(); ++i) open.push_back(tree.at(i));
  }
  return read;
}

TEST(Image, DamagedOnesAreRefusedOrReadable) {
  const std::string good = SmallImage();
  EXPECT_GT(ReadAll(*Database::FromImage(good)), 0u);
  std::mt19937 random(1);
  size_t refused = 0;
  constexpr int kRounds = 3000;
  for (int round = 0; round < kRounds; ++round) {
    std::string image = good;
    for (int i = 0; i < 1 + round % 4; ++i) {
      image[random() % image.size()] = static_cast<char>(random());
    }
    const auto database = Database::FromImage(image);
    refused += database.ok() ? 0 : 1;
    if (database.ok()) ReadAll(*database);
  }
  EXPECT_GT(refused, 0u);
  EXPECT_LT(refused, static_cast<size_t>(kRounds));  // bytes of names don't matter
}

// A database file is read by versions of the same kImageVersion. Where this fails, rows or the
// meaning of their numbers have changed: raise kImageVersion, then put the new fingerprint here.
TEST(Image, ItsVersionIsRaisedWithItsLayout) {
  std::string layout;
  const auto add = [&](const auto& item) { layout += absl::StrCat(item, " "); };
  for (const size_t size :
       {sizeof(opdb::SourceRow), sizeof(opdb::SocRow), sizeof(opdb::EnumRow),
        sizeof(opdb::PortRow), sizeof(opdb::ParamRow), sizeof(opdb::VariantRow),
        sizeof(opdb::ArgRow), sizeof(opdb::CondRow), sizeof(opdb::AltRow),
        sizeof(opdb::ConstraintRow), sizeof(opdb::OpRow), sizeof(opdb::BackendRow),
        sizeof(opdb::TreeRow), sizeof(opdb::RenameRow), sizeof(opdb::DocumentRow)}) {
    add(size);
  }
  for (int i = 0; i < opdb::kKindCount; ++i) {
    add(Absl(opdb::RowOf(static_cast<opdb::Kind>(i)).name));
  }
  for (int i = 0; i < opdb::kArgKeyCount; ++i) {
    add(Absl(opdb::ArgKeyName(static_cast<opdb::ArgKey>(i))));
  }
  for (int i = 0; i <= static_cast<int>(opdb::CondKey::kNoop); ++i) {
    add(Absl(opdb::CondKeyName(static_cast<opdb::CondKey>(i))));
  }
  for (int i = 0; i < kDtypeCount; ++i) add(Absl(DtypeName(static_cast<Dtype>(i))));
  for (int i = 0; i < kConsequenceCount; ++i) {
    add(Absl(ConsequenceName(static_cast<Consequence>(i))));
  }
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : layout) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  EXPECT_EQ(absl::StrCat(opdb::kImageVersion, " ", absl::Hex(hash)), "8 903ce0a6980fb8d5") << layout;
}

class DatabaseFile : public Test {
 protected:
  DatabaseFile() : path_(::testing::TempDir() + "quantgate_database_test.qgdb") {}
  ~DatabaseFile() override { std::filesystem::remove(path_); }

  std::string Error(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    const auto database = Database::FromFile(path_);
    return database.ok() ? "" : std::string(database.status().message());
  }

  const std::string path_;
};

TEST_F(DatabaseFile, IsReadAndChecked) {
  const std::string image = SmallImage();
  EXPECT_EQ(Error(image), "");
  EXPECT_EQ(Database::FromFile(path_)->Backends(), Database::FromImage(image)->Backends());
  EXPECT_EQ(Error(""), path_ + ": damaged database image: too short");
  EXPECT_EQ(Error(std::string(image.size(), 'x')), path_ + ": not a database compiled by opdefc");
  std::string other = image;
  other[8] = 77;  // the version, behind the magic bytes
  EXPECT_EQ(Error(other), path_ + ": a database of format 77; this version of quantgate reads format " +
                              std::to_string(opdb::kImageVersion));
  EXPECT_EQ(Error(image.substr(0, image.size() / 2)), path_ + ": damaged database image: its size");
}

TEST_F(DatabaseFile, IsARegularFile) {
  const auto why = [](const std::string& path) {
    return std::string(Database::FromFile(path).status().message());
  };
  EXPECT_EQ(why("/nowhere/x"), "/nowhere/x: No such file or directory");
  EXPECT_EQ(why(::testing::TempDir()), ::testing::TempDir() + ": is no regular file");
  EXPECT_EQ(why("/dev/zero"), "/dev/zero: is no regular file");
}

TEST(Kinds, NamesAreUnique) {
  std::vector<std::string_view> names;
  for (int i = 0; i < opdb::kKindCount; ++i) {
    const auto kind = static_cast<opdb::Kind>(i);
    names.push_back(opdb::RowOf(kind).name);
    EXPECT_FALSE(names.back().empty()) << i;
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_EQ(opdb::RowOf(opdb::Kind::kBiasScale).name, "bias_scale");
  EXPECT_EQ(opdb::ArgKeyName(opdb::ArgKey::kTolerance), "tolerance");
  EXPECT_EQ(opdb::ArgKeyName(opdb::ArgKey::kExact), "exact");
  EXPECT_EQ(opdb::CondKeyName(opdb::CondKey::kNoop), "noop");
}

TEST(Embedded, IsThere) {
  const Database& database = Database::Embedded();
  const auto target = Target::Parse({.soc = "sm8550"});
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->arch(), "v73");
  EXPECT_GE(database.Ops(*target).size(), 121u);  // those of the documentation of 2.25
  const auto conv = database.Query("Conv2d", *target);
  ASSERT_TRUE(conv.ok()) << conv.status();
  EXPECT_EQ(conv->inputs[1].role, "weight");
  EXPECT_FALSE(conv->variants.empty());
}

// Opened without a look at its indices: the build's look at them has to be enough.
TEST(Embedded, IsSound) { EXPECT_EQ(opdb::ImageCheck(Database::Embedded().view()).Run(), ""); }

TEST(Embedded, EveryConstraintHasATextAndARule) {
  const Database& database = Database::Embedded();
  const opdb::View& view = database.view();
  for (const auto& backend : view.backends()) {
    for (const auto& op : view.get(backend.ops)) {
      const opdb::Describer describe(view, backend, op);
      for (const auto& row : view.get(op.constraints)) {
        EXPECT_FALSE(describe.Constraint(row).empty())
            << view.str(op.name) << " " << view.str(row.id);
        EXPECT_EQ(opdb::RowOf(row.kind).rule_code().empty(), row.kind == opdb::Kind::kNote)
            << view.str(row.id);
      }
    }
  }
}

}  // namespace
}  // namespace quantgate
