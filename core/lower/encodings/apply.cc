// Encodings file + model -> model with encodings, and what does not fit.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "core/base/nearest.h"
#include "core/ir/encoding_math.h"
#include "core/lower/encodings/complete.h"
#include "core/lower/encodings/recipe.h"
#include "core/lower/encodings/stored_values.h"
#include "core/lower/encodings/tensor_roles.h"
#include "core/lower/resolve/encodings.h"
#include "core/rules/raise.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/encodings_file.h"
#include "quantgate/rule.h"

namespace quantgate {
namespace {

// "Did you mean" compares with every tensor; beyond these it is not worth the time.
constexpr size_t kFewTensors = 10000;
constexpr int kFewHints = 50;
constexpr size_t kLongestHinted = 200;
constexpr double kLeastSqnr = 20;  // in dB, of a constant; an 8-bit one that fits has 40

class Applying {
 public:
  Applying(const EncodingsFile& file, Model& model, mapping::Mapping& mapping)
      : file_(file), model_(model), roles_(model, mapping) {
    for (size_t t = 0; t < model.tensors.size(); ++t) {
      ids_.try_emplace(Absl(model.tensors[t].name), static_cast<TensorId>(t));
    }
  }

  std::vector<Finding> Run() {
    for (const EncodingsProblem& problem : file_.problems) ReportProblem(problem);
    const std::vector<size_t> chosen = ChooseEntries();
    for (const size_t index : chosen) ApplyEntry(file_.entries[index]);
    AddNotes(chosen.size());
    return std::move(findings_);
  }

 private:
  Finding& Add(RuleId rule, Consequence consequence, std::string message, TensorId id = kNoTensor) {
    Finding& finding = findings_.emplace_back(rules::Raise(rule, consequence, std::move(message)));
    if (id == kNoTensor) return finding;
    finding.tensor = model_.tensors[static_cast<size_t>(id)].name;
    finding.node_index = roles_.NodeOf(id);
    if (finding.node_index >= 0) {
      const Node& node = model_.nodes[static_cast<size_t>(finding.node_index)];
      finding.node = node.name;
      finding.op = node.op;
    }
    return finding;
  }

  TensorId Find(std::string_view name) const {
    const auto it = ids_.find(Absl(name));
    return it == ids_.end() ? kNoTensor : it->second;
  }

  std::string At(const EncodingsEntry& entry) const {
    // A file on one line has no lines to speak of.
    return entry.line > 1 ? fmt::format("{}:{}", file_.source, entry.line) : file_.source;
  }

  void ReportProblem(const EncodingsProblem& problem) {
    const bool whole = problem.entry < 0;
    const EncodingsEntry* entry =
        whole ? nullptr : &file_.entries[static_cast<size_t>(problem.entry)];
    RuleId rule = rules::kEncodingsSchema;
    Consequence consequence = Consequence::kRejected;
    std::string fix = fmt::format("export the encodings again as version {}", file_.version);
    switch (problem.kind) {
      case EncodingsProblem::Kind::kSchema:
        break;
      case EncodingsProblem::Kind::kNoVersion:
        consequence = Consequence::kAdvice;
        fix = fmt::format("add \"version\": \"{}\"", file_.version);
        break;
      case EncodingsProblem::Kind::kOffsetSign:
        rule = rules::kOffsetSign;
        consequence = Consequence::kWrongValues;
        fix = "write the offset in the convention of the file's version";
        break;
      case EncodingsProblem::Kind::kInconsistent:
        rule = rules::kInconsistentEncoding;
        consequence = Consequence::kAltered;
        fix = "export the entry again";
        break;
    }
    Finding& finding =
        Add(rule, consequence,
            whole ? fmt::format("{}: {}", file_.source, problem.message)
                  : fmt::format("{}: \"{}\": {}", At(*entry), entry->name, problem.message),
            whole ? kNoTensor : Find(entry->name));
    if (!whole) finding.tensor = entry->name;
    finding.found = problem.found;
    finding.allowed = problem.allowed;
    finding.fixes.push_back(rules::UnsafeFix(std::move(fix)));
  }

