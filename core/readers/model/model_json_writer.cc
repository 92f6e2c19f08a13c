// Model -> Model JSON: fields in the order of model.proto, params by name, default values left
// out, one tensor or node a line.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/readers/sorted_params.h"
#include "quantgate/reader.h"

namespace quantgate {
namespace {

// Integers beyond are strings: a JSON number may be read as a double.
constexpr uint64_t kExactInDouble = uint64_t{1} << 53;

class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) {}

  std::string Write(const Model& model) {
    model_ = &model;
    out_ += '{';
    if (!model.name.empty()) TopField("name", [&] { String(model.name); });
    TopField("dialect", [&] { String(DialectName(model.dialect)); });
    if (model.opset != 0) TopField("opset", [&] { Int(model.opset); });
    if (!model.inputs.empty()) TopField("inputs", [&] { Names(model.inputs); });
    if (!model.outputs.empty()) TopField("outputs", [&] { Names(model.outputs); });
    if (!model.tensors.empty()) {
      TopField("tensors", [&] { Lines(model.tensors, [&](const Tensor& t) { WriteTensor(t); }); });
    }
    if (!model.nodes.empty()) {
      TopField("nodes", [&] { Lines(model.nodes, [&](const Node& n) { WriteNode(n); }); });
    }
    if (!model.notes.empty()) {
      TopField("notes", [&] { Lines(model.notes, [&](const std::string& n) { String(n); }); });
    }
    NewLine(0);
    out_ += '}';
    return std::move(out_);
  }

 private:
  void NewLine(int depth) {
    if (indent_ <= 0) return;
    out_ += '\n';
    out_.append(static_cast<size_t>(depth) * indent_, ' ');
  }

  template <typename Value>
  void TopField(std::string_view key, Value value) {
    const bool first = out_.size() == 1;
    if (!first) out_ += indent_ > 0 ? "," : ", ";
    NewLine(1);
    Key(key);
    value();
  }

  template <typename Range, typename Item>
  void Lines(const Range& range, Item item) {
    out_ += '[';
    bool first = true;
    for (const auto& element : range) {
      if (!first) out_ += indent_ > 0 ? "," : ", ";
      first = false;
      NewLine(2);
      item(element);
    }
    NewLine(1);
    out_ += ']';
  }

  // An object on one line; each Field() call adds a member.
  void Open() { out_ += '{'; }
  void Close() { out_ += '}'; }
  void Field(std::string_view key) {
    if (out_.back() != '{') out_ += ", ";
    Key(key);
  }
  void Key(std::string_view key) {
    String(key);
    out_ += ": ";
  }

  template <typename Range, typename Item>
  void List(const Range& range, Item item) {
    out_ += '[';
    bool first = true;
    for (const auto& element : range) {
      if (!first) out_ += ", ";
      first = false;
      item(element);
    }
    out_ += ']';
  }
  template <typename Range>
  void Ints(const Range& range) {
    List(range, [&](int64_t value) { Int(value); });
  }
  template <typename Range>
  void Reals(const Range& range) {
    List(range, [&](auto value) { Real(value); });
  }
  void Names(const auto& ids) {
    List(ids, [&](TensorId id) {
      String(id == kNoTensor ? std::string_view() : std::string_view(model_->tensors[id].name));
    });
  }

  void Int(int64_t value) {
    const uint64_t size = value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    Number(fmt::format_int(value), size);
  }
  void Uint(uint64_t value) { Number(fmt::format_int(value), value); }
  void Number(const fmt::format_int& digits, uint64_t size) {
    if (size > kExactInDouble) out_ += '"';
    out_.append(digits.data(), digits.size());
    if (size > kExactInDouble) out_ += '"';
  }

  // Shortest form that reads back as the same value.
  template <typename Float>
  void Real(Float value) {
    if (std::isnan(value)) {
      out_ += "\"NaN\"";
    } else if (std::isinf(value)) {
      out_ += value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
    } else {
      char buffer[32];
      const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
      out_.append(buffer, result.ptr);
    }
  }

