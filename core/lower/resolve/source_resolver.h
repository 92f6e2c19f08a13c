// Resolves one model of a source dialect; see resolve.h.
#ifndef QUANTGATE_CORE_LOWER_RESOLVE_SOURCE_RESOLVER_H_
#define QUANTGATE_CORE_LOWER_RESOLVE_SOURCE_RESOLVER_H_

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/base/rule_id.h"
#include "core/lower/resolve/encodings.h"
#include "core/lower/resolve/graph_builder.h"
#include "core/lower/resolve/mapping.h"
#include "core/lower/resolve/resolved.h"
#include "quantgate/shared_string.h"

namespace quantgate {

// Passes, each over the nodes in file order:
//   Classify      entries of the mapping, constants, who makes and who reads a tensor
//   ReadEncodings Q and DQ nodes become encodings
//   FormUnits     which ops are quantized units, which run in float, what is absorbed
//   Emit          ops of the graph, with their tensors
class SourceResolver {
 public:
  // `route`: its document, or nothing.
  SourceResolver(const Model& file, mapping::Mapping& mapping, opdb::Tree route,
                 Resolved& resolved);
  void Run();
  // Operators that the tool of a route does not hand over as they are written: `operators` of its
  // document. After Run().
  void ApplyRoute(opdb::Tree route, std::string_view release, const Target& target);

 private:
  friend class NodeScope;
  enum class Kind : uint8_t {
    kOp,
    kQuantize,
    kDequantize,
    kConstant,
    kIdentity,
    kFolded,   // computed from constants only
    kUnread,   // nothing reads its results: the tool drops it
    kUnknown,  // no mapping, or one that can't be used: `problem`
  };
  struct NodeState {
    Kind kind = Kind::kUnknown;
    bool quantized = false;  // kOp: a quantized unit
    bool half_quantized = false;  // kOp: in part, and that was reported
    bool emit = false;       // kQuantize, kDequantize: stands alone as an op
    int32_t encoding = -1;   // kQuantize, kDequantize: index into encodings_
    // kOp: the last node after it that is merged into it: an addition, a redundant activation.
    int32_t fused = -1;
    TensorId added = kNoTensor;  // kOp: what the fused addition adds
    int32_t host = -1;           // the node that absorbs this one
    bool shares = false;         // the verdict of `host`
    const mapping::OpMapping* mapping = nullptr;
    const mapping::Case* chosen = nullptr;
  };

  TensorId Real(TensorId id) const { return alias_[static_cast<size_t>(id)]; }
  std::span<const int32_t> Readers(TensorId id) const;
  int32_t Producer(TensorId id) const { return producer_[static_cast<size_t>(id)]; }
  bool IsConstant(TensorId id) const { return constant_[static_cast<size_t>(id)]; }
  const Tensor& FileTensor(TensorId id) const { return file_.tensors[static_cast<size_t>(id)]; }
  const TensorValues* ValuesOf(TensorId id) const;
  // The DQ node that makes this tensor and has an encoding, else -1.
  int32_t DequantizeOf(TensorId id) const;
  // The only reader, where it is a Q node with an encoding and the tensor is no graph output.
  int32_t OnlyQuantizeOf(TensorId id) const;
  TensorId QuantizedInput(int32_t dq) const;
  // The encoding that a float tensor of the file has for its reader, through a DQ or passed on,
  // and for its producer, through a Q or passed on. -1 = none.
  int32_t EncodingFor(TensorId id) const;
  int32_t EncodingBehind(TensorId id) const;
  // The tensor that holds the quantized values then.
  TensorId QuantizedSource(TensorId id) const;
  TensorId QuantizedResult(TensorId id) const;
  void PassBackward();
  void PassForward(int32_t node);
  bool IsPerTensor(int32_t encoding) const;

