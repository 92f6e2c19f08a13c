#include "core/validate/wording.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

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

// ": the note", where there is one.
std::string NoteText(const Finding& f) {
  return f.note.empty() ? "" : fmt::format(": {}", f.note);
}

}  // namespace

void WordByConsequence(const opdb::View& db, const opdb::ConstraintRow& row, Finding& f) {
  const auto subject = [&] {
    return fmt::format("{}{} of {}", row.param >= 0 ? "param " : "", f.port, f.op);
  };
  switch (f.consequence) {
    case Consequence::kUndocumented:
      if (!IsDocumented(db, row)) {
        f.message = fmt::format("{} is {}{}", subject(), f.found, NoteText(f));
        break;
      }
      f.message = fmt::format("{}: the documents ask for {}; {} works where measured", subject(),
                              f.allowed, FoundText(f));
      for (Fix& fix : f.fixes) fix.summary = "to follow the documents, " + fix.summary;
      break;
    case Consequence::kAdvice:
      f.message = fmt::format("{} works best with {}{}", subject(), f.allowed, NoteText(f));
      break;
    case Consequence::kAltered:
      f.message =
          fmt::format("{} runs as written only with {}{}", subject(), f.allowed, NoteText(f));
      break;
    case Consequence::kAccepted:
    case Consequence::kWrongValues:
    case Consequence::kPrepareFails:
    case Consequence::kRejected:
    case Consequence::kUnchecked:
      break;
  }
}

}  // namespace quantgate
