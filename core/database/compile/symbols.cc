#include "core/database/compile/symbols.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "core/base/nearest.h"

namespace quantgate::opdefs {
namespace {

std::vector<std::string_view> AllDtypes() {
  std::vector<std::string_view> names;
  for (int i = 1; i < kDtypeCount; ++i) names.push_back(DtypeShortName(static_cast<Dtype>(i)));
  return names;
}

std::vector<std::string_view> AllEncodings() {
  std::vector<std::string_view> names;
  for (int i = 0; i < kQnnEncodingCount; ++i) {
    names.push_back(QnnEncodingShortName(static_cast<QnnEncoding>(i)));
  }
  return names;
}

}  // namespace

std::optional<PortName> ParsePortName(std::string_view text) {
  PortName name;
  name.input = text.starts_with("in[");
  if (!name.input && !text.starts_with("out[")) return std::nullopt;
  text.remove_prefix(name.input ? 3 : 4);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), name.first);
  if (error != std::errc() || name.first < 0 || name.first > 1000) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  name.variadic = text == "..m]";
  if (!name.variadic && text != "]") return std::nullopt;
  return name;
}

std::string PortNameOf(std::string_view text) {
  const bool input = text.starts_with("in");
  if (!input && !text.starts_with("out")) return {};
  std::string_view number = text.substr(input ? 2 : 3);
  if (number.empty() || number[0] < '0' || number[0] > '9') return {};
  std::string name = absl::StrCat(input ? "in[" : "out[", Absl(number), "]");
  return ParsePortName(name) ? name : std::string();
}

std::string ShortPortName(std::string_view name) {
  std::string text(name);
  std::erase_if(text, [](char c) { return c == '[' || c == ']'; });
  return text;
}

absl::StatusOr<SdkKey> KnownSdk(std::string_view text, const Ir& ir, const Backend& backend) {
  const auto key = ParseSdk(text);
  if (!key.ok()) return key.status();
  std::vector<std::string> known;
  for (const SdkKey sdk : backend.sdks) known.push_back(SdkName(sdk));
  for (const auto& [id, source] : ir.sources) known.push_back(SdkName(source.sdk));
  if (std::find(known.begin(), known.end(), SdkName(*key)) != known.end()) return *key;
  return absl::NotFoundError(absl::StrCat("unknown SDK ", Quoted(text),
                                          ": neither the backend's nor of a source",
                                          DidYouMeanOf(text, known)));
}

std::optional<PortRef> Symbols::FindPort(std::string_view written) const {
  if (written == "this") return own_port_;
  const std::string name = PortNameOf(written);
  if (name.empty()) return std::nullopt;
  for (size_t i = 0; i < op_.ports.size(); ++i) {
    if (op_.ports[i].name == name) return PortRef{static_cast<int16_t>(i), -1};
  }
  const auto wanted = ParsePortName(name);
  if (!wanted || wanted->variadic) return std::nullopt;
  // A single tensor of a variadic port.
  for (size_t i = 0; i < op_.ports.size(); ++i) {
    const auto& port = op_.ports[i];
    if ((port.flags & opdb::kPortVariadic) != 0 && (i < op_.input_count) == wanted->input &&
        wanted->first >= port.first) {
      return PortRef{static_cast<int16_t>(i), static_cast<int16_t>(wanted->first - port.first)};
    }
  }
  return std::nullopt;
}

std::optional<int16_t> Symbols::FindParam(std::string_view name) const {
  for (size_t i = 0; i < op_.params.size(); ++i) {
    if (op_.params[i].name == name) return static_cast<int16_t>(i);
  }
  return std::nullopt;
}

std::string Symbols::UnknownPort(std::string_view name) const {
  std::vector<std::string> names;
  for (const auto& port : op_.ports) names.push_back(ShortPortName(port.name));
  return absl::StrCat("unknown port ", Quoted(name), DidYouMeanOf(name, names));
}

std::string Symbols::UnknownParam(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const auto& param : op_.params) names.push_back(param.name);
  return absl::StrCat("unknown param ", Quoted(name), DidYouMeanOf(name, names));
}