  void Classify();
  void ClassifyNode(int32_t node);
  void AssignRole(int32_t node);
  // The operator that stands for an identity between two encodings; null: its encodings are one.
  const mapping::OpMapping* Reencoding(const Node& node);
  void DropUnread();
  void CountReaders();
  void FindConstants();
  void KeepConstant(const Node& node, TensorId id);
  void ReadEncodings();
  void FormUnits();
  const mapping::Case* ChooseCase(int32_t node);
  // `why`, if it is given and the node is none: the first reason.
  bool IsUnit(int32_t node, bool& touches_quantized, std::string* why = nullptr) const;
  // The same in an annotated model: every data tensor has an encoding, whichever.
  bool IsAnnotatedUnit(int32_t node, bool& touches_quantized,
                       std::vector<TensorId>* missing = nullptr) const;
  bool IsPort(const NodeState& state, size_t input) const;
  void ReportMissing(int32_t node);
  void ReadOwnEncodings();
  void FoldQuantizedConstants();
  bool IsDequantizedConstant(TensorId id) const;
  // The tensor after the node and whatever is merged into it.
  TensorId LastOutput(int32_t node, size_t index) const;
  void FuseAddition(int32_t node);
  void FuseActivation(int32_t node);
  bool IsBias(TensorId id) const;
  // Whether the tool quantizes this input of the node, a constant number.
  bool IsQuantizedScalar(int32_t node, TensorId id) const;
  bool MakesRedundant(int32_t activation, int32_t encoding) const;
  // Whether it is an op that no quantized unit is formed of; after units were formed.
  bool RunsInFloat(int32_t node) const;
  void PlaceQuantizers();

  void Emit();
  bool EmitOp(int32_t node);
  bool EmitStep(int32_t node, const mapping::Step& step, std::vector<TensorId>& temps, bool named);
  // The graph tensor of a port of the file's node; kNoTensor where it is not given.
  TensorId InputTensor(int32_t node, size_t index);
  TensorId OutputTensor(int32_t node, size_t index);
  TensorId FileTensorIn(int32_t node, TensorId id, bool bias);
  TensorId QuantizedBias(int32_t node, TensorId id);
  TensorId QuantizedScalar(int32_t node, TensorId id);
  bool AddPort(int32_t node, const mapping::PortSpec& spec, bool input,
               std::vector<TensorId>& temps, absl::InlinedVector<TensorId, 4>& out);
  TensorId Arrange(int32_t node, const mapping::PortSpec& spec, TensorId graph_id);
  TensorId Requantized(const mapping::PortSpec& spec, TensorId graph_id);
  TensorId Wrapped(int32_t node, const mapping::PortSpec& spec, TensorId graph_id);
  // A tensor that the file lacks: between two steps, or a constant. `like`: what it is modelled on.
  std::optional<TensorId> AddNew(int32_t node, const mapping::PortSpec& spec, TensorId like);
  bool UnknownShape(int32_t node, std::string_view name);  // false
  std::optional<mapping::Value> ParamOf(int32_t node, const mapping::ParamSpec& spec);
  bool AddParam(int32_t node, const mapping::ParamSpec& spec, std::vector<Param>& out);
  // Nodes of one step share equal params, and the name of its op.
  Params SharedParams(const mapping::Step& step, std::vector<Param> params);
  SharedString OpOf(const mapping::Step& step);
  void EmitQuantizer(int32_t node);
  // Between a tensor that is quantized in place and a neighbour in float.
  void EmitBorder(int32_t node, TensorId id, bool quantize);

  void Uncheck(int32_t node, std::string reason);
  // `form`: other forms of the operator are translated.
  void Refuse(int32_t node, std::string reason, bool form);
  struct RouteRow;
  void ApplyRow(int32_t node, const RouteRow& row, std::string_view source);
  void Report(int32_t node, RuleId rule, Consequence consequence, const SharedString& message,
              TensorId tensor = kNoTensor);
  void FillSources();
  void FillEnds();

  const Model& file_;
  mapping::Mapping& mapping_;
  opdb::Tree route_;
  Resolved& resolved_;
  GraphBuilder builder_;
  std::vector<NodeState> states_;
  std::vector<NodeEncoding> encodings_;
  std::vector<int32_t> producer_;
  std::vector<TensorId> alias_;
  std::vector<bool> constant_, graph_output_, graph_input_;
  // Of a float tensor of the file that is quantized in place: the encoding passed on to it.
  std::vector<int32_t> passed_;
  // Tensors carry encodings of their own; an op arrives as it is annotated.
  bool annotated_ = false;
  std::vector<bool> border_;  // ... and which has its own Q or DQ in the graph already
  std::string_view quantize_op_, dequantize_op_;
  std::vector<int32_t> reader_begin_, readers_;  // readers of tensor t: [begin[t], begin[t + 1])
  // The first Q or DQ node of a scale, a zero point, a type and a rank.
  absl::flat_hash_map<std::array<int, 4>, int32_t> first_reader_;
  absl::flat_hash_map<TensorId, TensorValues> constants_;  // values from nodes
  struct Emitted {
    SharedString op;
    std::vector<Params> params;  // the first few that differ
  };
  absl::flat_hash_map<const mapping::Step*, Emitted> emitted_;
  absl::flat_hash_set<SharedString> messages_;  // of Report(): thousands of nodes may have the same
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_RESOLVE_SOURCE_RESOLVER_H_
