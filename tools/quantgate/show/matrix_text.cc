#include "tools/quantgate/show/matrix_text.h"

#include <algorithm>
#include <vector>

#include "quantgate/text.h"
#include "tools/quantgate/show/table.h"

namespace quantgate::cli {
namespace {

// More ops than this share one table.
constexpr size_t kFew = 4;

using Cells = std::vector<std::string>;

Style StyleOf(const Matrix::Supported& supported) {
  if (supported.verdict != Consequence::kAccepted) return Style::kYellow;
  return supported.measured ? Style::kGreen : Style::kCyan;
}

std::string Names(const std::vector<SocInfo>& socs) {
  std::vector<std::string> names;
  for (const SocInfo& soc : socs) names.push_back(soc.name);
  return Join(names);
}

class Printer {
 public:
  Printer(const Matrix& matrix, int only, const Paper& paper)
      : matrix_(matrix), only_(only), paint_(paper.color), width_(paper.width) {}

  std::string Print() && {
    if (matrix_.rows.empty()) {
      text_ = "no op takes " + matrix_.precisions[static_cast<size_t>(only_)].id + " on " +
              SharedText(matrix_) + "\n";
      return std::move(text_);
    }
    if (matrix_.rows.size() <= kFew) {
      for (const Matrix::Row& row : matrix_.rows) Few(row);
    } else {
      Many();
    }
    Legend();
    if (matrix_.by == MatrixBy::kSoc) Chips();
    for (const std::string& note : matrix_.notes) {
      text_ += Table({{paint_(Style::kCyan, "note:", true), note}}, 0, width_);
    }
    return std::move(text_);
  }

 private:
  bool Shown(const Matrix::Row& row, size_t precision) const {
    if (only_ >= 0) return static_cast<int>(precision) == only_;
    if (!row.weighted && matrix_.precisions[precision].needs_weight) return false;
    return std::any_of(row.cells.begin(), row.cells.end(),
                       [&](const Matrix::Cell& cell) { return Find(cell, precision) != nullptr; });
  }

  static const Matrix::Supported* Find(const Matrix::Cell& cell, size_t precision) {
    for (const Matrix::Supported& supported : cell.supported) {
      if (supported.precision == precision) return &supported;
    }
    return nullptr;
  }

  std::string Word(const Matrix::Cell& cell, size_t precision) {
    if (!cell.known) return paint_(Style::kGrey, "no op");
    const Matrix::Supported* supported = Find(cell, precision);
    if (supported == nullptr) return paint_(Style::kGrey, "no");
    const bool accepted = supported->verdict == Consequence::kAccepted;
    return paint_(
        StyleOf(*supported),
        accepted ? (supported->measured ? "yes" : "documented") : ConsequenceName(supported->verdict),
        accepted);
  }

  void Few(const Matrix::Row& row) {
    if (!text_.empty()) text_ += "\n";
    text_ += paint_(Style::kBold, row.op) + "  " + SharedText(matrix_) + "\n";
    std::vector<Cells> table(1);
    table[0].push_back(paint_(Style::kGrey, MatrixByName(matrix_.by)));
    std::vector<size_t> shown;
    for (size_t p = 0; p < matrix_.precisions.size(); ++p) {
      if (!Shown(row, p)) continue;
      shown.push_back(p);
      const Matrix::Supported any{static_cast<uint8_t>(p), {}, {}, {}};
      table[0].push_back(paint_(Style::kGrey, matrix_.Label(row, any)));
    }
    const bool chips = matrix_.by == MatrixBy::kSoc;
    if (chips) table[0].push_back(paint_(Style::kGrey, "chips"));
    for (size_t c = 0; c < matrix_.columns.size(); ++c) {
      Cells& line = table.emplace_back();
      line.push_back(paint_(Style::kBlue, matrix_.columns[c].name, true));
      for (const size_t p : shown) line.push_back(Word(row.cells[c], p));
      if (shown.empty()) {
        line.push_back(row.cells[c].known ? "dtypes of its own, see quantgate query " + row.op
                                          : paint_(Style::kGrey, "no op"));
      }
      if (chips) line.push_back(Names(matrix_.columns[c].socs));
    }
    text_ += Table(table, 2, width_);
  }

  std::string Letters(const Matrix::Row& row, const Matrix::Cell& cell) {
    if (!cell.known) return "";
    std::string letters;
    for (size_t p = 0; p < matrix_.precisions.size(); ++p) {
      if (only_ >= 0 && static_cast<int>(p) != only_) continue;
      const Matrix::Supported* supported = Find(cell, p);
      if (supported == nullptr) {
        const bool moot = !row.weighted && matrix_.precisions[p].needs_weight;
        letters += moot ? " " : paint_(Style::kGrey, "·");
        continue;
      }
      char mark = matrix_.precisions[p].mark;
      if (supported->verdict != Consequence::kAccepted) mark = static_cast<char>(mark - 'A' + 'a');
      letters += paint_(StyleOf(*supported), std::string_view(&mark, 1),
                        supported->verdict == Consequence::kAccepted);
    }
    return letters;
  }

