#include "core/fix/json_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace quantgate::fix {
namespace {

using Json = nlohmann::ordered_json;

// Spaces that the file indents with; -1 = one line.
int IndentOf(std::string_view json) {
  const size_t line = json.find('\n');
  if (line == std::string_view::npos) return -1;
  const size_t text = json.find_first_not_of(" \t\r\n", line + 1);
  if (text == std::string_view::npos) return -1;
  const size_t begin = json.rfind('\n', text) + 1;
  return static_cast<int>(std::min<size_t>(text - begin, 8));
}

std::string Text(const Json& json, std::string_view like) {
  const int indent = IndentOf(like);
  std::string text =
      json.dump(indent > 0 ? indent : -1, ' ', false, Json::error_handler_t::replace);
  if (like.ends_with('\n')) text += '\n';
  return text;
}

// A single precision number with no more digits than it needs.
Json Real(double value) { return Json::parse(fmt::format("{}", static_cast<float>(value))); }

// The field under the name that the file uses for it.
Json& Named(Json& object, const char* name, const char* other) {
  return object.contains(other) ? object[other] : object[name];
}

void SetEncoding(const Encoding& to, Json& tensor) {
  Json& encoding = tensor["encoding"];
  if (to.kind == EncodingKind::kPerTensor) {
    Json& fields = encoding["perTensor"];
    fields["scale"] = Real(ScaleAt(to, 0));
    Named(fields, "zeroPoint", "zero_point") = ZeroPointAt(to, 0);
  } else if (to.kind == EncodingKind::kPerChannel) {
    Json& fields = encoding["perChannel"];
    fields["axis"] = to.axis;
    Json scales = Json::array(), zeros = Json::array();
    for (const float scale : to.scales) scales.push_back(Real(scale));
    for (const int32_t zero : to.zero_points) zeros.push_back(zero);
    fields["scales"] = std::move(scales);
    Named(fields, "zeroPoints", "zero_points") = std::move(zeros);
  }
  // Of the kinds only one is set.
  for (const char* kind : {"perTensor", "perChannel"}) {
    const bool is =
        (to.kind == EncodingKind::kPerTensor) == (std::string_view(kind) == "perTensor");
    if (!is) encoding.erase(kind);
  }
}

// The grid that 0.6.1 and 1.0.0 count on: real = scale * (u + offset), u from 0 on.
struct Counted {
  bool symmetric = false;
  std::vector<double> scales;
  std::vector<int64_t> offsets;
  int bits = 8;
};

absl::StatusOr<Counted> CountedOf(const Coding& coding, size_t entries) {
  Counted counted;
  const Encoding& e = coding.encoding;
  counted.bits = e.bitwidth > 0 ? e.bitwidth : BitsOf(coding.dtype);
  const int64_t half = int64_t{1} << (counted.bits - 1);
  const bool is_signed = ClassOf(coding.dtype) == DtypeClass::kSfixed;
  counted.symmetric = true;
  for (size_t i = 0; i < entries; ++i) {
    const int64_t offset = -(ZeroPointAt(e, i) + (is_signed ? half : 0));
    if (is_signed && ZeroPointAt(e, i) != 0) {
      return Refuse("its version writes signed encodings as symmetric ones only");
    }
    counted.symmetric &= offset == -half;
    counted.scales.push_back(ScaleAt(e, i));
    counted.offsets.push_back(offset);
  }
  return counted;
}

// true as the file writes it: 0.6.1 has texts.
Json Flag(const Json& like, bool value) {
  if (like.is_string()) return value ? "True" : "False";
  return value;
}

absl::Status Set061(const Coding& coding, Json& list) {
  if (!list.is_array()) return Refuse("its entry is no list");
  const absl::StatusOr<Counted> counted = CountedOf(coding, list.size());
  if (!counted.ok()) return counted.status();
  const auto steps = std::exp2(counted->bits) - 1;
  for (size_t i = 0; i < list.size(); ++i) {
    Json& item = list[i];
    const double scale = counted->scales[i];
    const auto offset = static_cast<double>(counted->offsets[i]);
    item["scale"] = Real(scale);
    item["offset"] = counted->offsets[i];
    if (item.contains("min")) item["min"] = Real(scale * offset);
    if (item.contains("max")) item["max"] = Real(scale * (offset + steps));
    if (item.contains("is_symmetric")) {
      item["is_symmetric"] = Flag(item["is_symmetric"], counted->symmetric);
    }
  }
  return absl::OkStatus();
}

absl::Status Set100(const Coding& coding, Json& item) {
  Json& scales = item["scale"];
  Json& offsets = item["offset"];
  if (!scales.is_array()) return Refuse("its scales are no list");
  const absl::StatusOr<Counted> counted = CountedOf(coding, scales.size());
  if (!counted.ok()) return counted.status();
  offsets = Json::array();
  for (size_t i = 0; i < scales.size(); ++i) {
    scales[i] = Real(counted->scales[i]);
    offsets.push_back(counted->offsets[i]);
  }
  if (item.contains("is_sym")) item["is_sym"] = Flag(item["is_sym"], counted->symmetric);
  return absl::OkStatus();
}

absl::Status Set200(const Coding& coding, Json& item) {
  const Encoding& e = coding.encoding;
  Json& scales = item["y_scale"];
  if (scales.is_array()) {
    for (size_t i = 0; i < scales.size(); ++i) scales[i] = Real(ScaleAt(e, i));
  } else {
    scales = Real(ScaleAt(e, 0));
  }
  bool any = item.contains("y_zero_point") && !item["y_zero_point"].is_null();
  for (const int32_t zero : e.zero_points) any |= zero != 0;
  if (any) {
    Json& zeros = item["y_zero_point"];
    if (scales.is_array()) {
      zeros = Json::array();
      for (size_t i = 0; i < scales.size(); ++i) zeros.push_back(ZeroPointAt(e, i));
    } else {
      zeros = ZeroPointAt(e, 0);
    }
  }
  const int bits = e.bitwidth > 0 ? e.bitwidth : BitsOf(coding.dtype);
  item["output_dtype"] =
      fmt::format("{}int{}", ClassOf(coding.dtype) == DtypeClass::kUfixed ? "u" : "", bits);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ModelJsonWith(std::string_view json, const Editor& editor) {
  Json root = Json::parse(json, nullptr, false);
  if (!root.is_object() || !root.contains("tensors")) return Refuse("no Model JSON");
  for (Json& tensor : root["tensors"]) {
    const auto recoding = editor.recoded().find(tensor.value("name", ""));
    if (recoding == editor.recoded().end()) continue;
    const Coding& to = recoding->second.to;
    tensor["dtype"] = DtypeName(to.dtype);
    SetEncoding(to.encoding, tensor);
    if (!recoding->second.is_static || !recoding->second.rewritten()) continue;
    const TensorId id = editor.Find(recoding->first);
    const auto& values = editor.model().tensors[static_cast<size_t>(id)].values;
    if (!tensor.contains("values") || values == nullptr) {
      return Refuse("the values of \"" + recoding->first + "\" are not in the file");
    }
    tensor["values"] = values->ints;
  }
  return Text(root, json);
}

absl::StatusOr<std::string> EncodingsWith(std::string_view json, const EncodingsFile& file,
                                          const std::map<std::string, Coding>& codings) {
  Json root = Json::parse(json, nullptr, false);
  if (!root.is_object()) return Refuse("no encodings file");
  size_t set = 0;
  absl::Status status;
  const auto use = [&](const std::string& name, Json& item, auto setter) {
    const auto coding = codings.find(name);
    if (coding == codings.end() || !status.ok()) return;
    ++set;
    status = setter(coding->second, item);
    if (!status.ok())
      status = Refuse(fmt::format("\"{}\": {}", name, std::string(status.message())));
  };
  for (const char* section : {"activation_encodings", "param_encodings", "encodings"}) {
    if (!root.contains(section)) continue;
    Json& entries = root[section];
    if (entries.is_object()) {
      for (auto& [name, item] : entries.items()) use(name, item, Set061);
    } else if (entries.is_array()) {
      for (Json& item : entries) {
        const std::string name = item.value("name", "");
        if (file.version.starts_with("2")) {
          use(name, item, Set200);
        } else {
          use(name, item, Set100);
        }
      }
    }
  }
  if (!status.ok()) return status;
  if (set < codings.size()) return Refuse("an entry that changes is not in the file");
  return Text(root, json);
}

}  // namespace quantgate::fix
