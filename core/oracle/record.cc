#include "quantgate/record.h"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "core/oracle/comparison_json.h"
#include "core/oracle/json_file.h"
#include "core/oracle/judgement_json.h"
#include "quantgate/reader.h"
#include "quantgate/text.h"
#include "quantgate/version.h"

namespace quantgate::verify {
namespace {

using PlainJson = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr size_t kMaxBytes = size_t{64} << 20;
constexpr std::string_view kKind = "quantgate record";
// Axes, indices and shapes; anything longer may be a table that was trained.
constexpr size_t kMostValues = 64;

std::string Dumped(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

// Without weights: of constants only the values of a few plain integers or flags stay.
Model WithoutWeights(Model model) {
  for (Tensor& tensor : model.tensors) {
    tensor.value_range.reset();
    const bool kept = tensor.values != nullptr && tensor.is_static && !IsFloat(tensor.dtype) &&
                      !IsFixedPoint(tensor.dtype) && tensor.values->ints.size() <= kMostValues;
    if (!kept) tensor.values = nullptr;
  }
  return model;
}

absl::Status Bad(absl::string_view place, absl::string_view reason) {
  return absl::InvalidArgumentError(absl::StrCat(place, place.empty() ? "" : ": ", reason));
}

// An object with these keys and no other; those that begin with "?" need not be there.
absl::Status CheckKeys(const PlainJson& json, absl::string_view place,
                       std::initializer_list<std::string_view> keys) {
  if (!json.is_object()) return Bad(place, "expected an object");
  for (std::string_view key : keys) {
    if (!key.starts_with('?') && !json.contains(key)) {
      return Bad(place, absl::StrCat("`", Absl(key), "` is missing"));
    }
  }
  for (const auto& item : json.items()) {
    const std::string_view name = item.key();
    const bool known = std::any_of(keys.begin(), keys.end(), [&](std::string_view key) {
      return key == name || (key.starts_with('?') && key.substr(1) == name);
    });
    if (!known) return Bad(place, absl::StrCat("unknown key \"", Printable(name, 40), "\""));
  }
  return absl::OkStatus();
}

absl::Status ReadText(const PlainJson& json, const char* key, absl::string_view place, std::string& out) {
  if (!json.contains(key)) return absl::OkStatus();
  if (!json[key].is_string()) return Bad(place, absl::StrCat("`", key, "` must be text"));
  out = json[key].get<std::string>();
  return absl::OkStatus();
}

absl::Status ReadStage(const PlainJson& json, Stage stage, absl::string_view place, StageAnswer& out) {
  if (auto s = CheckKeys(json, place, {"outcome", "?step", "?code", "?message"}); !s.ok()) return s;
  std::string outcome;
  for (const auto& [key, text] : std::initializer_list<std::pair<const char*, std::string*>>{
           {"outcome", &outcome}, {"step", &out.step}, {"message", &out.message}}) {
    if (auto s = ReadText(json, key, place, *text); !s.ok()) return s;
  }
  if (json.contains("code")) {
    if (!json["code"].is_number_unsigned()) return Bad(place, "`code` must be a whole number");
    out.code = json["code"].get<uint64_t>();
  }
  const bool validates = stage == Stage::kValidate;
  if (outcome == (validates ? "accepted" : "ok")) {
    out.outcome = Outcome::kOk;
  } else if (outcome == (validates ? "rejected" : "fails")) {
    out.outcome = Outcome::kFails;
  } else if (outcome == "hang") {
    out.outcome = Outcome::kHang;
  } else if (outcome.starts_with("crash ")) {
    out.outcome = Outcome::kCrash;
    if (out.message.empty()) out.message = outcome;
  } else {
    return Bad(place, absl::StrCat("unknown outcome \"", Printable(outcome, 40), "\""));
  }
  return absl::OkStatus();
}

absl::Status ReadStages(const PlainJson& json, const std::string& place, Answer& answer) {
  if (auto s = CheckKeys(json, place, {"validate", "?prepare", "?execute"}); !s.ok()) return s;
  for (const Stage stage : {Stage::kValidate, Stage::kPrepare, Stage::kExecute}) {
    const std::string name(StageName(stage));
    if (!json.contains(name)) continue;
    const absl::Status read =
        ReadStage(json[name], stage, absl::StrCat(place, ".", name), answer[stage]);
    if (!read.ok()) return read;
  }
  return absl::OkStatus();
}

absl::Status ReadOp(const PlainJson& json, const std::string& place, RecordedOp& out) {
  if (auto s = CheckKeys(json, place, {"count", "op", "library", "?values"}); !s.ok()) return s;
  if (!json["count"].is_number_unsigned() || json["count"].get<uint64_t>() == 0) {
    return Bad(place, "`count` must be a whole number above 0");
  }
  out.count = json["count"].get<size_t>();
  absl::StatusOr<Model> model = ReadModelJson(json["op"].dump(), "");
  if (!model.ok()) return Bad(place + ".op", model.status().message());
  if (model->nodes.size() != 1) return Bad(place + ".op", "must be a Model of one node");
  out.model = *std::move(model);
  if (auto s = ReadStages(json["library"], place + ".library", out.answer); !s.ok()) return s;
  if (!json.contains("values")) return absl::OkStatus();
  const std::string where = place + ".values";
  const PlainJson& values = json["values"];
  auto s = CheckKeys(values, where, {"evaluated", "result", "steps", "fraction", "share"});
  if (!s.ok()) return s;
  const auto is_one_of = [&](Values one) { return values["result"] == ValuesName(one); };
  if (!is_one_of(Values::kRight) && !is_one_of(Values::kBetween) && !is_one_of(Values::kWrong)) {
    return Bad(where, "`result` must be right, between or wrong");
  }
  for (const char* key : {"steps", "fraction", "share"}) {
    if (!values[key].is_number()) return Bad(where, absl::StrCat("`", key, "` must be a number"));
  }
  out.judgement = ReadJudgement(values);
  return absl::OkStatus();
}

absl::Status ReadHead(const PlainJson& file, Record& record) {
  auto s = CheckKeys(file, "", {"schemaVersion", "kind", "tool", "target", "library", "queried", "ops"});
  if (!s.ok()) return s;
  if (file["schemaVersion"] != kJsonSchemaVersion) {
    return Bad("schemaVersion", absl::StrCat("expected \"", kJsonSchemaVersion, "\""));
  }
  const PlainJson &target = file["target"], &library = file["library"];
  s = CheckKeys(target, "target", {"backend", "sdk", "?arch", "?soc"});
  if (s.ok()) s = CheckKeys(library, "library", {"name", "buildId"});
  const std::tuple<const PlainJson*, const char*, const char*, std::string*> texts[] = {
      {&target, "backend", "target", &record.backend}, {&target, "sdk", "target", &record.sdk},
      {&target, "arch", "target", &record.arch},       {&target, "soc", "target", &record.soc},
      {&library, "name", "library", &record.library},  {&library, "buildId", "library", &record.build_id}};
  for (const auto& [from, key, place, to] : texts) {
    if (s.ok()) s = ReadText(*from, key, place, *to);
  }
  if (!s.ok()) return s;
  if (!file["queried"].is_array()) return Bad("queried", "expected a list");
  for (const PlainJson& name : file["queried"]) {
    const auto stages = {Stage::kValidate, Stage::kPrepare, Stage::kExecute};
    const auto* stage = std::find_if(stages.begin(), stages.end(),
                                     [&](Stage one) { return name == StageName(one); });
    if (stage == stages.end()) return Bad("queried", "a stage is validate, prepare or execute");
    record.queried.push_back(*stage);
  }
  if (record.queried.empty()) return Bad("queried", "names no stage");
  return absl::OkStatus();
}

}  // namespace

void Recorder::Add(const Comparison& comparison) {
  if (head_.empty()) {
    OrderedJson head;
    head["schemaVersion"] = kJsonSchemaVersion;
    head["kind"] = kKind;
    head["tool"] = {{"name", "quantgate"}, {"version", QUANTGATE_VERSION}};
    AddHead(comparison, head);
    head.erase("route");  // a record holds ops of any
    head_ = Dumped(head);
  }
  for (const ComparedNode& node : comparison.nodes) {
    if (node.alone == nullptr || node.answer[Stage::kValidate].outcome == Outcome::kNotQueried) {
      continue;
    }
    OrderedJson line;
    line["op"] = OrderedJson::parse(WriteModelJson(WithoutWeights(*node.alone), 0));
    line["library"] = StagesJson(node.answer);
    if (node.judgement.values != Values::kNotEvaluated) {
      line["values"] = JudgementJson(node.judgement);
    }
    const auto [at, added] = counts_.try_emplace(Dumped(line), 0);
    if (added) ops_.push_back(at->first);
    ++at->second;
  }
}

std::string Recorder::Json() const {
  std::string out = head_.substr(0, head_.size() - 1) + ",\"ops\":[";
  const char* before = "\n";
  for (const std::string& op : ops_) {
    absl::StrAppend(&out, before, "{\"count\":", counts_.at(op), ",", Absl(op).substr(1));
    before = ",\n";
  }
  return out + "\n]}\n";
}

absl::StatusOr<Record> ParseRecord(std::string_view json) {
  const absl::StatusOr<PlainJson> file = ParseJson(json);
  if (!file.ok()) return file.status();
  if (!file->is_object() || file->value("kind", PlainJson()) != kKind) {
    return Bad("", absl::StrCat("is no record: `kind` is not \"", Absl(kKind), "\""));
  }
  Record record;
  if (const absl::Status status = ReadHead(*file, record); !status.ok()) return status;
  if (!(*file)["ops"].is_array()) return Bad("ops", "expected a list");
  size_t index = 0;
  for (const PlainJson& op : (*file)["ops"]) {
    const std::string place = absl::StrCat("ops[", index++, "]");
    if (const absl::Status s = ReadOp(op, place, record.ops.emplace_back()); !s.ok()) return s;
  }
  return record;
}

absl::StatusOr<Record> ReadRecord(const std::string& path) {
  const absl::StatusOr<FileBytes> file = OpenJson(path, kMaxBytes);
  if (!file.ok()) return file.status();
  return ParseRecord(file->bytes());
}

bool LooksLikeRecord(std::string_view bytes) {
  const size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != bytes.npos && bytes[first] == '{' &&
         bytes.substr(first, 4096).find(kKind) != bytes.npos;
}

}  // namespace quantgate::verify
