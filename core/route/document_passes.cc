#include "core/route/document_passes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "quantgate/rule.h"

namespace quantgate {
namespace {

// Scales of single precision are equal within this, relative (as everywhere in quantgate).
bool SameScale(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b));
}

bool SameEncoding(const Encoding& a, const Encoding& b) {
  if (a.kind != b.kind || a.scales.size() != b.scales.size() || a.axis != b.axis) return false;
  const auto zero = [](const Encoding& e, size_t i) {
    return e.zero_points.empty() ? 0 : e.zero_points[e.zero_points.size() == 1 ? 0 : i];
  };
  for (size_t i = 0; i < a.scales.size(); ++i) {
    if (!SameScale(a.scales[i], b.scales[i]) || zero(a, i) != zero(b, i)) return false;
  }
  return true;
}

std::string Describe(const Tensor& t) {
  if (t.encoding.kind != EncodingKind::kPerTensor) {
    return std::string(EncodingKindName(t.encoding.kind));
  }
  const int32_t zero = t.encoding.zero_points.empty() ? 0 : t.encoding.zero_points[0];
  return absl::StrFormat("scale %.9g, zero_point %d (offset %d)", t.encoding.scales[0], zero,
                         ToQnnOffset(zero));
}

std::string Numbers(const absl::InlinedVector<float, 1>& values) {
  std::string text;
  for (const float value : values)
    absl::StrAppendFormat(&text, "%s%.9g", text.empty() ? "" : ", ", value);
  return text;
}

// What to write instead, as edits of the tensor's encoding.
std::vector<Edit> Write(std::string_view tensor, const Encoding& wanted) {
  const std::string path = absl::StrCat("tensors/", std::string(tensor), "/encoding/");
  const int32_t zero = wanted.zero_points.empty() ? 0 : wanted.zero_points[0];
  switch (wanted.kind) {
    case EncodingKind::kPerTensor:
      return {{"set", path + "perTensor/scale", Numbers(wanted.scales)},
              {"set", path + "perTensor/zeroPoint", absl::StrCat(zero)}};
    case EncodingKind::kPerChannel:
      return {{"set", path + "perChannel/axis", absl::StrCat(wanted.axis)},
              {"set", path + "perChannel/scales", absl::StrCat("[", Numbers(wanted.scales), "]")}};
    default:
      return {};
  }
}

class Passes {
 public:
  Passes(opdb::Tree document, Resolved& resolved)
      : document_(document), resolved_(resolved), graph_(*resolved.owned) {}

  void Run() {
    std::vector<Node> old = std::move(graph_.nodes);
    const std::vector<int32_t> old_sources = std::move(resolved_.op_source);
    graph_.nodes.clear();
    resolved_.op_source.clear();
    graph_.nodes.reserve(old.size());
    resolved_.op_source.reserve(old.size());
    is_output_.assign(graph_.tensors.size(), false);
    for (const TensorId id : graph_.outputs) is_output_[static_cast<size_t>(id)] = true;
    for (size_t i = 0; i < old.size(); ++i) {
      const Entry& entry = EntryOf(old[i].op);
      source_ = old_sources[i];
      after_.reset();
      if (entry.any) Visit(entry, old[i]);
      Emit(std::move(old[i]));
      if (after_) Emit(*std::move(after_));
    }
  }

 private:
  // What the document says of an op.
  struct Entry {
    bool any = false, converted = false, in_float = false, bias = false;
    std::vector<opdb::Tree> replaced, narrowed, refused;
  };

  const Entry& EntryOf(const std::string& op) {
    const auto [it, added] = entries_.try_emplace(op);
    if (!added) return it->second;
    Entry& e = it->second;
    const auto names = [&](opdb::Tree list) {
      for (size_t i = 0; i < list.size(); ++i) {
        if (list.at(i).str() == op) return true;
      }
      return false;
    };
    const auto rows = [&](opdb::Tree list) {
      std::vector<opdb::Tree> found;
      for (size_t i = 0; i < list.size(); ++i) {
        if (list.at(i)["op"].str() == op) found.push_back(list.at(i));
      }
      return found;
    };
    e.converted = names(document_["converted"]["ops"]);
    e.in_float = names(document_["converted"]["in_float"]["ops"]);
    e.bias = names(document_["bias"]["ops"]);
    e.replaced = rows(document_["replaced"]);
    e.narrowed = rows(document_["narrowed"]);
    e.refused = rows(document_["refused"]);
    e.any = e.converted || e.in_float || e.bias || !e.replaced.empty() || !e.narrowed.empty() ||
            !e.refused.empty();
    return e;
  }