  // One entry a tensor, in the file's order: of several the last, as tools that read the file
  // into a dictionary have it.
  std::vector<size_t> ChooseEntries() {
    absl::flat_hash_map<absl::string_view, size_t> last;
    std::vector<size_t> chosen;
    for (size_t i = 0; i < file_.entries.size(); ++i) {
      const EncodingsEntry& entry = file_.entries[i];
      const auto [it, fresh] = last.try_emplace(Absl(entry.name), chosen.size());
      if (fresh) {
        chosen.push_back(i);
        continue;
      }
      size_t& slot = chosen[it->second];
      ReportDuplicate(file_.entries[slot], entry);
      slot = i;
    }
    return chosen;
  }

  void ReportDuplicate(const EncodingsEntry& first, const EncodingsEntry& second) {
    const bool same = first.dtype == second.dtype && first.block == second.block &&
                      SameEncoding(first.encoding, second.encoding);
    const std::string where =
        first.section == second.section
            ? std::string("twice")
            : fmt::format("in {} and in {}", EncodingsSectionName(first.section),
                          EncodingsSectionName(second.section));
    Finding& finding =
        Add(rules::kDuplicateEncoding, same ? Consequence::kAdvice : Consequence::kAltered,
            fmt::format("{}: \"{}\" stands {} in the file{}", At(second), second.name, where,
                        same ? ", with the same values" : "; the last one is used"),
            Find(second.name));
    finding.tensor = second.name;
    finding.found = Describe(second) + " after " + Describe(first);
    finding.allowed = "one entry a tensor";
    finding.fixes.push_back(rules::UnsafeFix("remove all entries of the tensor but one"));
  }

  static std::string Describe(Dtype dtype, const Encoding& encoding) {
    Tensor tensor;
    tensor.dtype = dtype;
    tensor.encoding = encoding;
    return rules::DescribeTensor(tensor);
  }
  static std::string Describe(const EncodingsEntry& entry) {
    return Describe(entry.dtype, entry.encoding);
  }

  void ApplyEntry(const EncodingsEntry& entry) {
    const TensorId id = Find(entry.name);
    if (id == kNoTensor) return ReportUnknown(entry);
    Tensor& tensor = model_.tensors[static_cast<size_t>(id)];
    CheckSection(entry, id);
    Completed completed = Complete(entry, tensor, roles_.ChannelAxis(id), roles_.BlockAxis(id),
                                   model_.dialect == Dialect::kQnn);
    if (!completed.found.empty()) {
      Finding& finding =
          Add(rules::kEncodingMisfit, Consequence::kRejected,
              fmt::format("{}: the {} encoding of \"{}\" does not fit the tensor", At(entry),
                          EncodingKindName(entry.encoding->kind), entry.name),
              id);
      finding.found = std::move(completed.found);
      finding.allowed = std::move(completed.allowed);
      finding.fixes.push_back(
          rules::UnsafeFix("export the encodings from the model they are used with"));
    }
    if (IsOffset(entry, tensor)) {
      ReportOffset(entry, id);
      completed.encoding.Edit().zero_points.clear();
    }
    if (const auto around = roles_.EncodingAround(id)) {
      Compare(entry, completed.encoding, around->dtype, around->encoding, id, "Q and DQ nodes");
      return;
    }
    if (tensor.encoding->kind != EncodingKind::kNone) {
      Compare(entry, completed.encoding, tensor.dtype, tensor.encoding, id, "own encoding");
      return;
    }
    if (roles_.of(id).quantizer >= 0 || !IsFloat(tensor.dtype)) {
      // Between quantizers whose constants are not known; a shape or an index.
      if (tensor.dtype != Dtype::kUndefined || roles_.of(id).quantizer >= 0) {
        ++not_float_;
        if (tensor.dtype == Dtype::kBool8) ReportNotFloat(entry, id);
        return;
      }
    }
    tensor.dtype = entry.dtype;
    tensor.encoding = std::move(completed.encoding);
    ++used_;
    if (tensor.is_static && IsFixedPoint(tensor.dtype)) StoreConstant(entry, id);
  }

