#include "core/lower/route/document_passes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/base/recent.h"
#include "core/database/conditions.h"
#include "core/ir/channel_move.h"
#include "core/ir/encoding_math.h"
#include "core/lower/route/encoding_text.h"
#include "core/lower/route/graph_rewriter.h"
#include "core/lower/route/requantized_constants.h"
#include "core/rules/raise.h"
#include "quantgate/rule.h"

namespace quantgate {
namespace {

class Passes : GraphRewriter {
 public:
  Passes(opdb::Tree document, Resolved& resolved)
      : GraphRewriter(std::string(document["source"].str()), resolved), document_(document),
        bias_input_(static_cast<size_t>(
            document["requantized_bias"]["input"].integer().value_or(0))) {}

  void Run() {
    Rewrite([this](Node& node) {
      const Entry& entry =
          *met_.Of(node.op, [this](const SharedString& op) { return &EntryOf(op); });
      if (entry.any) Visit(entry, node);
    });
  }

 private:
  // A row about one input, with what is read at each node.
  struct OfInput {
    explicit OfInput(opdb::Tree of)
        : row(of), encoding(of["encoding"]), dtypes(of["dtypes"]), operand(of["operand"]),
          input(static_cast<size_t>(of["input"].integer().value_or(0))) {}
    opdb::Tree row, encoding, dtypes, operand;
    size_t input;
  };

  // What the document says of an op.
  struct Entry {
    bool any = false, bias = false;
    std::vector<opdb::Tree> copies, replaced;
    std::vector<OfInput> narrowed, refused;
  };

  const Entry& EntryOf(const std::string& op) {
    const auto [it, added] = entries_.try_emplace(op);
    if (!added) return it->second;
    Entry& e = it->second;
    const auto names = [&](opdb::Tree list) { return opdb::Lists(list, op); };
    const auto rows = [&](opdb::Tree list) {
      std::vector<opdb::Tree> found;
      for (size_t i = 0; i < list.size(); ++i) {
        if (list.at(i)["op"].str() == op) found.push_back(list.at(i));
      }
      return found;
    };
    const opdb::Tree copies = document_["value_copies"];
    for (size_t i = 0; i < copies.size(); ++i) {
      if (names(copies.at(i)["ops"])) e.copies.push_back(copies.at(i));
    }
    e.bias = names(document_["requantized_bias"]["ops"]);
    e.replaced = rows(document_["fixed_output_encodings"]);
    const auto of_input = [&](opdb::Tree list) {
      const std::vector<opdb::Tree> found = rows(list);
      return std::vector<OfInput>(found.begin(), found.end());
    };
    e.narrowed = of_input(document_["converted_operands"]);
    e.refused = of_input(document_["refused"]);
    e.any = e.bias || !e.copies.empty() || !e.replaced.empty() || !e.narrowed.empty() ||
            !e.refused.empty();
    return e;
  }

  void Visit(const Entry& entry, Node& node) {
    Copies(entry, node);
    if (entry.bias) RequantizeBias(node);
    for (const opdb::Tree row : entry.replaced) Replace(row, node);
    for (const OfInput& row : entry.narrowed) Narrow(row, node);
    for (const OfInput& row : entry.refused) Refuse(row, node);
  }

  // Whether a `value_copies` row of the document is about these encodings. `channels`: a
  // permutation that only brings the channels to the other end.
  bool IsAbout(opdb::Tree row, const Node& node, const Tensor& in, const Tensor& out) {
    const bool one_scale = in.encoding->scales.size() == 1 && out.encoding->scales.size() == 1 &&
                           SameScale(in.encoding->scales[0], out.encoding->scales[0]);
    const bool same = in.dtype == out.dtype && SameEncoding(*in.encoding, *out.encoding);
    const std::string_view differs = row["encoding_difference"].str();
    if (differs == "scale" ? same || one_scale : differs == "none" ? !same : same) {
      return false;
    }
    if (UsesOf(node.outputs[0]) < row["min_uses"].integer().value_or(0))
      return false;
    return row["permutation"].str() != "channels" || MovesChannels(node);
  }

  static bool MovesChannels(const Node& node) {
    const auto param = std::find_if(node.params.begin(), node.params.end(),
                                    [](const Param& p) { return p.name == "perm"; });
    if (param == node.params.end()) return false;
    const auto* tensor = std::get_if<TensorParam>(&param->value);
    return tensor != nullptr && ChannelMoveOf(tensor->ints) != ChannelMove::kNone;
  }