  void String(std::string_view text) {
    if (!IsUtf8(text)) {
      const std::string clean = Utf8(text);
      return String(clean);
    }
    out_ += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') {
        out_ += '\\';
        out_ += c;
      } else if (c == '\n') {
        out_ += "\\n";
      } else if (c == '\t') {
        out_ += "\\t";
      } else if (static_cast<unsigned char>(c) < 0x20) {
        fmt::format_to(std::back_inserter(out_), "\\u{:04x}", static_cast<unsigned char>(c));
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

  void WriteTensor(const Tensor& tensor) {
    Open();
    Field("name");
    String(tensor.name);
    if (tensor.dtype != Dtype::kUndefined) {
      Field("dtype");
      String(DtypeName(tensor.dtype));
    }
    if (!tensor.dims.empty()) {
      Field("dims");
      Ints(tensor.dims);
    }
    if (tensor.unknown_rank) Flag("unknownRank");
    if (tensor.is_static) Flag("isStatic");
    if (tensor.encoding->kind != EncodingKind::kNone) {
      Field("encoding");
      WriteEncoding(tensor.encoding);
    }
    if (tensor.values != nullptr && !tensor.values->ints.empty()) {
      Field("values");
      Ints(tensor.values->ints);
    }
    if (tensor.values != nullptr && !tensor.values->reals.empty()) {
      Field("realValues");
      Reals(tensor.values->reals);
    }
    if (tensor.sparse >= 0) IntField("sparse", tensor.sparse);
    if (tensor.value_range) {
      Field("valueRange");
      Open();
      Field("min");
      Real(tensor.value_range->first);
      Field("max");
      Real(tensor.value_range->second);
      Close();
    }
    Close();
  }

  void Flag(std::string_view key) {
    Field(key);
    out_ += "true";
  }
  void IntField(std::string_view key, int64_t value) {
    Field(key);
    Int(value);
  }

  void WriteEncoding(const Encoding& encoding) {
    Open();
    switch (encoding.kind) {
      case EncodingKind::kPerTensor:
        Field("perTensor");
        Open();
        Field("scale");
        Real(encoding.scales.empty() ? 0.0F : encoding.scales[0]);
        IntField("zeroPoint", encoding.zero_points.empty() ? 0 : encoding.zero_points[0]);
        break;
      case EncodingKind::kPerChannel:
        Field("perChannel");
        Open();
        IntField("axis", encoding.axis);
        ScalesAndZeroPoints(encoding);
        break;
      case EncodingKind::kBlock:
        Field("block");
        Open();
        Field("blockSize");
        Ints(encoding.block_size);
        ScalesAndZeroPoints(encoding);
        break;
      default:
        Field("lpbq");
        Open();
        IntField("axis", encoding.axis);
        ScalesAndZeroPoints(encoding);
        break;
    }
    if (encoding.bitwidth != 0) IntField("bitwidth", encoding.bitwidth);
    if (encoding.kind == EncodingKind::kLpbq) {
      IntField("numBlocks", encoding.num_blocks);
      if (!encoding.block_scales.empty()) {
        Field("blockScales");
        Ints(encoding.block_scales);
      }
      IntField("blockScaleBitwidth", encoding.block_scale_bitwidth);
      IntField("blockScaleStorageBits", encoding.block_scale_storage_bits);
    }
    Close();
    Close();
  }

  void ScalesAndZeroPoints(const Encoding& encoding) {
    Field("scales");
    Reals(encoding.scales);
    if (encoding.zero_points.empty()) return;
    Field("zeroPoints");
    Ints(encoding.zero_points);
  }

  void WriteNode(const Node& node) {
    Open();
    Field("name");
    String(node.name);
    Field("op");
    String(node.op);
    Field("inputs");
    Names(node.inputs);
    Field("outputs");
    Names(node.outputs);
    if (!node.params.empty()) {
      Field("params");
      Open();
      for (const Param* param : SortedParams(node.params)) {
        Field(param->name);
        Open();
        std::visit([&](const auto& value) { WriteParam(value); }, param->value);
        Close();
      }
      Close();
    }
    if (node.dialect) {
      Field("dialect");
      String(DialectName(*node.dialect));
    }
    TextField("domain", node.domain);
    TextField("location", node.location);
    TextField("uncheckedReason", node.unchecked_reason);
    Close();
  }

  void TextField(std::string_view key, std::string_view text) {
    if (text.empty()) return;
    Field(key);
    String(text);
  }

  void WriteParam(const IntParam& param) { IntField("int", param.value); }
  void WriteParam(const UintParam& param) {
    Field("uint");
    Uint(param.value);
  }
  void WriteParam(double value) {
    Field("real");
    Real(value);
  }
  void WriteParam(bool value) {
    Field("flag");
    out_ += value ? "true" : "false";
  }
  void WriteParam(const TensorParam& param) {
    Field("tensor");
    Open();
    if (param.dtype != Dtype::kUndefined) {
      Field("dtype");
      String(DtypeName(param.dtype));
    }
    if (!param.dims.empty()) {
      Field("dims");
      Ints(param.dims);
    }
    if (!param.ints.empty()) {
      Field("ints");
      Ints(param.ints);
    }
    if (!param.reals.empty()) {
      Field("reals");
      Reals(param.reals);
    }
    Close();
  }
  void WriteParam(const std::string& text) {
    Field("text");
    String(text);
  }
  void WriteParam(const std::vector<std::string>& texts) {
    Field("texts");
    List(texts, [&](const std::string& text) { String(text); });
  }
  void WriteParam(const std::vector<int64_t>& ints) {
    Field("ints");
    Ints(ints);
  }
  void WriteParam(const std::vector<double>& reals) {
    Field("reals");
    Reals(reals);
  }

  int indent_;
  const Model* model_ = nullptr;
  std::string out_;
};

}  // namespace

std::string WriteModelJson(const Model& model, int indent) { return Writer(indent).Write(model); }

}  // namespace quantgate