std::optional<PortRef> Symbols::Port(const Node& node, const Reporter& reporter) const {
  if (!node.is_scalar()) {
    reporter.At(node, "a port must be text");
    return std::nullopt;
  }
  if (const auto port = FindPort(node.text)) return port;
  reporter.At(node, UnknownPort(node.text));
  return std::nullopt;
}

std::optional<int16_t> Symbols::Param(const Node& node, std::string_view name,
                                      const Reporter& reporter) const {
  if (const auto param = FindParam(name)) return param;
  reporter.AtKey(node, UnknownParam(name));
  return std::nullopt;
}

std::vector<std::string> Symbols::Sources(MapReader& map, bool required) const {
  const Node* node = required ? map.need("sources") : map.find("sources");
  std::vector<std::string> ids;
  if (node == nullptr) return ids;
  if (!node->is_list() || node->children.empty()) {
    map.reporter().At(*node, "`sources` must be a list of source ids, at least one");
    return ids;
  }
  for (const Node& child : node->children) {
    const auto id = TextOf(child, "a source id", map.reporter());
    if (!id) continue;
    if (!ir_.sources.contains(*id)) {
      std::vector<std::string_view> known;
      for (const auto& [name, source] : ir_.sources) known.push_back(name);
      map.reporter().At(child,
                        absl::StrCat("unknown source ", Quoted(*id), DidYouMeanOf(*id, known)));
    } else if (std::find(ids.begin(), ids.end(), *id) != ids.end()) {
      map.reporter().At(child, absl::StrCat("duplicate source ", Quoted(*id)));
    } else {
      ids.push_back(*id);
    }
  }
  return ids;
}

std::optional<SdkKey> Symbols::Sdk(const Node& node, const Reporter& reporter) const {
  if (!node.is_scalar() || !node.quoted) {
    reporter.At(node, "an SDK version must be quoted text like \"2.25\"");
    return std::nullopt;
  }
  const auto key = KnownSdk(node.text, ir_, backend_);
  if (key.ok()) return *key;
  reporter.At(node, std::string(key.status().message()));
  return std::nullopt;
}

std::optional<int> Symbols::Arch(const Node& node, std::string_view name,
                                 const Reporter& reporter) const {
  const auto it = std::find(backend_.archs.begin(), backend_.archs.end(), name);
  if (it != backend_.archs.end()) return static_cast<int>(it - backend_.archs.begin());
  reporter.At(node,
              absl::StrCat("unknown arch ", Quoted(name), DidYouMeanOf(name, backend_.archs)));
  return std::nullopt;
}

// "v73", "v73+" or "v68..v75".
std::optional<uint32_t> Symbols::ArchSpan(const Node& node, const Reporter& reporter) const {
  if (!node.is_scalar()) {
    reporter.At(node, "an arch must be text like v73, v73+ or v68..v75");
    return std::nullopt;
  }
  const std::string_view text = node.text;
  std::string_view first = text, last = text;
  const size_t dots = text.find("..");
  const bool open = text.ends_with('+');
  if (dots != text.npos) {
    first = text.substr(0, dots);
    last = text.substr(dots + 2);
  } else if (open) {
    first = text.substr(0, text.size() - 1);
    last = backend_.archs.empty() ? first : std::string_view(backend_.archs.back());
  }
  const auto from = Arch(node, first, reporter);
  const auto to = from && first == last ? from : Arch(node, last, reporter);
  if (!from || !to) return std::nullopt;
  if (*from > *to) {
    reporter.At(node, absl::StrCat("inverted arch range ", Quoted(text)));
    return std::nullopt;
  }
  uint32_t mask = 0;
  for (int i = *from; i <= *to; ++i) mask |= 1u << i;
  // An open range takes archs that are added later, too.
  if (open) mask |= ~0u << *to;
  return mask;
}

std::optional<uint32_t> Symbols::Archs(const Node& node, const Reporter& reporter) const {
  uint32_t mask = 0;
  bool good = true;
  for (const Node* item : OneOrMany(node)) {
    const auto one = ArchSpan(*item, reporter);
    good = good && one.has_value();
    mask |= one.value_or(0);
  }
  if (good && mask == 0) {
    reporter.At(node, "an empty list of archs");
    return std::nullopt;
  }
  return good ? std::optional(mask) : std::nullopt;
}