  // An op that copies integers between two encodings would be wrong.
  void Copies(const Entry& entry, Node& node) {
    const Tensor* in = Quantized(node, true, 0);
    const Tensor* out = Quantized(node, false, 0);
    if (in == nullptr || out == nullptr) return;
    for (const opdb::Tree row : entry.copies) {
      if (!IsAbout(row, node, *in, *out)) continue;
      const std::string_view outcome = row["outcome"].str();
      if (outcome == "float") {
        RunInFloat(row, node);
      } else if (outcome == "input_encoding_written" || outcome == "input_encoding_read") {
        TakeInputEncoding(outcome == "input_encoding_read", node);
      } else {
        Convert(row["convert_op"].str(), outcome == "convert_before", node);
      }
      return;
    }
  }

  // The fix of everything that different encodings in and out lead to.
  Fix SameEncodings(TensorId read, TensorId written) {
    Fix fix{"give the output the encoding of the input", false, {}};
    const Tensor &in = TensorOf(read), &out = TensorOf(written);
    if (in.dtype == out.dtype) fix.edits = Write(out.name, in.encoding);
    return fix;
  }

  // Either the tool writes it into the graph, or the backend copies what it reads.
  void TakeInputEncoding(bool by_backend, Node& node) {
    const TensorId read = node.inputs[0], written = node.outputs[0];
    const bool at_end = IsOutput(written);
    // There the integers are what the caller gets: the op's own rule has it.
    if (by_backend && at_end) return;
    const std::string_view who = by_backend ? "the backend reads" : "the provider gives";
    Finding& f = Report(
        rules::kReplacedEncoding, at_end ? Consequence::kWrongValues : Consequence::kAltered, node,
        absl::StrCat(
            std::string(who), " the output of ", node.op.str(), by_backend ? " with" : "",
            " the encoding of its input",
            at_end ? ", and the caller reads this graph output with the written one" : ""));
    f.port = "out[0]";
    f.tensor = TensorOf(written).name;
    f.found = Describe(TensorOf(written));
    f.allowed = Describe(TensorOf(read));
    f.related = {"in[0]"};
    Changed(by_backend ? ChangeKind::kRead : ChangeKind::kEncoding, f, f.found, f.allowed);
    f.fixes.push_back(SameEncodings(read, written));
    TensorOf(written).encoding = Encoding(TensorOf(read).encoding);
  }

  void Convert(std::string_view op, bool before, Node& node) {
    const TensorId read = node.inputs[0], written = node.outputs[0];
    const std::string found = Describe(TensorOf(written)), given = Describe(TensorOf(read));
    const TensorId between = Copy(before ? read : written, before ? "converted" : "copied");
    TensorOf(between).dtype = TensorOf(before ? written : read).dtype;
    TensorOf(between).encoding = Encoding(TensorOf(before ? written : read).encoding);
    const bool same = found == given, near = IsNear(read, written);
    node.inputs[0] = before ? between : read;
    node.outputs[0] = before ? written : between;
    if (before) {
      Emit(Beside(node, op, read, between));
    } else {
      PutBehind(Beside(node, op, between, written));
    }
    Finding& f =
        Report(rules::kImpliedConvert, near ? Consequence::kAdvice : Consequence::kAltered, node,
               same ? absl::StrCat("the provider puts a ", std::string(op), " before ",
                                   node.op.str(),
                                   " although nothing changes: another pass over the tensor")
                    : absl::StrCat(node.op.str(),
                                   " has different encodings in and out: the provider converts "
                                   "the values, another pass over the tensor"));
    f.port = "out[0]";
    f.tensor = TensorOf(written).name;
    f.found = found;
    f.allowed = absl::StrCat("as in[0]: ", given);
    f.related = {"in[0]"};
    Changed(ChangeKind::kConvert, f, found,
            before ? absl::StrCat(std::string(op), ", then ", found)
                   : absl::StrCat(given, ", then ", std::string(op)));
    if (!same) f.fixes.push_back(SameEncodings(read, written));
  }

  // Whether what is written has the encoding of what is read, or one so near that values of 8 bits move by a step
  // at most (measured: half precision on the way rounds some down).
  bool IsNear(TensorId read, TensorId written) {
    const Tensor &from = TensorOf(read), &to = TensorOf(written);
    const bool is_8_bits = from.dtype == Dtype::kUfixedPoint8 || from.dtype == Dtype::kSfixedPoint8;
    return from.dtype == to.dtype &&
           (is_8_bits ? DifferInRoundingAlone(from.dtype, *from.encoding, *to.encoding)
                      : SameEncoding(*from.encoding, *to.encoding));
  }

