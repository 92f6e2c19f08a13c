#include "quantgate/target.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "core/base/absl_view.h"
#include "core/base/nearest.h"
#include "core/database/arch_order.h"
#include "core/database/view.h"
#include "quantgate/database.h"

namespace quantgate {
namespace {

using opdb::BackendRow;
using opdb::SocRow;
using opdb::SourceKind;
using opdb::SourceRow;
using opdb::Str;
using opdb::View;

std::string Lower(std::string_view s) { return absl::AsciiStrToLower(Absl(s)); }

// What the user wrote, fit for one line of an error message.
std::string Quoted(std::string_view text) {
  constexpr size_t kShown = 60;
  std::string out = "\"";
  for (const char c : text.substr(0, kShown)) out += absl::ascii_isprint(c) ? c : '?';
  return out + (text.size() > kShown ? "…\"" : "\"");
}

std::string Joined(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", Absl(name));
  }
  return text;
}

// Nearest names, else (where the list is short) all of them.
std::string Known(std::string_view name, const std::vector<std::string_view>& names) {
  const std::string near = DidYouMeanOf(name, names);
  constexpr size_t kShort = 12;
  if (!near.empty() || names.empty()) return near;
  if (names.size() <= kShort) return absl::StrCat(" (known: ", Joined(names), ")");
  // Nothing is near, and the list is too long to print: the three least far.
  const size_t limit = std::max<size_t>(name.size(), 8);
  std::vector<std::pair<size_t, std::string_view>> ranked;
  for (const std::string_view other : names) {
    ranked.emplace_back(EditDistance(name, other, limit), other);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return absl::StrCat(" (nearest: ", Joined({ranked[0].second, ranked[1].second, ranked[2].second}),
                      "; quantgate targets lists all)");
}

std::vector<std::string_view> Names(const View& db, opdb::Slice<opdb::Str> slice) {
  std::vector<std::string_view> names;
  for (const opdb::Str s : db.get(slice)) names.push_back(db.str(s));
  return names;
}

bool ReadUint8(std::string_view& text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0 || value > 255) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

// Socs are written "SM8550", "sm8550", "SM 8550", "sm-8550".
std::string FoldSoc(std::string_view name) {
  std::string folded;
  for (const char c : name) {
    if (c != ' ' && c != '-' && c != '_') folded += absl::ascii_tolower(c);
  }
  return folded;
}

// The words of a name, without what is neither letter nor digit: "snapdragon", "8", "elite", "qrd".
std::vector<std::string> Words(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (absl::ascii_isalnum(c) || c == '+') {
      words.back() += absl::ascii_tolower(c);
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool AllLetters(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isalpha(c); });
}

// Whether the name of a chip stands in a longer one, as words in a row. What is before and after it
// may only be letters: its maker, the board, a variant ("QRD", "(Proxy)", "for Galaxy", "-AC").
bool Contains(const std::vector<std::string>& wanted, std::string_view name) {
  constexpr size_t kLongName = 8;  // shorter ones are the end of others
  for (size_t first = 0; first < wanted.size(); ++first) {
    std::string run;
    for (size_t last = first; last < wanted.size(); ++last) {
      run += wanted[last];
      // A maker's name may stand before it without a sign between.
      const size_t before = run.size() < name.size() ? 0 : run.size() - name.size();
      const bool ends = run.ends_with(name) && AllLetters(run.substr(0, before)) &&
                        (before == 0 || name.size() >= kLongName);
      if (!ends) continue;
      const auto letters = [](const std::string& word) { return AllLetters(word); };
      return std::all_of(wanted.begin(), wanted.begin() + static_cast<ptrdiff_t>(first), letters) &&
             std::all_of(wanted.begin() + static_cast<ptrdiff_t>(last) + 1, wanted.end(), letters);
    }
  }
  return false;
}

// By the longest of its names that stands in `wanted`.
const SocRow* FindSocInside(const View& db, std::string_view wanted) {
  const std::vector<std::string> words = Words(wanted);
  const SocRow* found = nullptr;
  size_t longest = 0;
  for (const SocRow& soc : db.socs()) {
    std::vector<std::string_view> names = Names(db, soc.aliases);
    names.push_back(db.str(soc.name));
    for (const std::string_view name : names) {
      std::string folded;
      for (const std::string& word : Words(name)) folded += word;
      // The number that the Linux kernel has for a chip is no name of it.
      if (folded.size() <= longest || absl::ascii_isdigit(folded.front())) continue;
      if (!Contains(words, folded)) continue;
      found = &soc;
      longest = folded.size();
    }
  }
  return found;
}

// By a name whose first word, that of a family or maker, is left out or short: "8 Gen 2", "8gen2", "SD 8 Gen 2", "XR2",
// "S24". Null where several socs have such a name.
const SocRow* FindSocOfAFamily(const View& db, std::string_view wanted) {
  std::vector<std::string> words = Words(wanted);
  if (words.size() > 1 && words[0] == "sd") words.erase(words.begin());
  const std::string joined = absl::StrJoin(words, "");
  if (joined.size() < 3) return nullptr;  // "X" says too little
  const SocRow* found = nullptr;
  for (const SocRow& soc : db.socs()) {
    for (const std::string_view name : Names(db, soc.aliases)) {
      const std::vector<std::string> all = Words(name);
      if (all.size() < 2 || !AllLetters(all[0]) || absl::StrJoin(all.begin() + 1, all.end(), "") != joined) continue;
      if (found != nullptr && found != &soc) return nullptr;
      found = &soc;
    }
  }
  return found;
}

// `note`: how the soc was found, where it is by another name.
const SocRow* FindSoc(const View& db, std::string_view wanted, std::string& note) {
  int id = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), id);
  const bool number = error == std::errc() && end == wanted.data() + wanted.size();
  const std::string folded = FoldSoc(wanted);
  const SocRow* alias = nullptr;
  for (const SocRow& soc : db.socs()) {
    if (number ? soc.id == id : FoldSoc(db.str(soc.name)) == folded) return &soc;
    for (const std::string_view other : Names(db, soc.aliases)) {
      if (!alias && FoldSoc(other) == folded) alias = &soc;
    }
  }
  if (alias == nullptr && !number) alias = FindSocInside(db, wanted);
  if (alias == nullptr && !number) alias = FindSocOfAFamily(db, wanted);
  if (alias != nullptr) {
    note = absl::StrCat(Quoted(wanted), number ? " is the Linux kernel's number for " : " is ",
                        Absl(db.str(alias->name)),
                        number ? absl::StrCat(", whose SoC id is ", alias->id) : "");
  }
  return alias;
}

