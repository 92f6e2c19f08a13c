// The settings of a rule: a struct of its own, filled from opdefs/rules/<slug>.yaml when a
// validator is made. The rule's file binds each key to a member once; by the same table the
// database's compiler checks the file.
#ifndef QUANTGATE_CORE_RULES_SUPPORT_SETTINGS_H_
#define QUANTGATE_CORE_RULES_SUPPORT_SETTINGS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/database/document_shape.h"
#include "core/database/view.h"
#include "core/rules/support/op_sets.h"
#include "quantgate/dtype.h"
#include "quantgate/rule.h"

namespace quantgate::rules {

// What the file of every rule may say. Texts are the database's.
struct Settings {
  virtual ~Settings() = default;
  // Leaves out what is for other targets, once: rules see every op of every model. False where nothing
  // is left to do.
  virtual bool PickFor(const Target&) { return true; }
  std::string_view basis;     // what the rule rests on; the note of its findings
  // `visit` is called for ops of these sets, `walk` where the graph has one; 0 = always.
  SetMask required_sets = 0;
  // Rules whose finding on an op makes one of this rule needless.
  std::vector<const Rule*> reported_by;
  // Findings of these rules get the bytes that ops of these sets read and write for their node.
  std::vector<const Rule*> priced_rules;
  SetMask priced_sets = 0;
};

// Names of archs; none where the key is not there.
struct Archs {
  std::vector<std::string_view> names;
  bool Lists(std::string_view arch) const;
};

// An SDK version.
struct Sdk {
  SdkKey key;
};

// One key: what it holds, and the member it fills.
struct SettingField {
  std::string_view name;
  opdb::ValueType type;  // kMap: of `row`
  bool list = false;     // of such values
  bool required = true;
  std::span<const SettingField> row = {};
  void (*read)(const SettingField&, opdb::Tree value, const OpSets&, void* object) = nullptr;
};

// Fills the members of `object`, the struct that the fields are bound to; those of absent keys
// stay.
void ReadFields(std::span<const SettingField> fields, opdb::Tree map, const OpSets& sets,
                void* object);

namespace internal {

void ReadInto(opdb::Tree value, const OpSets& sets, SetMask& out);
void ReadInto(opdb::Tree value, const OpSets& sets, int64_t& out);
void ReadInto(opdb::Tree value, const OpSets& sets, double& out);
void ReadInto(opdb::Tree value, const OpSets& sets, Dtype& out);
void ReadInto(opdb::Tree value, const OpSets& sets, Sdk& out);
void ReadInto(opdb::Tree value, const OpSets& sets, Archs& out);
void ReadInto(opdb::Tree value, const OpSets& sets, std::string_view& out);
void ReadInto(opdb::Tree value, const OpSets& sets, std::vector<int64_t>& out);
void ReadInto(opdb::Tree value, const OpSets& sets, std::vector<std::string_view>& out);
void ReadInto(opdb::Tree value, const OpSets& sets, std::vector<const Rule*>& out);

template <class T>
constexpr std::pair<opdb::ValueType, bool> TypeOf() {
  using enum opdb::ValueType;
  if constexpr (std::is_same_v<T, SetMask>) return {kOpSet, true};
  if constexpr (std::is_same_v<T, int64_t>) return {kInteger, false};
  if constexpr (std::is_same_v<T, double>) return {kNumber, false};
  if constexpr (std::is_same_v<T, Dtype>) return {kDtype, false};
  if constexpr (std::is_same_v<T, Sdk>) return {kSdk, false};
  if constexpr (std::is_same_v<T, Archs>) return {kArch, true};
  if constexpr (std::is_same_v<T, std::string_view>) return {kText, false};
  if constexpr (std::is_same_v<T, std::vector<int64_t>>) return {kInteger, true};
  if constexpr (std::is_same_v<T, std::vector<std::string_view>>) return {kText, true};
  if constexpr (std::is_same_v<T, std::vector<const Rule*>>) return {kRule, true};
}

}  // namespace internal

// Fields<S>::Bind<&S::member>("key").
template <class S>
struct Fields {
  template <auto member>
  using Member = std::remove_cvref_t<decltype(std::declval<S&>().*member)>;

  template <auto member>
  static constexpr SettingField Bind(std::string_view name, bool required = true) {
    constexpr auto type = internal::TypeOf<Member<member>>();
    return {.name = name,
            .type = type.first,
            .list = type.second,
            .required = required,
            .read = [](const SettingField&, opdb::Tree value, const OpSets& sets, void* object) {
              internal::ReadInto(value, sets, static_cast<S*>(object)->*member);
            }};
  }
  // A map.
  template <auto member>
  static constexpr SettingField Entry(std::string_view name, std::span<const SettingField> row) {
    return {
        .name = name,
        .type = opdb::ValueType::kMap,
        .row = row,
        .read = [](const SettingField& field, opdb::Tree value, const OpSets& sets, void* object) {
          ReadFields(field.row, value, sets, &(static_cast<S*>(object)->*member));
        }};
  }
  // A list of maps.
  template <auto member>
  static constexpr SettingField Rows(std::string_view name, std::span<const SettingField> row) {
    return {
        .name = name,
        .type = opdb::ValueType::kMap,
        .list = true,
        .row = row,
        .read = [](const SettingField& field, opdb::Tree value, const OpSets& sets, void* object) {
          for (size_t i = 0; i < value.size(); ++i) {
            ReadFields(field.row, value.at(i), sets,
                       &(static_cast<S*>(object)->*member).emplace_back());
          }
        }};
  }
};

// Keys that all rules have besides those of opdb::IsFor.
std::span<const SettingField> CommonFields();

// The settings of a rule: its fields, and how they are read.
struct SettingsForm {
  std::span<const SettingField> fields = {};
  std::unique_ptr<Settings> (*make)(opdb::Tree document, const OpSets& sets) = nullptr;
};

template <class S, const auto& fields>
inline constexpr SettingsForm kFormOf = {
    fields, [](opdb::Tree document, const OpSets& sets) -> std::unique_ptr<Settings> {
      auto settings = std::make_unique<S>();
      ReadFields(fields, document, sets, settings.get());
      return settings;
    }};

// Without a form: a rule with nothing of its own. Null: it has nothing to do for the target.
std::unique_ptr<const Settings> ReadSettings(const SettingsForm* form, opdb::Tree document,
                                             const OpSets& sets, const Target& target);

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_SUPPORT_SETTINGS_H_
