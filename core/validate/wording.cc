#include "core/validate/wording.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"

namespace quantgate {
namespace {

// What was found stands in the message up to this length; longer, it has a line of its own only.
constexpr size_t kShort = 40;

bool IsDocumented(const opdb::View& db, const opdb::ConstraintRow& row) {
  const auto sources = db.get(row.sources);
  return std::any_of(sources.begin(), sources.end(), [&](uint16_t source) {
    return db.sources()[source].kind == opdb::SourceKind::kDocuments;
  });
}

std::string FoundText(const Finding& f) {
  return f.found.size() <= kShort ? f.found.str() : std::string("what the model has");
}

// "in[1] of Conv2d" and what is said of it, with the note behind a colon, where there is one. Made for every finding:
// joined without a format string to read.
std::string Sentence(const opdb::ConstraintRow& row, const Finding& f, std::string_view says, std::string_view what,
                     std::string_view note) {
  return absl::StrCat(row.param >= 0 ? "param " : "", Absl(f.port), " of ", Absl(f.op), Absl(says), Absl(what),
                      note.empty() ? "" : ": ", Absl(note));
}

// "in[0] of Cast is UINT_8; supported: …" with what it costs in place of the semicolon.
void SayCost(Finding& f, std::string_view cost) {
  constexpr std::string_view kSupported = "; supported: ";
  const std::string_view message = f.message;
  const size_t at = message.find(kSupported);
  if (at == message.npos) return;
  f.message = absl::StrCat(Absl(message.substr(0, at)), Absl(cost), Absl(message.substr(at + kSupported.size())));
}

}  // namespace

void WordByConsequence(const opdb::View& db, const opdb::ConstraintRow& row, Finding& f) {
  switch (f.consequence) {
    case Consequence::kUndocumented:
      if (!IsDocumented(db, row)) {
        f.message = Sentence(row, f, " is ", f.found, f.note);
        break;
      }
      f.message = Sentence(row, f, ": the documents ask for ", f.allowed, {}) + "; " + FoundText(f) +
                  " works where measured";
      for (Fix& fix : f.fixes) fix.summary = "to follow the documents, " + fix.summary;
      break;
    case Consequence::kAdvice:
      f.message = Sentence(row, f, " works best with ", f.allowed, f.note);
      break;
    case Consequence::kAltered:
      f.message = Sentence(row, f, " runs as written only with ", f.allowed, f.note);
      break;
    case Consequence::kWrongValues:
      SayCost(f, ", which gives wrong values; right: ");
      break;
    case Consequence::kPrepareFails:
      SayCost(f, ", which is not prepared; supported: ");
      break;
    case Consequence::kAccepted:
    case Consequence::kRejected:
    case Consequence::kUnchecked:
      break;
  }
}

}  // namespace quantgate