  void Visit(const Entry& entry, Node& node) {
    if (entry.in_float || entry.converted) Convert(entry, node);
    if (entry.bias) RequantizeBias(node);
    for (const opdb::Tree row : entry.replaced) Replace(row, node);
    for (const opdb::Tree row : entry.narrowed) Narrow(row, node);
    for (const opdb::Tree row : entry.refused) Refuse(row, node);
  }

  Tensor& TensorOf(TensorId id) { return graph_.tensors[static_cast<size_t>(id)]; }
  // Null where the port is not given or not quantized.
  const Tensor* Quantized(const Node& node, bool input, size_t i) {
    const auto at = [&](const auto& ids) { return i < ids.size() ? ids[i] : kNoTensor; };
    const TensorId id = input ? at(node.inputs) : at(node.outputs);
    if (id == kNoTensor) return nullptr;
    const Tensor& t = TensorOf(id);
    return IsFixedPoint(t.dtype) && t.encoding.kind != EncodingKind::kNone ? &t : nullptr;
  }

  void Emit(Node node) {
    graph_.nodes.push_back(std::move(node));
    resolved_.op_source.push_back(source_);
  }

  TensorId Copy(TensorId from, std::string_view suffix) {
    Tensor t = TensorOf(from);
    t.name = absl::StrCat(t.name, "/", std::string(suffix));
    t.values.reset();
    graph_.tensors.push_back(std::move(t));
    is_output_.push_back(false);
    const auto id = static_cast<TensorId>(graph_.tensors.size()) - 1;
    const auto layout = resolved_.layout.find(from);
    if (layout != resolved_.layout.end()) {
      auto copy = layout->second;
      resolved_.layout.emplace(id, std::move(copy));
    }
    return id;
  }

  Finding& Report(std::string_view code, Consequence consequence, const Node& node,
                  std::string message) {
    Finding& f = resolved_.findings.emplace_back();
    f.rule = FindRule(code);
    f.consequence = consequence;
    f.node_index = source_;
    f.op = node.op;
    f.message = std::move(message);
    f.note = std::string(document_["source"].str());
    return f;
  }

  void Changed(ChangeKind kind, const Finding& f, std::string written, std::string runs) {
    resolved_.changes.push_back(
        {kind, source_, f.port, f.tensor, std::move(written), std::move(runs)});
  }

  // A copy of integers between two encodings would be wrong: they are converted behind the op.
  void Convert(const Entry& entry, Node& node) {
    const Tensor* in = Quantized(node, true, 0);
    const Tensor* out = Quantized(node, false, 0);
    if (in == nullptr || out == nullptr) return;
    if (in->dtype == out->dtype && SameEncoding(in->encoding, out->encoding)) return;
    const bool same_scale = in->encoding.scales.size() == 1 && out->encoding.scales.size() == 1 &&
                            SameScale(in->encoding.scales[0], out->encoding.scales[0]);
    if (entry.in_float && !same_scale && !in->is_static) {
      RunInFloat(node);
      return;
    }
    if (!entry.converted) return;
    const std::string found = Describe(*out), allowed = Describe(*in);
    const TensorId written = node.outputs[0];
    const Dtype dtype = in->dtype;
    const Encoding encoding = in->encoding;
    const TensorId copied = Copy(written, "copied");
    TensorOf(copied).dtype = dtype;
    TensorOf(copied).encoding = encoding;
    node.outputs[0] = copied;
    Node convert;
    convert.op = std::string(document_["converted"]["op"].str());
    convert.name = absl::StrCat(node.name, "/", convert.op);
    convert.location = node.location;
    convert.inputs = {copied};
    convert.outputs = {written};
    after_ = std::move(convert);
    Finding& f = Report("QG602", Consequence::kAltered, node,
                        absl::StrCat(node.op,
                                     " has different encodings in and out: the provider converts "
                                     "the values, another pass over the tensor"));
    f.port = "out[0]";
    f.tensor = TensorOf(written).name;
    f.found = found;
    f.allowed = absl::StrCat("as in[0]: ", allowed);
    f.related = {"in[0]"};
    Changed(ChangeKind::kConvert, f, found, absl::StrCat(allowed, ", then ", after_->op));
    f.fixes.push_back({"give the output the encoding of the input", false, {}});
    if (TensorOf(written).dtype == dtype) f.fixes.back().edits = Write(f.tensor, encoding);
  }

