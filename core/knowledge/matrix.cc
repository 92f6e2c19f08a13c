#include "quantgate/matrix.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/nearest.h"
#include "core/database/view.h"
#include "core/knowledge/precision.h"

namespace quantgate {
namespace {

using opdb::BackendRow;
using opdb::OpRow;
using opdb::View;

absl::Status NotUsed(std::string_view flag, MatrixBy by) {
  return absl::InvalidArgumentError(absl::StrCat("--", std::string(flag),
                                                 " is what the columns of --by ",
                                                 std::string(MatrixByName(by)), " differ in"));
}

absl::StatusOr<Matrix::Column> ColumnOf(const Database& database, TargetSpec spec,
                                        std::string name) {
  auto target = Target::Parse(spec, database);
  if (!target.ok()) return target.status();
  if (!target->unsupported().empty()) return absl::InvalidArgumentError(target->unsupported());
  return Matrix::Column{std::move(name), *std::move(target), {}};
}

class Maker {
 public:
  Maker(const Database& database, const MatrixSpec& spec)
      : database_(database), view_(database.view()), spec_(spec), table_(view_) {}

  absl::StatusOr<Matrix> Run(std::vector<Matrix::Column> columns) {
    matrix_.by = spec_.by;
    matrix_.precisions = table_.precisions();
    matrix_.columns = std::move(columns);
    if (matrix_.columns.empty()) {
      if (absl::Status status = Columns(); !status.ok()) return status;
    }
    if (absl::Status status = Rows(); !status.ok()) return status;
    Notes();
    return std::move(matrix_);
  }

 private:
  absl::Status Columns() {
    const TargetSpec& shared = spec_.target;
    if (spec_.by == MatrixBy::kSdk && !shared.sdk.empty()) return NotUsed("sdk", spec_.by);
    if (spec_.by == MatrixBy::kArch || spec_.by == MatrixBy::kSoc) {
      if (!shared.arch.empty()) return NotUsed("arch", spec_.by);
      if (!shared.soc.empty()) return NotUsed("soc", spec_.by);
    }
    if (spec_.by == MatrixBy::kBackend) return Backends();
    // Says what is wrong with the shared part once.
    auto base = ColumnOf(database_, shared, "");
    if (!base.ok()) return base.status();
    const std::string backend = base->target.backend();
    if (spec_.by == MatrixBy::kSdk) {
      for (const std::string& sdk : database_.Sdks(backend)) {
        TargetSpec spec = shared;
        spec.sdk = sdk;
        if (absl::Status status = Add(std::move(spec), sdk); !status.ok()) return status;
      }
      return absl::OkStatus();
    }
    const std::vector<std::string> archs = database_.Archs(backend);
    if (archs.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "backend ", backend, " has no archs: --by sdk or --by backend shows what it takes"));
    }
    for (const std::string& arch : archs) {
      TargetSpec spec = shared;
      spec.arch = arch;
      if (absl::Status status = Add(std::move(spec), arch); !status.ok()) return status;
    }
    return spec_.by == MatrixBy::kSoc ? Socs() : absl::OkStatus();
  }

  absl::Status Add(TargetSpec spec, std::string name) {
    auto column = ColumnOf(database_, std::move(spec), std::move(name));
    if (!column.ok()) return column.status();
    matrix_.columns.push_back(*std::move(column));
    return absl::OkStatus();
  }

  // Every backend with the SDK, arch and soc that were given, where it knows them.
  absl::Status Backends() {
    absl::Status first_error;
    for (const std::string& backend : database_.Backends()) {
      TargetSpec spec = spec_.target;
      spec.backend = backend;
      if (database_.Archs(backend).empty()) spec.arch.clear();
      const absl::Status status = Add(std::move(spec), backend);
      if (status.ok()) continue;
      if (first_error.ok()) first_error = status;
      matrix_.notes.push_back(absl::StrCat(backend, ": ", std::string(status.message())));
    }
    return matrix_.columns.empty() ? first_error : absl::OkStatus();
  }

  // Chips go to the column of their arch and of the features they lack; those without chips are
  // left out.
  absl::Status Socs() {
    for (SocInfo& soc : database_.Socs()) {
      auto column = std::find_if(matrix_.columns.begin(), matrix_.columns.end(),
                                 [&](const Matrix::Column& c) {
                                   return c.target.arch() == soc.arch &&
                                          c.target.lacks() == soc.lacks_bits;
                                 });
      const auto of_arch =
          std::find_if(matrix_.columns.begin(), matrix_.columns.end(),
                       [&](const Matrix::Column& c) { return c.target.arch() == soc.arch; });
      if (column == matrix_.columns.end() && of_arch != matrix_.columns.end()) {
        TargetSpec spec = spec_.target;
        spec.soc = soc.name;
        auto made =
            ColumnOf(database_, std::move(spec),
                     absl::StrCat(of_arch->name, " without ", absl::StrJoin(soc.lacks, ", ")));
        if (!made.ok()) return made.status();
        column = matrix_.columns.insert(of_arch + 1, *std::move(made));
      }
      (column == matrix_.columns.end() ? matrix_.unsupported : column->socs)
          .push_back(std::move(soc));
    }
    std::erase_if(matrix_.columns, [](const Matrix::Column& c) { return c.socs.empty(); });
    return absl::OkStatus();
  }

