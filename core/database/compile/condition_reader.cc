#include "core/database/compile/condition_reader.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "core/base/nearest.h"

namespace quantgate::opdefs {
namespace {

using opdb::CondKey;

using Of = CondOf;
using Values = CondValues;
using Key = ConditionKey;

constexpr Key kKeys[] = {
    {"dtype", CondKey::kDtype, Of::kOwnPort, Values::kDtypes},
    {"dtype_not", CondKey::kDtypeNot, Of::kOwnPort, Values::kDtypes},
    {"bits", CondKey::kBits, Of::kOwnPort, Values::kNumbers},
    {"encoding", CondKey::kEncoding, Of::kOwnPort, Values::kEncodings},
    {"static", CondKey::kStatic, Of::kOwnPort, Values::kFlag},
    {"dtype_of", CondKey::kDtype, Of::kPorts, Values::kDtypes},
    {"dtype_not_of", CondKey::kDtypeNot, Of::kPorts, Values::kDtypes},
    {"bits_of", CondKey::kBits, Of::kPorts, Values::kNumbers},
    {"encoding_of", CondKey::kEncoding, Of::kPorts, Values::kEncodings},
    {"static_of", CondKey::kStatic, Of::kPorts, Values::kFlag},
    {"symmetric_of", CondKey::kSymmetricPeer, Of::kPorts, Values::kFlag},
    {"graph_input_of", CondKey::kGraphInput, Of::kPorts, Values::kFlag},
    {"present", CondKey::kPresent, Of::kPorts, Values::kFlag},
    {"rank", CondKey::kRank, Of::kPorts, Values::kNumbers},
    {"rank_min", CondKey::kRankMin, Of::kPorts, Values::kNumber},
    {"any_dim_above", CondKey::kAnyDimAbove, Of::kPorts, Values::kNumber},
    {"any_dim_not_multiple", CondKey::kAnyDimNotMultiple, Of::kPorts, Values::kPairs},
    {"dim_eq", CondKey::kDimEq, Of::kPorts, Values::kPairs},
    {"param", CondKey::kParam, Of::kParams, Values::kNumbers},
    {"param_not", CondKey::kParamNot, Of::kParams, Values::kNumbers},
    {"axes_include", CondKey::kAxesInclude, Of::kAxes, Values::kNumbers},
    {"m", CondKey::kM, Of::kNode, Values::kNumbers},
    {"m_min", CondKey::kMMin, Of::kNode, Values::kNumber},
    {"noop", CondKey::kNoop, Of::kNode, Values::kFlag},
};

}  // namespace

std::span<const ConditionKey> ConditionKeys() { return kKeys; }

std::vector<Cond> ConditionReader::Read(const Node& when, int own_port) {
  out_.clear();
  if (!when.is_map() || when.children.empty()) {
    reporter_.At(when, "`when` must be a map of conditions");
    return {};
  }
  for (const Node& node : when.children) {
    const Key* const key = std::find_if(std::begin(kKeys), std::end(kKeys),
                                        [&](const Key& known) { return known.name == node.key; });
    if (key == std::end(kKeys)) {
      std::vector<std::string_view> names;
      for (const Key& known : kKeys) names.push_back(known.name);
      reporter_.AtKey(node, absl::StrCat("unknown condition ", Quoted(node.key),
                                         DidYouMeanOf(node.key, names)));
      continue;
    }
    switch (key->of) {
      case Of::kOwnPort:
        ReadOwn(node, *key, own_port);
        break;
      case Of::kPorts:
        ReadPorts(node, *key);
        break;
      case Of::kParams:
        ReadParams(node, key->key);
        break;
      case Of::kAxes:
        ReadAxes(node);
        break;
      case Of::kNode: {
        Cond cond;
        cond.key = key->key;
        if (ReadValues(node, *key, cond)) out_.push_back(std::move(cond));
        break;
      }
    }
  }
  return std::move(out_);
}

void ConditionReader::ReadOwn(const Node& node, const Key& key, int own_port) {
  if (own_port < 0) {
    reporter_.AtKey(node, absl::StrCat("condition ", Absl(key.name),
                                       " is about the constraint's own port, and it has none: ",
                                       "use ", Absl(key.name), "_of with a port"));
    return;
  }
  Cond cond;
  cond.key = key.key;
  if (ReadValues(node, key, cond)) out_.push_back(std::move(cond));
}

void ConditionReader::ReadPorts(const Node& node, const Key& key) {
  if (!node.is_map() || node.children.empty()) {
    reporter_.At(node, absl::StrCat("`", Absl(key.name), "` must be a map {port: value}"));
    return;
  }
  for (const Node& child : node.children) {
    const auto port = symbols_.FindPort(child.key);
    if (!port) {
      reporter_.AtKey(child, symbols_.UnknownPort(child.key));
      continue;
    }
    Cond cond;
    cond.key = key.key;
    cond.port = port->port;
    cond.element = std::max<int16_t>(port->element, 0);
    if (ReadValues(child, key, cond)) out_.push_back(std::move(cond));
  }
}

void ConditionReader::ReadParams(const Node& node, CondKey key) {
  if (!node.is_map() || node.children.empty()) {
    reporter_.At(node, absl::StrCat("`", node.key, "` must be a map {param: [values]}"));
    return;
  }
  for (const Node& child : node.children) {
    const auto index = symbols_.Param(child, child.key, reporter_);
    if (!index) continue;
    const Param& param = symbols_.op().params[static_cast<size_t>(*index)];
    Cond cond;
    cond.key = key;
    cond.param = *index;
    for (const Node* value : OneOrMany(child)) {
      if (const auto number = ParamNumber(*value, param)) {
        cond.ints.push_back(*number);
      } else {
        reporter_.At(*value, ParamNumberError(*value, param));
      }
    }
    if (!cond.ints.empty()) {
      out_.push_back(std::move(cond));
    } else if (child.is_list() && child.children.empty()) {
      reporter_.At(child, "an empty list of values");
    }
  }
}

void ConditionReader::ReadAxes(const Node& node) {
  const auto param = symbols_.FindParam("axes");
  if (!param) {
    reporter_.AtKey(node, "`axes_include` needs a param named axes");
    return;
  }
  Cond cond;
  cond.key = CondKey::kAxesInclude;
  cond.param = *param;
  const Key key{"axes_include", CondKey::kAxesInclude, Of::kAxes, Values::kNumbers};
  if (ReadValues(node, key, cond)) out_.push_back(std::move(cond));
}

bool ConditionReader::ReadPairs(const Node& node, Cond& cond) {
  if (!node.is_map() || node.children.empty()) {
    reporter_.At(node, "must be a map {dimension: number}");
    return false;
  }
  for (const Node& child : node.children) {
    Node dim;
    dim.kind = Node::Kind::kScalar;
    dim.text = child.key;
    const auto index = dim.integer();
    const auto value = child.integer();
    if (!index || !value) {
      reporter_.AtKey(child, "must be a whole number: a whole number");
      return false;
    }
    cond.ints.push_back(*index);
    cond.ints.push_back(*value);
  }
  return true;
}

bool ConditionReader::ReadValues(const Node& node, const Key& key, Cond& cond) {
  switch (key.values) {
    case Values::kDtypes: {
      const auto mask = DtypeSet(node, reporter_);
      cond.mask = mask.value_or(0);
      return mask.has_value();
    }
    case Values::kEncodings: {
      const auto mask = EncodingSet(node, reporter_);
      cond.mask = mask.value_or(0);
      return mask.has_value();
    }
    case Values::kFlag: {
      const auto flag = node.flag();
      if (!flag) reporter_.At(node, absl::StrCat("`", Absl(key.name), "` must be true or false"));
      cond.ints = {flag.value_or(false) ? 1 : 0};
      return flag.has_value();
    }
    case Values::kPairs:
      return ReadPairs(node, cond);
    case Values::kNumber:
    case Values::kNumbers:
      break;
  }
  const bool many = key.values == Values::kNumbers;
  const auto items = OneOrMany(node);
  bool good = !items.empty() && (many || !node.is_list());
  for (const Node* item : items) {
    const auto number = item->integer();
    good = good && number.has_value();
    cond.ints.push_back(number.value_or(0));
  }
  if (!good) {
    reporter_.At(node, absl::StrCat("`", Absl(key.name), "` must be a whole number",
                                    many ? " or a list of them" : ""));
  }
  return good;
}

}  // namespace quantgate::opdefs