  void Many() {
    text_ += paint_(Style::kBold, std::to_string(matrix_.rows.size()) + " ops") + "  " +
             SharedText(matrix_) + "\n";
    size_t names = 0;
    for (const Matrix::Row& row : matrix_.rows) names = std::max(names, row.op.size());
    // As many columns side by side as there is room for.
    const size_t wide = (only_ >= 0 ? 1 : matrix_.precisions.size()) + 2;
    const size_t room = width_ > names + 4 ? (width_ - names - 4) / wide : 0;
    const size_t step = std::max<size_t>(room, 4);
    for (size_t begin = 0; begin < matrix_.columns.size(); begin += step) {
      if (begin > 0) text_ += "\n";
      Columns(begin, std::min(begin + step, matrix_.columns.size()));
    }
  }

  void Columns(size_t begin, size_t end) {
    std::vector<Cells> table(1);
    table[0].push_back(paint_(Style::kGrey, "op"));
    for (size_t c = begin; c < end; ++c) {
      table[0].push_back(paint_(Style::kBlue, matrix_.columns[c].name, true));
    }
    for (const Matrix::Row& row : matrix_.rows) {
      Cells& line = table.emplace_back();
      line.push_back(row.op);
      for (size_t c = begin; c < end; ++c) line.push_back(Letters(row, row.cells[c]));
    }
    // The last cell of a row would be wrapped at its spaces.
    for (Cells& line : table) line.emplace_back();
    text_ += Table(table, 2, width_);
  }

  // ": x86-64 library and emulator, not a chip", of each of the backends.
  std::string MeasuredBy() const {
    std::vector<std::string> parts;
    for (const Matrix::Column& column : matrix_.columns) {
      const std::string& by = column.target.measured_by();
      if (by.empty()) continue;
      std::string part = matrix_.by == MatrixBy::kBackend ? column.name + " " + by : by;
      if (std::find(parts.begin(), parts.end(), part) == parts.end()) {
        parts.push_back(std::move(part));
      }
    }
    return parts.empty() ? "" : ": " + Join(parts, "; ");
  }

  void Legend() {
    if (matrix_.rows.size() <= kFew) {
      text_ += "\n";
      text_ += Table({{paint_(Style::kGreen, "yes"), "measured" + MeasuredBy()},
                      {paint_(Style::kCyan, "documented"), "as the documents say; nobody measured"},
                      {paint_(Style::kYellow, "undocumented"),
                       "supported where somebody looked, or each part documented on its own"}},
                     2, width_);
      return;
    }
    std::vector<std::string> marks;
    for (size_t p = 0; p < matrix_.precisions.size(); ++p) {
      if (only_ >= 0 && static_cast<int>(p) != only_) continue;
      const Precision& precision = matrix_.precisions[p];
      marks.push_back(std::string(1, precision.mark) + " " + precision.id);
    }
    text_ += "\n";
    text_ +=
        Table({{paint_(Style::kGrey, "letters"),
                Join(marks) +
                    "; small = undocumented, · = not supported, nothing = no such op or no weights"},
               {paint_(Style::kGrey, "colours"),
                paint_(Style::kGreen, "measured") + ", " + paint_(Style::kCyan, "documented only") +
                    ", " + paint_(Style::kYellow, "undocumented")}},
              2, width_);
  }

  void Chips() {
    std::vector<Cells> table;
    if (matrix_.rows.size() > kFew) {
      for (const Matrix::Column& column : matrix_.columns) {
        table.push_back({paint_(Style::kBlue, column.name, true), Names(column.socs)});
      }
    }
    if (!matrix_.unsupported.empty()) {
      table.push_back({paint_(Style::kGrey, "unknown"),
                       Names(matrix_.unsupported) + " (arch unknown or older than all known)"});
    }
    text_ += "\n" + Table(table, 2, width_);
  }

  const Matrix& matrix_;
  const int only_;
  const Painter paint_;
  const size_t width_;
  std::string text_;
};

}  // namespace

std::string SharedText(const Matrix& matrix) {
  const Target& first = matrix.columns.front().target;
  switch (matrix.by) {
    case MatrixBy::kArch:
    case MatrixBy::kSoc:
      return first.backend() + " · SDK " + first.sdk();
    case MatrixBy::kSdk:
      return first.backend() + (first.arch().empty() ? "" : " · " + first.arch());
    case MatrixBy::kBackend:
      break;
  }
  std::vector<std::string> targets;
  for (const Matrix::Column& column : matrix.columns) {
    targets.push_back(column.name + " " + column.target.sdk() +
                      (column.target.arch().empty() ? "" : " " + column.target.arch()));
  }
  return Join(targets, " · ");
}

std::string MatrixText(const Matrix& matrix, int only, const Paper& paper) {
  return Printer(matrix, only, paper).Print();
}

}  // namespace quantgate::cli