  // The model's numbers are real until here.
  void StoreConstant(const EncodingsEntry& entry, TensorId id) {
    Tensor& tensor = model_.tensors[static_cast<size_t>(id)];
    tensor.value_range.reset();
    StoredValues stored = StoreInSteps(tensor);
    const size_t count = stored.values == nullptr ? 0 : stored.values->ints.size();
    tensor.values = std::move(stored.values);
    // Of 4 bits each channel loses as much by rounding alone, which QG322 says.
    if (count == 0 || stored.sqnr >= kLeastSqnr || rules::EffectiveBits(tensor) <= 4) return;
    const bool cuts = stored.cut > 0;
    Finding& finding = Add(
        cuts ? rules::kCutRange : rules::kCoarseWeight, Consequence::kAdvice,
        cuts ? fmt::format("{}: {} of the {} values of \"{}\" lie beyond what its encoding holds and are clipped: an "
                           "SQNR of {:.0f} dB is left", At(entry), stored.cut, count, entry.name, stored.sqnr)
             : fmt::format("{}: the values of \"{}\" are small beside the steps of its encoding: an SQNR of {:.0f} dB "
                           "is left", At(entry), entry.name, stored.sqnr),
        id);
    finding.found = Describe(entry);
    finding.allowed = "an encoding made of these values";
    finding.fixes.push_back(rules::UnsafeFix("export the encodings from the model they are used with"));
  }

  // Comparisons give truth values, which have no scale.
  void ReportNotFloat(const EncodingsEntry& entry, TensorId id) {
    Finding& finding = Add(rules::kEncodingMisfit, Consequence::kAdvice,
                           fmt::format("{}: \"{}\" is BOOL_8, which has no encoding: the entry is left out",
                                       At(entry), entry.name),
                           id);
    finding.found = Describe(entry);
    finding.allowed = "no entry";
    finding.fixes.push_back(rules::UnsafeFix("remove the entry"));
  }

  void ReportUnknown(const EncodingsEntry& entry) {
    std::string hint;
    if (model_.tensors.size() <= kFewTensors && entry.name.size() <= kLongestHinted &&
        hints_++ < kFewHints) {
      std::vector<std::string_view> known;
      known.reserve(model_.tensors.size());
      for (const Tensor& tensor : model_.tensors) known.emplace_back(tensor.name);
      hint = DidYouMean(entry.name, known);
    }
    Finding& finding = Add(
        rules::kUnknownEncodingName, Consequence::kAltered,
        fmt::format("{}: no tensor of the model is named \"{}\"{}", At(entry), entry.name, hint));
    finding.tensor = entry.name;
    finding.found = "an encoding that nothing uses";
    finding.allowed = "a name of the model";
    finding.fixes.push_back(
        rules::UnsafeFix("export model and encodings together, or rename the entry"));
  }

  // Overrides of parameters and of activations are looked up apart.
  void CheckSection(const EncodingsEntry& entry, TensorId id) {
    if (entry.section == EncodingsSection::kAny) return;
    const Tensor& tensor = model_.tensors[static_cast<size_t>(id)];
    const FileTensorRole& role = roles_.of(id);
    const bool param = tensor.is_static && (role.weight_of >= 0 || role.is_bias);
    const bool in_params = entry.section == EncodingsSection::kParams;
    if (in_params ? tensor.is_static || role.quantizer >= 0 : !param) return;
    const EncodingsSection right =
        in_params ? EncodingsSection::kActivations : EncodingsSection::kParams;
    Finding& finding =
        Add(rules::kWrongSection, Consequence::kAltered,
            fmt::format("{}: \"{}\" is {} and stands in {}, where it is not looked up", At(entry),
                        entry.name, in_params ? "computed at run time" : "a weight or bias",
                        EncodingsSectionName(entry.section)),
            id);
    finding.found = std::string(EncodingsSectionName(entry.section));
    finding.allowed = std::string(EncodingsSectionName(right));
    finding.fixes.push_back(
        rules::UnsafeFix(fmt::format("move the entry to {}", EncodingsSectionName(right))));
  }