  const BackendRow& BackendOf(const Matrix::Column& column) const {
    return view_.backends()[static_cast<size_t>(column.target.backend_index())];
  }

  static bool InTarget(const OpRow& op, const Target& target) {
    return opdb::Covers(op.range, target.knowledge_key(), target.arch_index());
  }

  absl::Status Rows() {
    std::set<std::string_view> known;
    for (const Matrix::Column& column : matrix_.columns) {
      for (const OpRow& op : view_.get(BackendOf(column).ops)) {
        if (InTarget(op, column.target)) known.insert(view_.str(op.name));
      }
    }
    std::set<std::string_view> wanted(spec_.ops.begin(), spec_.ops.end());
    for (const std::string_view op : wanted) {
      if (known.contains(op)) continue;
      std::string message = absl::StrCat("unknown op \"", std::string(op.substr(0, 60)), "\"");
      if (spec_.by != MatrixBy::kBackend || matrix_.columns.size() == 1) {
        absl::StrAppend(&message, " of ", matrix_.columns.front().target.backend());
      }
      return absl::NotFoundError(message + DidYouMeanOf(op, known));
    }
    for (const std::string_view op : wanted.empty() ? known : wanted) {
      matrix_.rows.push_back(RowOf(op));
    }
    return absl::OkStatus();
  }

  Matrix::Row RowOf(std::string_view name) {
    Matrix::Row row;
    row.op = std::string(name);
    std::map<std::string, uint16_t> ids;
    for (const Matrix::Column& column : matrix_.columns) {
      const BackendRow& backend = BackendOf(column);
      const Target& target = column.target;
      Matrix::Cell& cell = row.cells.emplace_back();
      const int index = view_.FindOp(backend, name);
      if (index < 0) continue;
      const OpRow& op = view_.get(backend.ops)[static_cast<size_t>(index)];
      if (!InTarget(op, target)) continue;
      cell.known = true;
      row.weighted = row.weighted || views::HasWeight(table_, view_, op);
      for (const views::TakenPrecision& from : views::TakenBy(
               table_, view_, backend, op, target.knowledge_key(), target.arch_index(),
               target.lacks())) {
        Matrix::Supported supported{static_cast<uint8_t>(from.precision), from.verdict, from.measured, {}};
        for (const size_t v : from.variants) {
          const std::string id = absl::StrCat(target.backend(), "/", row.op, "#",
                                              std::string(view_.str(view_.get(op.variants)[v].id)));
          const auto [it, fresh] = ids.try_emplace(id, static_cast<uint16_t>(row.row_ids.size()));
          if (fresh) row.row_ids.push_back(id);
          supported.rows.push_back(it->second);
        }
        cell.supported.push_back(std::move(supported));
      }
    }
    return row;
  }

  // What is true of every column is noted once; that an arch was assumed only where one was.
  void Notes() {
    for (const Matrix::Column& column : matrix_.columns) {
      for (const std::string& note : column.target.notes()) {
        const std::string text =
            spec_.by == MatrixBy::kBackend ? absl::StrCat(column.name, ": ", note) : note;
        if (std::find(matrix_.notes.begin(), matrix_.notes.end(), text) == matrix_.notes.end()) {
          matrix_.notes.push_back(text);
        }
      }
    }
  }

  const Database& database_;
  const View& view_;
  const MatrixSpec& spec_;
  const views::PrecisionTable table_;
  Matrix matrix_;
};

}  // namespace

std::string_view MatrixByName(MatrixBy by) {
  switch (by) {
    case MatrixBy::kArch:
      return "arch";
    case MatrixBy::kSdk:
      return "sdk";
    case MatrixBy::kBackend:
      return "backend";
    case MatrixBy::kSoc:
      return "soc";
  }
  return "";
}

absl::StatusOr<Matrix> MakeMatrix(const Database& database, const MatrixSpec& spec) {
  return Maker(database, spec).Run({});
}

absl::StatusOr<Matrix> MatrixOf(const Database& database, std::vector<Matrix::Column> columns,
                                const std::vector<std::string>& ops) {
  const MatrixSpec spec{MatrixBy::kBackend, {}, ops};
  return Maker(database, spec).Run(std::move(columns));
}

std::vector<Precision> Precisions(const Database& database) {
  return views::PrecisionTable(database.view()).precisions();
}

}  // namespace quantgate