  // Dequantize, the op in float, Quantize.
  void RunInFloat(Node& node) {
    const opdb::Tree row = document_["converted"]["in_float"];
    const TensorId read = node.inputs[0], written = node.outputs[0];
    const std::string from = Describe(TensorOf(read)), to = Describe(TensorOf(written));
    const std::string dtype(DtypeName(TensorOf(written).dtype));
    const Encoding encoding = TensorOf(read).encoding;
    const bool same_dtype = TensorOf(read).dtype == TensorOf(written).dtype;
    const auto in_float = [&](TensorId id) {
      static const Encoding kNone;
      const TensorId copy = Copy(id, "float");
      TensorOf(copy).dtype = Dtype::kFloat32;
      TensorOf(copy).encoding = kNone;
      return copy;
    };
    node.inputs[0] = in_float(read);
    node.outputs[0] = in_float(written);
    const auto quantizer = [&](std::string_view op, TensorId in, TensorId out) {
      Node q;
      q.op = std::string(op);
      q.name = absl::StrCat(node.name, "/", q.op);
      q.location = node.location;
      q.inputs = {in};
      q.outputs = {out};
      return q;
    };
    Emit(quantizer(row["before"].str(), read, node.inputs[0]));
    after_ = quantizer(row["behind"].str(), node.outputs[0], written);
    Finding& f = Report("QG602", Consequence::kAltered, node,
                        absl::StrCat(node.op,
                                     " has different scales in and out: it runs in float, "
                                     "between a ",
                                     std::string(row["before"].str()), " and a ",
                                     std::string(row["behind"].str())));
    f.port = "out[0]";
    f.tensor = TensorOf(written).name;
    f.found = to;
    f.allowed = absl::StrCat("as in[0]: ", from);
    f.related = {"in[0]"};
    Changed(ChangeKind::kFloat, f, dtype, std::string(document_["float"].str()));
    f.fixes.push_back({"give the output the encoding of the input", false, {}});
    if (same_dtype) f.fixes.back().edits = Write(f.tensor, encoding);
  }