  // Dequantize, the op in float, Quantize.
  void RunInFloat(opdb::Tree row, Node& node) {
    const TensorId read = node.inputs[0], written = node.outputs[0];
    const std::string from = Describe(TensorOf(read)), to = Describe(TensorOf(written));
    const std::string dtype(DtypeName(TensorOf(written).dtype));
    const auto in_float = [&](TensorId id) {
      static const Encoding kNone;
      const TensorId copy = Copy(id, "float");
      TensorOf(copy).dtype = Dtype::kFloat32;
      TensorOf(copy).encoding = kNone;
      return copy;
    };
    node.inputs[0] = in_float(read);
    node.outputs[0] = in_float(written);
    Emit(Beside(node, row["dequantize_op"].str(), read, node.inputs[0]));
    PutBehind(Beside(node, row["quantize_op"].str(), node.outputs[0], written));
    const bool near = IsNear(read, written);
    Finding& f = Report(rules::kImpliedConvert, near ? Consequence::kAdvice : Consequence::kAltered, node,
                        absl::StrCat(node.op.str(), " has different scales in and out: it runs in float, between a ",
                                     std::string(row["dequantize_op"].str()), " and a ",
                                     std::string(row["quantize_op"].str()),
                                     near ? "; no value moves by more than a step" : ""));
    f.port = "out[0]";
    f.tensor = TensorOf(written).name;
    f.found = to;
    f.allowed = absl::StrCat("as in[0]: ", from);
    f.related = {"in[0]"};
    Changed(ChangeKind::kFloat, f, dtype, std::string(document_["float_dtype"].str()));
    f.fixes.push_back(SameEncodings(read, written));
  }

  void RequantizeBias(Node& node) {
    const size_t at = bias_input_;
    const Tensor* in = Quantized(node, true, 0);
    const Tensor* weight = Quantized(node, true, 1);
    const Tensor* bias = Quantized(node, true, at);
    if (in == nullptr || weight == nullptr || bias == nullptr) return;
    if (in->encoding->kind != EncodingKind::kPerTensor ||
        (weight->encoding->kind != EncodingKind::kPerTensor &&
         weight->encoding->kind != EncodingKind::kPerChannel) ||
        bias->dtype != Dtype::kSfixedPoint32) {
      return;
    }
    Encoding wanted = weight->encoding;
    wanted.bitwidth = 0;
    wanted.axis = 0;
    wanted.zero_points.clear();
    for (float& scale : wanted.scales) scale *= in->encoding->scales[0];
    // A single scale stands for every channel.
    const auto scale_of = [](const Encoding& e, size_t i) {
      return e.scales[e.scales.size() == 1 ? 0 : i];
    };
    const size_t count = std::max(wanted.scales.size(), bias->encoding->scales.size());
    if (bias->encoding->scales.empty() ||
        (wanted.scales.size() != 1 && bias->encoding->scales.size() != 1 &&
         wanted.scales.size() != bias->encoding->scales.size())) {
      return;
    }
    size_t channel = 0;
    for (; channel < count; ++channel) {
      // Exporters round the product to single precision more than once.
      const double a = scale_of(wanted, channel), b = scale_of(bias->encoding, channel);
      if (std::abs(a - b) > 1e-5 * std::max(std::abs(a), std::abs(b))) break;
    }
    if (channel == count) return;
    // Single convolutions came out right with coarser steps; a ResNet-18 with steps 2.5 times as
    // coarse was off by a third of the range.
    const bool wrong = weight->encoding->kind == EncodingKind::kPerChannel;
    Finding& f = Report(
        rules::kReplacedEncoding, wrong ? Consequence::kWrongValues : Consequence::kAltered, node,
        wrong ? absl::StrCat("the bias of ", node.op.str(),
                             " has another scale than input x weight: the provider requantizes "
                             "it, and with per-channel weights the values come out wrong")
              : absl::StrCat("the bias of ", node.op.str(),
                             " has another scale than input x weight: the provider requantizes "
                             "it"));
    f.port = absl::StrFormat("in[%d]", at);
    f.tensor = bias->name;
    const auto text_of = [&](const Encoding& e) {
      const std::string scale = absl::StrFormat("scale %.7g", scale_of(e, channel));
      return e.scales.size() > 1 ? absl::StrFormat("%s in channel %d", scale, channel) : scale;
    };
    f.found = text_of(*bias->encoding);
    f.allowed = text_of(wanted);
    f.related = {"in[0]", "in[1]"};
    Changed(ChangeKind::kBias, f, f.found, f.allowed);
    f.fixes.push_back(
        {"write the bias with input scale × weight scale", false, Write(f.tensor, wanted)});
    auto values = RequantizedValues(*bias, wanted);
    const TensorId replaced = Copy(node.inputs[at], "requantized");
    TensorOf(replaced).values = std::move(values);
    TensorOf(replaced).encoding = std::move(wanted);
    node.inputs[at] = replaced;
  }