absl::Status UnknownSoc(const View& db, std::string_view wanted) {
  std::vector<std::string_view> names;
  const auto has_letters = [](std::string_view name) {
    return std::any_of(name.begin(), name.end(), absl::ascii_isalpha);
  };
  for (const SocRow& soc : db.socs()) {
    if (!wanted.empty() && db.str(soc.arch_name) == Lower(wanted)) {
      return absl::InvalidArgumentError(
          absl::StrCat("unknown soc ", Quoted(wanted), ": it is an architecture (--arch ",
                       Absl(db.str(soc.arch_name)), ")"));
    }
    names.push_back(db.str(soc.name));
    for (const std::string_view other : Names(db, soc.aliases)) {
      // Numbers are near to numbers only.
      if (has_letters(other) || !has_letters(wanted)) names.push_back(other);
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown soc ", Quoted(wanted), Known(wanted, names)));
}

// The first SDK whose documents say what the ops of a backend take; 0 = there are none.
SdkKey OldestDocuments(const View& db, std::string_view backend) {
  SdkKey oldest = 0;
  for (const SourceRow& source : db.sources()) {
    if (source.kind != SourceKind::kDocuments) continue;
    for (const Str name : db.get(source.backends)) {
      if (db.str(name) == backend && (oldest == 0 || source.sdk < oldest)) oldest = source.sdk;
    }
  }
  return oldest;
}

struct ChosenSdk {
  SdkKey sdk = 0, knowledge = 0;  // as wanted; whose facts are used
  std::string note;               // where these differ
};

// `documents`: the first SDK that has them.
absl::StatusOr<ChosenSdk> ChooseSdk(const std::string& wanted, std::span<const SdkKey> known, SdkKey documents) {
  ChosenSdk chosen{known.back(), known.back(), {}};
  if (!wanted.empty()) {
    auto sdk = ParseSdk(wanted);
    if (!sdk.ok()) return sdk.status();
    chosen.sdk = *sdk;
  }
  const std::string name = SdkName(chosen.sdk);
  if (chosen.sdk < known.front()) {
    return absl::InvalidArgumentError(
        absl::StrCat("SDK ", name, " is older than the oldest known, ", SdkName(known.front())));
  }
  chosen.knowledge = *(std::upper_bound(known.begin(), known.end(), chosen.sdk) - 1);
  if (chosen.sdk < documents) {
    chosen.knowledge = documents;
    chosen.note = absl::StrCat("there are no documents of SDK ", name, ": its ops are those of ",
                               SdkName(documents), ", its clients are known by their sources");
  } else if (chosen.sdk > known.back()) {
    chosen.note = absl::StrCat("SDK ", name, " is newer than the newest known, ", SdkName(known.back()),
                               ", whose facts are used");
  } else if (chosen.sdk != chosen.knowledge) {
    chosen.note = absl::StrCat("SDK ", name, " has no facts of its own, those of ", SdkName(chosen.knowledge),
                               " are used");
  }
  return chosen;
}

// The arch of a soc, one of `archs` if `index`.
struct ArchOfSoc {
  std::string_view name;
  std::optional<int> index;
  std::string conflict, unsupported;  // texts of Target
};

// `wanted`: the arch that was asked for beside the soc.
ArchOfSoc FindArchOf(const SocRow& soc, const View& db, const std::string& backend,
                     const std::vector<std::string_view>& archs, std::optional<int> wanted) {
  const std::string name(db.str(soc.name));
  ArchOfSoc found{.name = db.str(soc.arch_name), .index = {}, .conflict = {}, .unsupported = {}};
  const absl::string_view own = Absl(found.name);
  if (soc.arch >= 0 && static_cast<size_t>(soc.arch) < archs.size()) found.index = soc.arch;
  if (wanted && !own.empty() && wanted != found.index) {
    found.conflict =
        absl::StrCat(name, " has arch ", own, ", not ", Absl(archs[static_cast<size_t>(*wanted)]));
    if (found.index) absl::StrAppend(&found.conflict, ": ", own, " is used");
  }
  if (found.index) return found;
  if (own.empty()) {
    found.unsupported = absl::StrCat("the arch of ", name, " is unknown");
  } else if (opdb::IsOlderArch(found.name, archs.front())) {
    found.unsupported = absl::StrCat(name, " is ", own, ", older than the first arch of ", backend, ", ",
                                     Absl(archs.front()), ": nothing runs there");
  } else {
    found.unsupported = absl::StrCat(name, " has arch ", own, ", known are ops of ", Absl(archs.front()),
                                     " to ", Absl(archs.back()));
  }
  return found;
}

// Nothing where none was asked for.
absl::StatusOr<std::optional<int>> FindArch(const std::string& name, const std::string& backend,
                                            const std::vector<std::string_view>& archs) {
  if (name.empty()) return std::nullopt;
  const auto it = std::find(archs.begin(), archs.end(), Lower(name));
  if (it == archs.end()) {
    return absl::InvalidArgumentError(absl::StrCat("unknown arch ", Quoted(name), " of ", backend, Known(name, archs)));
  }
  return static_cast<int>(it - archs.begin());
}

}  // namespace

absl::StatusOr<SdkKey> ParseSdk(std::string_view text) {
  const auto wrong = [&](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("SDK version ", Quoted(text), " ", why, ", expected MAJOR.MINOR like 2.51"));
  };
  std::string_view rest = text;
  int major = 0, minor = 0;
  if (rest.empty()) return wrong("is empty");
  if (!ReadUint8(rest, major) || rest.empty() || rest[0] != '.') return wrong("is no version");
  rest.remove_prefix(1);
  if (!ReadUint8(rest, minor)) return wrong("is no version");
  // What follows (patch, build) doesn't count, but must look like it.
  if (!rest.empty() && rest[0] != '.') return wrong("is no version");
  const bool clean = std::all_of(rest.begin(), rest.end(), [](char c) {
    return absl::ascii_isalnum(c) || c == '.' || c == '-' || c == '_' || c == '+';
  });
  if (!clean || rest == "." || rest.find("..") != rest.npos) return wrong("is no version");
  const auto key = static_cast<SdkKey>(major << 8 | minor);
  if (key == kSdkOpen) return wrong("is out of range");
  return key;
}

