// What the backend gets of a model.
#include "quantgate/lower.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "quantgate/reader.h"
#include "tests/unit/support/one_node.h"

namespace quantgate {
namespace {

TEST(Lower, AModelOfTheBackendStaysAsItIs) {
  const Tensor tensor = PerTensor(Dtype::kUfixedPoint8, {1, 8}, 0.02F, 128);
  const LoweredGraph lowered = Lower(OneNode("Relu", {tensor, tensor}), *Target::Parse({}));
  ASSERT_EQ(lowered.model.nodes.size(), 1u);
  EXPECT_EQ(lowered.model.nodes[0].op, "Relu");
  EXPECT_EQ(lowered.source, std::vector<int32_t>{0});
  EXPECT_EQ(lowered.withheld, std::vector<bool>{false});
}

TEST(Lower, OnnxBecomesWhatIsChecked) {
  const std::string path =
      std::string(QUANTGATE_SOURCE_DIR) + "/docs/examples/resnet18_8a8w_per_channel.onnx";
  Model model;
  ASSERT_TRUE(ReadInput(path, std::nullopt, [&](ReadModel read) {
                model = *std::move(read.model);
              }).ok());
  const Report report = Validator(*Target::Parse({})).Check(model);
  const LoweredGraph lowered = Lower(model, *Target::Parse({}));
  ASSERT_EQ(lowered.source.size(), lowered.model.nodes.size());
  ASSERT_EQ(lowered.withheld.size(), lowered.model.nodes.size());
  size_t ops = 0;
  for (const NodeReport& node : report.nodes) ops += node.resolved.size();
  EXPECT_EQ(lowered.model.nodes.size(), ops);
  for (size_t i = 0; i < lowered.source.size(); ++i) {
    const auto source = static_cast<size_t>(lowered.source[i]);
    ASSERT_LT(source, model.nodes.size());
    const auto& resolved = report.nodes[source].resolved;
    EXPECT_NE(std::find(resolved.begin(), resolved.end(), lowered.model.nodes[i].op),
              resolved.end())
        << lowered.model.nodes[i].name;
  }
}

}  // namespace
}  // namespace quantgate