  // The op computes with its fixed encoding, and a convert brings the values to the written one.
  void ConvertFromFixed(std::string_view op, Encoding fixed, Node& node) {
    const TensorId written = node.outputs[0];
    const TensorId natural = Copy(written, "natural");
    TensorOf(natural).encoding = std::move(fixed);
    node.outputs[0] = natural;
    PutBehind(Beside(node, op, natural, written));
    Finding& f = Report(rules::kImpliedConvert, Consequence::kAltered, node,
                        absl::StrCat(node.op.str(),
                                     " computes with a fixed output encoding; the "
                                     "provider converts the values to the written one"));
    f.port = "out[0]";
    f.tensor = TensorOf(written).name;
    f.found = Describe(TensorOf(written));
    f.allowed = Describe(TensorOf(natural));
    Changed(ChangeKind::kConvert, f, f.found, absl::StrCat(f.allowed.str(), ", then ", std::string(op)));
    f.fixes.push_back({absl::StrCat("write the output with ", f.allowed.str()), false,
                       Write(f.tensor, TensorOf(natural).encoding)});
  }

  // Params of whole numbers, all as the row has them.
  static bool HasParams(opdb::Tree params, const Node& node) {
    for (size_t i = 0; i < params.size(); ++i) {
      const opdb::Tree wanted = params.at(i);
      const bool found = std::any_of(node.params.begin(), node.params.end(), [&](const Param& p) {
        const auto* number = std::get_if<UintParam>(&p.value);
        return p.name == wanted.key() && number != nullptr &&
               static_cast<int64_t>(number->value) == wanted.integer();
      });
      if (!found) return false;
    }
    return true;
  }

  void Replace(opdb::Tree row, Node& node) {
    const Tensor* out = Quantized(node, false, 0);
    if (out == nullptr || DtypeName(out->dtype) != row["dtype"].str()) return;
    if (!HasParams(row["params"], node)) return;
    Encoding fixed;
    fixed.kind = EncodingKind::kPerTensor;
    fixed.scales = {static_cast<float>(row["scale"].real().value_or(0))};
    fixed.zero_points = {static_cast<int32_t>(row["zero_point"].integer().value_or(0))};
    if (SameEncoding(fixed, *out->encoding)) return;
    const TensorId id = node.outputs[0];
    if (const opdb::Tree convert = row["convert_op"]) {
      const auto& zeros = out->encoding->zero_points;
      if (out->encoding->kind == EncodingKind::kPerTensor &&
          (zeros.empty() ? 0 : zeros[0]) == row["written_zero_point"].integer().value_or(0)) {
        ConvertFromFixed(convert.str(), std::move(fixed), node);
      }
      return;
    }
    const bool at_end = IsOutput(id);
    const std::string found = Describe(*out);
    TensorOf(id).encoding = std::move(fixed);
    Finding& f = Report(
        rules::kReplacedEncoding, at_end ? Consequence::kWrongValues : Consequence::kAltered, node,
        at_end ? absl::StrCat("the provider replaces the output encoding of ", node.op.str(),
                              ", and the values of this graph output are read with the written one")
               : absl::StrCat("the provider replaces the output encoding of ", node.op.str()));
    f.port = "out[0]";
    f.tensor = TensorOf(id).name;
    f.found = found;
    f.allowed = Describe(TensorOf(id));
    Changed(ChangeKind::kEncoding, f, f.found, f.allowed);
    f.fixes.push_back({absl::StrCat("write the output with ", f.allowed.str()), false,
                       Write(f.tensor, TensorOf(id).encoding)});
  }

  // Whether a row that names an operator of the file, or the rank that its first input has there, is
  // about the op that is visited.
  bool IsFrom(opdb::Tree row) const {
    const opdb::Tree from = row["source_operator"], rank = row["source_rank"];
    if (!from && !rank) return true;
    if (resolved_.file == nullptr) return false;
    const Node& node = resolved_.file->nodes[static_cast<size_t>(source_)];
    if (from && node.op != from.str()) return false;
    if (!rank) return true;
    if (node.inputs.empty() || node.inputs[0] == kNoTensor) return false;
    const Tensor& first = resolved_.file->tensors[static_cast<size_t>(node.inputs[0])];
    return !first.unknown_rank && static_cast<int64_t>(first.dims.size()) == rank.integer();
  }