  void RequantizeBias(Node& node) {
    const auto at = static_cast<size_t>(document_["bias"]["input"].integer().value_or(0));
    const Tensor* in = Quantized(node, true, 0);
    const Tensor* weight = Quantized(node, true, 1);
    const Tensor* bias = Quantized(node, true, at);
    if (in == nullptr || weight == nullptr || bias == nullptr) return;
    if (in->encoding.kind != EncodingKind::kPerTensor ||
        (weight->encoding.kind != EncodingKind::kPerTensor &&
         weight->encoding.kind != EncodingKind::kPerChannel) ||
        bias->dtype != Dtype::kSfixedPoint32) {
      return;
    }
    Encoding wanted = weight->encoding;
    wanted.bitwidth = 0;
    wanted.axis = 0;
    wanted.zero_points.clear();
    for (float& scale : wanted.scales) scale *= in->encoding.scales[0];
    // A single scale stands for every channel.
    const auto scale_of = [](const Encoding& e, size_t i) {
      return e.scales[e.scales.size() == 1 ? 0 : i];
    };
    const size_t count = std::max(wanted.scales.size(), bias->encoding.scales.size());
    if (bias->encoding.scales.empty() ||
        (wanted.scales.size() != 1 && bias->encoding.scales.size() != 1 &&
         wanted.scales.size() != bias->encoding.scales.size())) {
      return;
    }
    bool same = true;
    for (size_t i = 0; i < count; ++i) {
      // Exporters round the product to single precision more than once.
      const double a = scale_of(wanted, i), b = scale_of(bias->encoding, i);
      same &= std::abs(a - b) <= 1e-5 * std::max(std::abs(a), std::abs(b));
    }
    if (same) return;
    const bool per_channel = weight->encoding.kind == EncodingKind::kPerChannel;
    Finding& f = Report(
        "QG605", per_channel ? Consequence::kWrongValues : Consequence::kAltered, node,
        per_channel
            ? absl::StrCat("the bias of ", node.op,
                           " has another scale than input x weight: the provider requantizes "
                           "it, and with per-channel weights the values come out wrong")
            : absl::StrCat("the bias of ", node.op,
                           " has another scale than input x weight: the provider requantizes "
                           "it"));
    f.port = absl::StrFormat("in[%d]", at);
    f.tensor = bias->name;
    f.found = absl::StrFormat("scale %.9g", bias->encoding.scales[0]);
    f.allowed = absl::StrFormat("scale %.9g%s", wanted.scales[0],
                                wanted.scales.size() > 1 ? " in channel 0" : "");
    f.related = {"in[0]", "in[1]"};
    Changed(ChangeKind::kBias, f, f.found, f.allowed);
    f.fixes.push_back(
        {"write the bias with input scale × weight scale", false, Write(f.tensor, wanted)});
    const TensorId replaced = Copy(node.inputs[at], "requantized");
    TensorOf(replaced).encoding = std::move(wanted);
    node.inputs[at] = replaced;
  }

  // The op computes with its fixed encoding, and a convert brings the values to the written one.
  void ConvertFromFixed(std::string_view op, Encoding fixed, Node& node) {
    const TensorId written = node.outputs[0];
    const TensorId natural = Copy(written, "natural");
    TensorOf(natural).encoding = std::move(fixed);
    node.outputs[0] = natural;
    Node convert;
    convert.op = std::string(op);
    convert.name = absl::StrCat(node.name, "/", convert.op);
    convert.location = node.location;
    convert.inputs = {natural};
    convert.outputs = {written};
    after_ = std::move(convert);
    Finding& f = Report("QG602", Consequence::kAltered, node,
                        absl::StrCat(node.op,
                                     " computes with a fixed output encoding; the "
                                     "provider converts the values to the written one"));
    f.port = "out[0]";
    f.tensor = TensorOf(written).name;
    f.found = Describe(TensorOf(written));
    f.allowed = Describe(TensorOf(natural));
    Changed(ChangeKind::kConvert, f, f.found, absl::StrCat(f.allowed, ", then ", after_->op));
    f.fixes.push_back({absl::StrCat("write the output with ", f.allowed), false,
                       Write(f.tensor, TensorOf(natural).encoding)});
  }

  void Replace(opdb::Tree row, Node& node) {
    const Tensor* out = Quantized(node, false, 0);
    if (out == nullptr || DtypeName(out->dtype) != row["dtype"].str()) return;
    Encoding fixed;
    fixed.kind = EncodingKind::kPerTensor;
    fixed.scales = {static_cast<float>(row["scale"].real().value_or(0))};
    fixed.zero_points = {static_cast<int32_t>(row["zero_point"].integer().value_or(0))};
    if (SameEncoding(fixed, out->encoding)) return;
    const TensorId id = node.outputs[0];
    if (const opdb::Tree convert = row["convert"]) {
      if (out->encoding.kind == EncodingKind::kPerTensor &&
          !SameScale(fixed.scales[0], out->encoding.scales[0])) {
        ConvertFromFixed(convert.str(), std::move(fixed), node);
      }
      return;
    }
    const bool at_end = is_output_[static_cast<size_t>(id)];
    const std::string found = Describe(*out);
    TensorOf(id).encoding = std::move(fixed);
    Finding& f = Report(
        "QG605", at_end ? Consequence::kWrongValues : Consequence::kAltered, node,
        at_end ? absl::StrCat("the provider replaces the output encoding of ", node.op,
                              ", and the values of this graph output are read with the written one")
               : absl::StrCat("the provider replaces the output encoding of ", node.op));
    f.port = "out[0]";
    f.tensor = TensorOf(id).name;
    f.found = found;
    f.allowed = Describe(TensorOf(id));
    Changed(ChangeKind::kEncoding, f, f.found, f.allowed);
    f.fixes.push_back({absl::StrCat("write the output with ", f.allowed), false,
                       Write(f.tensor, TensorOf(id).encoding)});
  }