std::string SdkName(SdkKey key) { return absl::StrCat(key >> 8, ".", key & 0xFF); }

std::string Target::WhyNot(std::string_view dialect) const {
  if (dialect_.empty() || dialect == dialect_) return {};
  return absl::StrCat("backend ", backend_, " takes models of the dialect ", dialect_, ", not ",
                      Absl(dialect));
}

absl::StatusOr<Target> Target::Parse(const TargetSpec& spec, const Database& database) {
  const View& db = database.view();
  Target target;
  target.backend_index_ = db.FindBackend(Lower(spec.backend));
  if (target.backend_index_ < 0) {
    std::vector<std::string_view> names;
    for (const BackendRow& row : db.backends()) names.push_back(db.str(row.name));
    return absl::InvalidArgumentError(
        absl::StrCat("unknown backend ", Quoted(spec.backend), Known(spec.backend, names)));
  }
  const BackendRow& backend = db.backends()[static_cast<size_t>(target.backend_index_)];
  target.backend_ = db.str(backend.name);
  target.dialect_ = db.str(backend.dialect);
  target.measured_by_ = db.str(backend.measured_by);
  target.has_op_validation_ = backend.has_op_validation != 0;
  const absl::StatusOr<ChosenSdk> sdk =
      ChooseSdk(spec.sdk, db.get(backend.sdks), OldestDocuments(db, target.backend_));
  if (!sdk.ok()) return sdk.status();
  target.sdk_ = sdk->sdk;
  target.knowledge_sdk_ = sdk->knowledge;
  target.measured_ = sdk->knowledge >= backend.first_measured;
  if (!sdk->note.empty()) target.notes_.push_back(sdk->note);

  const std::vector<std::string_view> archs = Names(db, backend.archs);
  absl::StatusOr<std::optional<int>> asked = FindArch(spec.arch, target.backend_, archs);
  if (!asked.ok()) return asked.status();
  std::optional<int> arch = *asked;
  if (!spec.soc.empty()) {
    std::string found_by;
    const SocRow* soc = FindSoc(db, spec.soc, found_by);
    if (soc == nullptr) return UnknownSoc(db, spec.soc);
    if (!found_by.empty()) target.notes_.push_back(std::move(found_by));
    target.soc_ = db.str(soc->name);
    // Socs are chips with an HTP; to backends without archs they are a name.
    if (!archs.empty()) {
      ArchOfSoc found = FindArchOf(*soc, db, target.backend_, archs, arch);
      target.arch_ = found.name;
      target.conflict_ = std::move(found.conflict);
      target.unsupported_ = std::move(found.unsupported);
      if (!found.index) return target;
      arch = found.index;
      target.lacks_ = soc->lacks;
    }
  }
  if (!arch && !archs.empty()) {
    arch = backend.default_arch;
    target.notes_.push_back(absl::StrCat("neither soc nor arch given: assumed ",
                                         Absl(archs[static_cast<size_t>(*arch)])));
  }
  if (arch) {
    target.arch_index_ = *arch;
    target.arch_ = archs[static_cast<size_t>(*arch)];
  }
  return target;
}

}  // namespace quantgate
