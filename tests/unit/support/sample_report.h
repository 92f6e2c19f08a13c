// A small report that uses every field, for the tests of the reporters.
#ifndef QUANTGATE_TESTS_UNIT_SUPPORT_SAMPLE_REPORT_H_
#define QUANTGATE_TESTS_UNIT_SUPPORT_SAMPLE_REPORT_H_

#include <string>

#include "quantgate/report.h"

namespace quantgate {

inline constexpr Rule kSymmetricRule = {"QG301", "asymmetric-encoding", "Summary", "Explanation"};
inline constexpr Rule kSameRule = {"QG401", "unequal-encodings", "Summary", "Explanation"};
inline constexpr Rule kModelRule = {"QG601", "cycle", "Summary", "Explanation"};

inline void Count(Report& report) {
  report.counts = {};
  report.basis = {};
  for (const NodeReport& node : report.nodes) {
    ++report.counts[static_cast<size_t>(node.verdict)];
    ++report.basis[static_cast<size_t>(node.basis)];
    report.verdict = Worse(report.verdict, node.verdict);
  }
}

inline Report EmptyReport() {
  Report report;
  report.model = "resnet.onnx";
  report.backend = "htp";
  report.sdk = "2.51";
  report.arch = "v73";
  report.soc = "SM8550";
  report.route = "onnxruntime";
  report.knowledge_sdk = "2.51";
  report.measured = true;
  report.measured_by = "x86-64 library and emulator, not a chip";
  return report;
}

// stem.conv is rejected, relu is fused into it, q is its encoding, `reshapes` further nodes
// have wrong values, odd is unchecked.
inline Report SampleReport(int reshapes = 1, bool same_values = true) {
  Report report = EmptyReport();
  report.notes = {"something to know"};
  report.nodes = {
      {"q", "QuantizeLinear", {}, Consequence::kAccepted, Basis::kMeasured, "stem.conv", "", ""},
      {"stem.conv", "Conv", {"Conv2d"}, Consequence::kRejected, Basis::kMeasured, "", "",
       "model.py:42"},
      {"relu", "Relu", {}, Consequence::kRejected, Basis::kMeasured, "stem.conv", "", ""},
      {"odd", "Loop", {}, Consequence::kUnchecked, Basis::kNothing, "",
       "control flow isn't checked", ""}};
  Finding symmetric;
  symmetric.rule = &kSymmetricRule;
  symmetric.constraint = "htp/Conv2d/in[1]/symmetric";
  symmetric.node_index = 1;
  symmetric.node = "stem.conv";
  symmetric.op = "Conv2d";
  symmetric.op_index = 0;
  symmetric.port = "in[1]";
  symmetric.tensor = "stem.conv.weight";
  symmetric.message = "in[1] of Conv2d must be symmetric on HTP v73";
  symmetric.found =
      "SFIXED_POINT_8 per-channel axis 3, zero_point 3 (offset -3) in 2 of 64 channels";
  symmetric.allowed = "zero_point 0 in every channel";
  symmetric.fixes = {{"quantize the weight symmetric",
                      false,
                      {{"set", "tensors/stem.conv.weight/encoding/perChannel/zeroPoints", "[0]"},
                       {"remove", "nodes/q", ""}}}};
  symmetric.sources = std::vector<std::string>{"docs-2.13", "docs-2.25", "measured-2.51"};
  symmetric.related = {"in[0]"};
  report.findings.push_back(symmetric);
  for (int i = 0; i < reshapes; ++i) {
    const std::string name = "reshape" + std::to_string(i);
    report.nodes.push_back({name, "Reshape", {"Reshape"}, Consequence::kWrongValues,
                            Basis::kMeasured, "", "", ""});
    Finding same;
    same.rule = &kSameRule;
    same.constraint = "htp/Reshape/out[0]/same_encoding";
    same.consequence = Consequence::kWrongValues;
    same.node_index = static_cast<int32_t>(report.nodes.size()) - 1;
    same.node = name;
    same.op = "Reshape";
    same.port = "out[0]";
    same.tensor = name + "_out";
    same.message = "out[0] of Reshape must have the encoding of in[0]";
    same.found = "scale 0." + std::to_string(same_values ? 5 : i + 5);
    same.allowed = "the encoding of in[0]";
    same.sources = std::vector<std::string>{"docs-2.25"};
    report.findings.push_back(same);
  }
  report.failed = true;
  Count(report);
  return report;
}

}  // namespace quantgate

#endif  // QUANTGATE_TESTS_UNIT_SUPPORT_SAMPLE_REPORT_H_