  void Narrow(opdb::Tree row, Node& node) {
    const auto at = static_cast<size_t>(row["input"].integer().value_or(0));
    const opdb::Tree dtypes = row["dtypes"];
    for (size_t i = 0; i < dtypes.size(); ++i) {
      const Tensor* t = Quantized(node, true, i);
      if (t == nullptr || DtypeName(t->dtype) != dtypes.at(i).str()) return;
    }
    const Tensor* operand = Quantized(node, true, at);
    const std::optional<Dtype> to = DtypeFromName(row["to"].str());
    if (operand == nullptr || operand->is_static || !to ||
        operand->encoding.kind != EncodingKind::kPerTensor) {
      return;
    }
    const TensorId from = node.inputs[at];
    const std::string found = std::string(DtypeName(operand->dtype));
    // The same range with fewer steps.
    const double steps = std::exp2(BitsOf(operand->dtype)) - 1, fewer = std::exp2(BitsOf(*to)) - 1;
    Encoding narrow = operand->encoding;
    narrow.scales[0] = static_cast<float>(narrow.scales[0] * steps / fewer);
    for (int32_t& zero : narrow.zero_points) {
      zero = static_cast<int32_t>(std::lround(zero * fewer / steps));
    }
    const TensorId narrowed = Copy(from, "narrowed");
    TensorOf(narrowed).dtype = *to;
    TensorOf(narrowed).encoding = std::move(narrow);
    node.inputs[at] = narrowed;
    Node convert;
    convert.op = std::string(row["convert"].str());
    convert.name = absl::StrCat(node.name, "/", convert.op);
    convert.location = node.location;
    convert.inputs = {from};
    convert.outputs = {narrowed};
    const std::string convert_op = convert.op;
    Emit(std::move(convert));
    Finding& f = Report("QG605", Consequence::kAltered, node,
                        absl::StrFormat("the provider converts in[%d] of %s to %s: %d-bit accuracy",
                                        at, node.op, std::string(DtypeName(*to)), BitsOf(*to)));
    f.port = absl::StrFormat("in[%d]", at);
    f.tensor = TensorOf(from).name;
    f.found = found;
    f.allowed = std::string(DtypeName(*to));
    Changed(ChangeKind::kDtype, f, f.found, absl::StrCat(f.allowed, " by a ", convert_op));
  }

  void Refuse(opdb::Tree row, Node& node) {
    if (const opdb::Tree encoding = row["encoding"]) {
      const Tensor* in = Quantized(node, true, 0);
      if (in == nullptr || EncodingKindName(in->encoding.kind) != encoding.str()) return;
    }
    Report("QG103", Consequence::kRejected, node,
           absl::StrCat(node.op, " falls back to the CPU: ", std::string(row["reason"].str())));
    resolved_.sources[static_cast<size_t>(source_)].state = SourceNode::State::kRefused;
  }

  opdb::Tree document_;
  Resolved& resolved_;
  Model& graph_;
  absl::flat_hash_map<std::string, Entry> entries_;
  std::vector<bool> is_output_;
  int32_t source_ = -1;
  std::optional<Node> after_;  // goes behind the op that is visited
};

}  // namespace

bool ChangesOps(opdb::Tree document) {
  for (const std::string_view key : {"converted", "bias", "replaced", "narrowed", "refused"}) {
    if (document[key]) return true;
  }
  return false;
}

void ApplyDocument(opdb::Tree document, Resolved& resolved) { Passes(document, resolved).Run(); }

}  // namespace quantgate