  // The range of `written` in another type: with fewer steps, or around 0.
  static Encoding InType(const Tensor& written, Dtype to, bool symmetric) {
    Encoding e = written.encoding;
    const double steps = std::exp2(BitsOf(written.dtype)) - 1, fewer = std::exp2(BitsOf(to)) - 1;
    const double scale = e.scales[0];
    if (!symmetric) {
      e.scales[0] = static_cast<float>(scale * steps / fewer);
      for (int32_t& zero : e.zero_points) {
        zero = static_cast<int32_t>(std::lround(zero * fewer / steps));
      }
      return e;
    }
    const double zero = e.zero_points.empty() ? 0 : e.zero_points[0];
    e.scales[0] = static_cast<float>(scale * std::max(zero, steps - zero) / std::floor(fewer / 2));
    e.zero_points.assign(1, 0);
    return e;
  }

  void Narrow(const OfInput& of, Node& node) {
    const opdb::Tree row = of.row, dtypes = of.dtypes;
    const size_t at = of.input;
    const Tensor* operand = Quantized(node, true, at);
    if (operand == nullptr || operand->encoding->kind != EncodingKind::kPerTensor ||
        operand->is_static != (of.operand.str() == "static") || !IsFrom(row)) {
      return;
    }
    for (size_t i = 0; i < dtypes.size(); ++i) {
      const Tensor* t = Quantized(node, true, i);
      if (t == nullptr || DtypeName(t->dtype) != dtypes.at(i).str()) return;
    }
    const std::optional<Dtype> to = DtypeFromName(row["to_dtype"].str());
    if (!to) return;
    const TensorId from = node.inputs[at];
    const std::string found = std::string(DtypeName(operand->dtype));
    const bool narrower = BitsOf(*to) < BitsOf(operand->dtype);
    Encoding changed = InType(*operand, *to, row["symmetric"].flag().value_or(false));
    const TensorId narrowed = Copy(from, "narrowed");
    TensorOf(narrowed).dtype = *to;
    TensorOf(narrowed).encoding = std::move(changed);
    node.inputs[at] = narrowed;
    const std::string convert_op(row["convert_op"].str());
    Emit(Beside(node, convert_op, from, narrowed));
    const std::string dtype(DtypeName(*to));
    Finding& f =
        Report(rules::kReplacedEncoding, Consequence::kAltered, node,
               absl::StrFormat("the provider converts in[%d] of %s to %s%s", at, node.op.str(),
                               dtype,
                               narrower ? absl::StrFormat(": %d-bit accuracy", BitsOf(*to))
                                        : absl::StrCat(", ", Describe(TensorOf(narrowed)))));
    f.port = absl::StrFormat("in[%d]", at);
    f.tensor = TensorOf(from).name;
    f.found = found;
    f.allowed = dtype;
    Changed(ChangeKind::kDtype, f, f.found, absl::StrCat(f.allowed.str(), " by a ", convert_op));
  }

  void Refuse(const OfInput& of, Node& node) {
    const opdb::Tree row = of.row, encoding = of.encoding, dtypes = of.dtypes;
    if (encoding || dtypes) {
      const Tensor* in = Quantized(node, true, of.input);
      if (in == nullptr || (encoding && EncodingKindName(in->encoding->kind) != encoding.str())) {
        return;
      }
      bool listed = !dtypes;
      for (size_t i = 0; i < dtypes.size(); ++i) {
        listed |= DtypeName(in->dtype) == dtypes.at(i).str();
      }
      if (!listed) return;
    }
    if (!IsFrom(row)) return;
    Report(rules::kRefusedByRoute, Consequence::kRejected, node,
           node.op + " falls back to the CPU: " + std::string(row["reason"].str()));
    SourceNode& source = resolved_.sources[static_cast<size_t>(source_)];
    source.state = SourceNode::State::kRefused;
    source.fatal = row["session_fails"].flag().value_or(false);
  }

  opdb::Tree document_;
  size_t bias_input_;
  absl::node_hash_map<std::string, Entry> entries_;
  RecentByName<const Entry*> met_;
};

}  // namespace

void ApplyDocument(opdb::Tree document, Resolved& resolved) { Passes(document, resolved).Run(); }

}  // namespace quantgate
