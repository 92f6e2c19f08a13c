// The words that several reporters use.
#ifndef QUANTGATE_CORE_REPORT_WORDS_H_
#define QUANTGATE_CORE_REPORT_WORDS_H_

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantgate/checked.h"
#include "quantgate/report.h"
#include "quantgate/text.h"

namespace quantgate {

// Longest name shown whole.
inline constexpr size_t kNameColumns = 160;
inline constexpr size_t kLevelCount = 3;

inline constexpr std::array<Consequence, kConsequenceCount> kWorstFirst = {
    Consequence::kRejected, Consequence::kPrepareFails, Consequence::kWrongValues,
    Consequence::kAltered,  Consequence::kUndocumented, Consequence::kAdvice,
    Consequence::kAccepted, Consequence::kUnchecked};

// Larger = worse; `unchecked` below all.
int Severity(Consequence consequence);

// What the consequence means for the op or node of the report that has it.
std::string_view Meaning(const Report& report, Consequence consequence);
// A refusal that cites no constraint is not the backend's: something before it stops.
std::string_view Meaning(const Report& report, const Finding& finding);
// "3 of 66 nodes would be rejected", of which the phrase is the end.
std::string_view Phrase(Consequence consequence, bool one);

// A name of the file, safe to print and not too long.
std::string Name(std::string_view name);
std::string Nodes(size_t count);  // "1 node"

// "documented in 2.13, 2.25; measured on 2.51" of the ids "docs-2.13", "measured-2.51", …;
// "documents only: 2.25" where nobody measured.
std::string SourcesText(const std::vector<std::string>& sources);

// The node a finding is about; null = the model as a whole.
const NodeReport* NodeOf(const Report& report, const Finding& finding);
// `node "stem.conv" (Conv → Conv2d), in[1] "w", model.py:42`
std::string PlaceText(const Report& report, const Finding& finding);
// The constraint and its sources.
std::string ReasonText(const Finding& finding);
// Why a suppressed finding doesn't count; empty for others.
std::string SuppressionText(const Checked& checked, const Finding& finding);
// Lines "found: …", "allowed: …", "effect: …", "because: …", "suppressed: …", "fix: …".
std::string DetailsText(const Checked& checked, const Finding& finding);
// "htp · SDK 2.51 · v73 · SM8550 · route direct"
std::string TargetText(const Report& report, std::string_view separator = " · ");

// "60 nodes measured on SDK 2.51 (x86-64 library and emulator, not a chip) · 3 documented only".
std::string BasisText(const Report& report);

// Findings that count by level, indexed by Level.
std::array<size_t, kLevelCount> CountLevels(const Checked& checked);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_REPORT_WORDS_H_