uint32_t Symbols::ArchsOf(MapReader& map) const {
  const Node* arch = map.find("arch");
  return arch == nullptr ? ~0u : Archs(*arch, map.reporter()).value_or(~0u);
}

opdb::FeatureMask Symbols::FeaturesOf(MapReader& map) const {
  const auto& known = backend_.features;
  opdb::FeatureMask mask = 0;
  for (const Node* feature : map.list("needs")) {
    const auto it = std::find(known.begin(), known.end(), feature->text);
    if (it == known.end()) {
      map.reporter().At(*feature, absl::StrCat("unknown feature ", Quoted(feature->text),
                                               DidYouMeanOf(feature->text, known)));
      continue;
    }
    mask |= static_cast<opdb::FeatureMask>(1u << (it - known.begin()));
  }
  return mask;
}

std::optional<Dtype> OneDtype(const Node& node, const Reporter& reporter) {
  if (node.is_scalar()) {
    if (const auto dtype = DtypeFromShortName(node.text)) return dtype;
    const auto by_name = DtypeFromName(node.text);
    reporter.At(node, absl::StrCat("unknown dtype ", Quoted(node.text),
                                   by_name ? absl::StrCat(": here it is called ",
                                                          Absl(DtypeShortName(*by_name)))
                                           : DidYouMeanOf(node.text, AllDtypes())));
    return std::nullopt;
  }
  reporter.At(node, "a dtype must be text");
  return std::nullopt;
}

std::optional<DtypeMask> DtypeSet(const Node& node, const Reporter& reporter) {
  DtypeMask mask = 0;
  bool good = true;
  for (const Node* item : OneOrMany(node)) {
    const auto dtype = OneDtype(*item, reporter);
    good = good && dtype.has_value();
    if (dtype) mask |= MaskOf(*dtype);
  }
  if (good && mask == 0) {
    reporter.At(node, "an empty list of dtypes");
    return std::nullopt;
  }
  return good ? std::optional(mask) : std::nullopt;
}

std::optional<EncodingMask> EncodingSet(const Node& node, const Reporter& reporter) {
  EncodingMask mask = 0;
  bool good = true;
  const auto names = AllEncodings();
  for (const Node* item : OneOrMany(node)) {
    const auto it = std::find(names.begin(), names.end(), item->text);
    if (!item->is_scalar() || it == names.end()) {
      reporter.At(*item, absl::StrCat("unknown encoding ", Quoted(item->text),
                                      DidYouMeanOf(item->text, names)));
      good = false;
      continue;
    }
    mask |= EncodingMask{1} << (it - names.begin());
  }
  if (good && mask == 0) {
    reporter.At(node, "an empty list of encodings");
    return std::nullopt;
  }
  return good ? std::optional(mask) : std::nullopt;
}

std::optional<Consequence> OneConsequence(const Node& node, const Reporter& reporter) {
  const auto found = ConsequenceFromName(node.text);
  if (node.is_scalar() && found && *found != Consequence::kAccepted &&
      *found != Consequence::kUnchecked) {
    return found;
  }
  constexpr std::array<std::string_view, 6> kNames = {"rejected", "prepare_fails", "wrong_values",
                                                      "altered",  "undocumented",  "advice"};
  reporter.At(node, absl::StrCat("unknown consequence ", Quoted(node.text),
                                 DidYouMeanOf(node.text, kNames)));
  return std::nullopt;
}

std::optional<int64_t> ParamNumber(const Node& node, const Param& param) {
  if (!node.is_scalar()) return std::nullopt;
  for (const auto& [name, value] : param.values) {
    if (name == node.text) return value;
  }
  if (const auto flag = node.flag()) return *flag ? 1 : 0;
  return node.integer();
}

std::string ParamNumberError(const Node& node, const Param& param) {
  if (!node.is_scalar())
    return absl::StrCat("a value of ", param.name, " must be one number or name");
  std::vector<std::string_view> names;
  for (const auto& [name, value] : param.values) names.push_back(name);
  if (names.empty()) {
    return absl::StrCat(Quoted(node.text), " is no whole number, and ", param.name,
                        " has no named values");
  }
  return absl::StrCat("unknown value ", Quoted(node.text), " of ", Absl(param.name),
                      DidYouMeanOf(node.text, names));
}

}  // namespace quantgate::opdefs