  // Some writers of 2.0.0 put QNN's offset where the zero point belongs: of a symmetric weight
  // that is the smallest value of its signed type, in every channel.
  static bool IsOffset(const EncodingsEntry& entry, const Tensor& tensor) {
    const Encoding& e = entry.encoding;
    if (entry.section != EncodingsSection::kAny || !tensor.is_static || e.zero_points.empty() ||
        ClassOf(entry.dtype) != DtypeClass::kSfixed) {
      return false;
    }
    const int64_t low = StoredMin(entry.dtype, e.bitwidth);
    return std::all_of(e.zero_points.begin(), e.zero_points.end(),
                       [&](int32_t zero_point) { return zero_point == low; });
  }

  void ReportOffset(const EncodingsEntry& entry, TensorId id) {
    const int64_t low = StoredMin(entry.dtype, entry.encoding->bitwidth);
    Finding& finding =
        Add(rules::kOffsetSign, Consequence::kWrongValues,
            fmt::format("{}: y_zero_point of the weight \"{}\" is the smallest value "
                        "of its type; it is taken for QNN's offset of a symmetric "
                        "weight",
                        At(entry), entry.name),
            id);
    finding.found = fmt::format("y_zero_point {}", low);
    finding.allowed = "0 for a symmetric weight";
    finding.fixes.push_back(rules::UnsafeFix("write y_zero_point 0, or leave it out"));
  }

  void Compare(const EncodingsEntry& entry, const Encoding& encoding, Dtype model_dtype,
               const Encoding& model_encoding, TensorId id, std::string_view whose) {
    ++compared_;
    if (entry.dtype == model_dtype && SameEncoding(encoding, model_encoding)) return;
    Finding& finding =
        Add(rules::kConflictingEncodings, Consequence::kAltered,
            fmt::format("{}: \"{}\" has another encoding in the model ({}); the model's is used",
                        At(entry), entry.name, whose),
            id);
    finding.found = Describe(entry.dtype, encoding);
    finding.allowed = Describe(model_dtype, model_encoding);
    finding.fixes.push_back(
        rules::UnsafeFix("keep one source: the float model with the file, or the model alone"));
  }

  void AddNotes(size_t entries) {
    std::string note = fmt::format("encodings: {} (version {}): {} of {} entries used",
                                   file_.source, file_.version, used_, entries);
    if (compared_ > 0) note += fmt::format(", {} compared with the model's own", compared_);
    if (not_float_ > 0) note += fmt::format(", {} for tensors that are not float", not_float_);
    model_.notes.push_back(std::move(note));
    for (const std::string& text : file_.notes) {
      model_.notes.push_back(fmt::format("encodings: {}", text));
    }
  }

  const EncodingsFile& file_;
  Model& model_;
  TensorRoles roles_;
  absl::flat_hash_map<absl::string_view, TensorId> ids_;
  std::vector<Finding> findings_;
  size_t used_ = 0, compared_ = 0, not_float_ = 0;
  int hints_ = 0;
};

}  // namespace

std::string_view EncodingsSectionName(EncodingsSection section) {
  switch (section) {
    case EncodingsSection::kActivations:
      return "activation_encodings";
    case EncodingsSection::kParams:
      return "param_encodings";
    case EncodingsSection::kAny:
      break;
  }
  return "encodings";
}

std::vector<Finding> ApplyEncodings(const EncodingsFile& file, Model& model,
                                    const Database& database) {
  if (file.recipe) return ApplyRecipe(file, model, database);
  mapping::Mapping mapping(
      database.view(), absl::StrCat("resolve/", std::string(DialectName(model.dialect))), nullptr);
  return Applying(file, model, mapping).Run();
}

}  // namespace quantgate
