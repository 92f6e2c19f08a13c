// Ids of constraints that changed: what the table may say, and that every id of 0.1.0 is known.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "quantgate/overlay.h"
#include "tests/unit/support/opdefs_folder.h"

namespace quantgate::opdefs {
namespace {

class RenamedIds : public Folder {
 protected:
  std::string ErrorOf(const std::string& lines) {
    Write("renamed_ids.yaml", "\"0.2\":\n  htp:\n" + lines);
    return Error();
  }
  static std::vector<std::string> Now(const Database& database, const std::string& id) {
    const auto renamed = database.Renamed(id);
    return renamed ? renamed->now : std::vector<std::string>{"unknown"};
  }
};

using Ids = std::vector<std::string>;

TEST_F(RenamedIds, ANameEverywhere) {
  Write("renamed_ids.yaml", "\"0.2\": {htp: {any-rank: rank}}\n");
  const Database database = Load();
  const auto renamed = database.Renamed("htp/Op/in[0]/any-rank");
  ASSERT_TRUE(renamed.has_value());
  EXPECT_EQ(renamed->since, "0.2");
  EXPECT_EQ(renamed->now, Ids{"htp/Op/in[0]/rank"});
  EXPECT_EQ(renamed->gone, "");
  for (const char* other :
       {"htp/Op/in[0]/rank", "cpu/Op/in[0]/any-rank", "any-rank", "", "htp/Op"}) {
    EXPECT_FALSE(database.Renamed(other).has_value()) << other;
  }
}

TEST_F(RenamedIds, ThePlacesOfAnEntryComeBeforeTheRest) {
  Write("renamed_ids.yaml", R"("0.2":
  htp:
    scale:
      - {now: [finite, positive], ports: {Op: in0}}
      - {gone: never measured, ports: {Op: [out0, axis]}}
      - {now: finite}
)");
  const Database database = Load();
  EXPECT_EQ(Now(database, "htp/Op/in[0]/scale"),
            (Ids{"htp/Op/in[0]/finite", "htp/Op/in[0]/positive"}));
  EXPECT_EQ(Now(database, "htp/Op/in[1]/scale"), Ids{"unknown"});  // none is there
  EXPECT_EQ(Now(database, "htp/Op/axis/scale"), Ids{});
  EXPECT_EQ(Now(database, "htp/Op/in[0]/finite"), Ids{"unknown"});  // it never changed
  EXPECT_EQ(database.Renamed("htp/Op/out[0]/scale")->gone, "never measured");
}

TEST_F(RenamedIds, Mistakes) {
  EXPECT_EQ(ErrorOf("    any: rnak\n"),
            "renamed_ids.yaml:3:10: no op of htp has a constraint \"rnak\" (did you mean rank?)");
  EXPECT_EQ(ErrorOf("    any: [{now: rank, ports: {Op: out0}}]\n"),
            "renamed_ids.yaml:3:17: Op/out[0] has no constraint \"rank\"");
  EXPECT_EQ(ErrorOf("    any: [{now: rank, ports: {Opp: in0}}]\n"),
            "renamed_ids.yaml:3:31: unknown op \"Opp\" (did you mean Op?)");
  EXPECT_EQ(ErrorOf("    any: [{gone: merged, ports: {Op: in7}}]\n"),
            "renamed_ids.yaml:3:38: unknown port or param \"in7\" (did you mean in0 or in1?)");
  EXPECT_EQ(ErrorOf("    any: [{now: rank, ports: {Op: [in0, in0]}}]\n"),
            "renamed_ids.yaml:3:41: Op/in[0] stands here twice");
  EXPECT_EQ(
      ErrorOf("    any: [{now: rank}, {now: finite, ports: {Op: in0}}]\n"),
      "renamed_ids.yaml:3:11: an entry without `ports` is for all others: it must be the last");
  EXPECT_EQ(ErrorOf("    any: [{now: rank, gone: too}]\n"),
            "renamed_ids.yaml:3:23: an entry of a name has `now` or `gone`, not both");
  EXPECT_EQ(ErrorOf("    any: [{ports: {Op: in0}}]\n"),
            "renamed_ids.yaml:3:11: an entry of a name has none of `now`, `gone`");
  EXPECT_EQ(ErrorOf("    any: [{nwo: rank}]\n"),
            "renamed_ids.yaml:3:12: unknown key \"nwo\" of an entry of a name (did you mean now?)");
  Write("renamed_ids.yaml", "\"0.2\": {hpt: {any: rank}}\n");
  EXPECT_EQ(Error(), "renamed_ids.yaml:1:9: unknown backend \"hpt\" (did you mean htp?)");
  Write("renamed_ids.yaml", "htp: {htp: {any: rank}}\n");
  EXPECT_EQ(
      Error(),
      "renamed_ids.yaml:1:1: a version of quantgate is quoted text like \"0.2\", not \"htp\"");
}

TEST_F(RenamedIds, AnOverlayKeepsTheTableBelowAndAddsToIt) {
  Write("renamed_ids.yaml", "\"0.2\": {htp: {any: rank, scale: finite}}\n");
  const Database below = Load();
  fs::remove_all(root_);
  Write("renamed_ids.yaml", "\"0.3\": {htp: {scale: positive}}\n");
  const auto both = WithOverlay(below, std::vector<std::string>{root_.string()});
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ(Now(*both, "htp/Op/in[0]/any"), Ids{"htp/Op/in[0]/rank"});
  EXPECT_EQ(Now(*both, "htp/Op/in[0]/scale"), Ids{"htp/Op/in[0]/positive"});
  EXPECT_EQ(both->Renamed("htp/Op/in[0]/scale")->since, "0.3");
}

// tests/data/constraint_ids_0.1.0.txt: `htp/Conv2d/in[0] NAME NAME ...`
TEST(ConstraintIds, OfVersion010AreAllKnown) {
  const Database& database = Database::Embedded();
  std::set<std::string> known;
  for (const std::string& backend : database.Backends()) {
    for (const std::string& op : database.OpsOfEverySdk(backend)) {
      const auto info = database.QueryEverySdk(op, backend);
      ASSERT_TRUE(info.ok()) << info.status();
      for (const auto& one : info->constraints) known.insert(one.id);
    }
  }
  std::ifstream file(QUANTGATE_SOURCE_DIR "/tests/data/constraint_ids_0.1.0.txt");
  size_t ids = 0, renamed_ids = 0, gone = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string place, name;
    for (words >> place; words >> name; ++ids) {
      const std::string id = place + "/" + name;
      const auto renamed = database.Renamed(id);
      if (!renamed) {
        EXPECT_TRUE(known.contains(id)) << id << " is unknown: see opdefs/renamed_ids.yaml";
        continue;
      }
      ++renamed_ids;
      if (renamed->now.empty()) {
        ++gone;
        EXPECT_FALSE(renamed->gone.empty()) << id;
        EXPECT_FALSE(known.contains(id)) << id;
      }
      for (const std::string& now : renamed->now) {
        EXPECT_TRUE(known.contains(now)) << id << " leads to the unknown " << now;
      }
    }
  }
  EXPECT_EQ(ids, 6062U);
  EXPECT_GT(renamed_ids, 3700U);
  EXPECT_LT(gone, 100U);
}

}  // namespace
}  // namespace quantgate::opdefs
