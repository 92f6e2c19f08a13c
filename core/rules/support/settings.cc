#include "core/rules/support/settings.h"

#include <algorithm>

namespace quantgate::rules {
namespace internal {

void ReadInto(opdb::Tree value, const OpSets& sets, SetMask& out) { out = sets.Bits(value); }
void ReadInto(opdb::Tree value, const OpSets&, int64_t& out) {
  out = value.integer().value_or(out);
}
void ReadInto(opdb::Tree value, const OpSets&, double& out) { out = value.real().value_or(out); }
void ReadInto(opdb::Tree value, const OpSets&, Dtype& out) {
  out = DtypeFromName(value.str()).value_or(out);
}
void ReadInto(opdb::Tree value, const OpSets&, Sdk& out) {
  const absl::StatusOr<SdkKey> sdk = ParseSdk(value.str());
  if (sdk.ok()) out.key = *sdk;
}
void ReadInto(opdb::Tree value, const OpSets& sets, Archs& out) {
  ReadInto(value, sets, out.names);
}
void ReadInto(opdb::Tree value, const OpSets&, std::string_view& out) { out = value.str(); }
void ReadInto(opdb::Tree value, const OpSets&, std::vector<int64_t>& out) {
  for (size_t i = 0; i < value.size(); ++i) out.push_back(value.at(i).integer().value_or(0));
}
void ReadInto(opdb::Tree value, const OpSets&, std::vector<std::string_view>& out) {
  for (size_t i = 0; i < value.size(); ++i) out.push_back(value.at(i).str());
}
void ReadInto(opdb::Tree value, const OpSets&, std::vector<const Rule*>& out) {
  for (size_t i = 0; i < value.size(); ++i) {
    if (const Rule* rule = FindRule(value.at(i).str())) out.push_back(rule);
  }
}

}  // namespace internal

bool Archs::Lists(std::string_view arch) const {
  return std::find(names.begin(), names.end(), arch) != names.end();
}

void ReadFields(std::span<const SettingField> fields, opdb::Tree map, const OpSets& sets,
                void* object) {
  for (const SettingField& field : fields) {
    if (const opdb::Tree value = map[field.name]) field.read(field, value, sets, object);
  }
}

std::span<const SettingField> CommonFields() {
  using F = Fields<Settings>;
  static constexpr SettingField kFields[] = {
      F::Bind<&Settings::basis>("basis"), F::Bind<&Settings::required_sets>("required_sets", false),
      F::Bind<&Settings::reported_by>("reported_by", false),
      F::Bind<&Settings::priced_rules>("priced_rules", false),
      F::Bind<&Settings::priced_sets>("priced_sets", false)};
  return kFields;
}

std::unique_ptr<const Settings> ReadSettings(const SettingsForm* form, opdb::Tree document,
                                             const OpSets& sets, const Target& target) {
  std::unique_ptr<Settings> settings =
      form == nullptr ? std::make_unique<Settings>() : form->make(document, sets);
  ReadFields(CommonFields(), document, sets, settings.get());
  if (!settings->PickFor(target)) return nullptr;
  return settings;
}

}  // namespace quantgate::rules
