// quantgate matrix
#include "quantgate/matrix.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/verbs.h"
#include "tools/quantgate/cli/view_flags.h"
#include "tools/quantgate/show/matrix_text.h"
#include "tools/quantgate/show/web.h"

namespace quantgate::cli {
namespace {

struct MatrixFlags {
  std::vector<std::string> ops;
  std::string by = "arch", precision;
  TargetSpec target;
  ViewFlags view;
};

Json CellJson(const Matrix& matrix, const Matrix::Row& row, const Matrix::Cell& cell) {
  if (!cell.known) return nullptr;
  Json supported = Json::array();
  for (const Matrix::Supported& one : cell.supported) {
    Json rows = Json::array();
    for (const uint16_t id : one.rows) rows.push_back(row.row_ids[id]);
    supported.push_back({{"precision", matrix.precisions[one.precision].id},
                     {"verdict", ConsequenceName(one.verdict)},
                     {"measured", one.measured},
                     {"rows", std::move(rows)}});
  }
  Json json = {{"best", cell.supported.empty() ? "" : matrix.Label(row, cell.supported.front())}};
  json["supported"] = std::move(supported);
  return json;
}

Json MatrixJson(const Matrix& matrix) {
  Json json = JsonHead();
  json["by"] = MatrixByName(matrix.by);
  json["notes"] = matrix.notes;
  json["precisions"] = Json::array();
  for (const Precision& precision : matrix.precisions) {
    json["precisions"].push_back({{"id", precision.id},
                                  {"unweighted", precision.unweighted},
                                  {"title", precision.title},
                                  {"needsWeight", precision.needs_weight}});
  }
  json["columns"] = Json::array();
  for (const Matrix::Column& column : matrix.columns) {
    Json entry = {{"name", column.name},
                  {"target", TargetJson(column.target)},
                  {"knowledge", KnowledgeJson(column.target)}};
    if (matrix.by == MatrixBy::kSoc) {
      entry["socs"] = Json::array();
      for (const SocInfo& soc : column.socs) entry["socs"].push_back(SocJson(soc));
    }
    json["columns"].push_back(std::move(entry));
  }
  json["rows"] = Json::array();
  for (const Matrix::Row& row : matrix.rows) {
    Json cells = Json::array();
    for (const Matrix::Cell& cell : row.cells) cells.push_back(CellJson(matrix, row, cell));
    json["rows"].push_back(
        {{"op", row.op}, {"weighted", row.weighted}, {"cells", std::move(cells)}});
  }
  json["unsupportedSocs"] = Json::array();
  for (const SocInfo& soc : matrix.unsupported) json["unsupportedSocs"].push_back(SocJson(soc));
  return json;
}

std::string MatrixHtml(const Matrix& matrix) {
  const std::string shared = SharedText(matrix);
  Page page;
  page.title = "quantgate: ops by " + std::string(MatrixByName(matrix.by)) + " · " + shared;
  page.body = "<div id=\"app\" data-shared=\"" + Escaped(shared) +
              "\"><noscript>This page needs scripts to draw its table; quantgate matrix --format "
              "text needs none.</noscript></div>\n" +
              JsonElement("matrix", MatrixJson(matrix));
  page.style = kMatrixCss;
  page.script = kMatrixJs;
  return HtmlPage(page);
}

// Leaves what supports the precision.
void Keep(Matrix& matrix, size_t precision) {
  for (Matrix::Row& row : matrix.rows) {
    for (Matrix::Cell& cell : row.cells) {
      std::erase_if(cell.supported,
                    [&](const Matrix::Supported& supported) { return supported.precision != precision; });
    }
  }
}

void DropEmptyRows(Matrix& matrix) {
  std::erase_if(matrix.rows, [](const Matrix::Row& row) {
    return std::all_of(row.cells.begin(), row.cells.end(),
                       [](const Matrix::Cell& cell) { return cell.supported.empty(); });
  });
}

int RunMatrix(const MatrixFlags& flags) {
  if (const absl::Status format = flags.view.CheckFormat(); !format.ok()) return Fail(format);
  MatrixSpec spec;
  const std::vector<MatrixBy> bys = {MatrixBy::kArch, MatrixBy::kSdk, MatrixBy::kBackend,
                                     MatrixBy::kSoc};
  std::vector<std::string_view> names;
  for (const MatrixBy by : bys) names.push_back(MatrixByName(by));
  const absl::StatusOr<size_t> by = OneOf("--by", flags.by, names);
  if (!by.ok()) return Fail(by.status());
  spec.by = bys[*by];
  spec.target = flags.target;
  spec.ops = flags.ops;
  const absl::StatusOr<const Database*> database = flags.view.opdefs.Load();
  if (!database.ok()) return Fail(database.status());
  int only = -1;
  if (!flags.precision.empty()) {
    names.clear();
    const std::vector<Precision> precisions = Precisions(**database);
    for (const Precision& precision : precisions) names.push_back(precision.id);
    const absl::StatusOr<size_t> index = OneOf("--precision", flags.precision, names);
    if (!index.ok()) return Fail(index.status());
    only = static_cast<int>(*index);
  }
  absl::StatusOr<Matrix> matrix = MakeMatrix(**database, spec);
  if (!matrix.ok()) return Fail(matrix.status());
  if (only >= 0) {
    Keep(*matrix, static_cast<size_t>(only));
    // Ops that were named are answered, with no too.
    if (flags.ops.empty()) DropEmptyRows(*matrix);
  }
  return flags.view.Write(
      {.text = [&](const Paper& paper) { return MatrixText(*matrix, only, paper); },
       .json = [&] { return MatrixJson(*matrix); },
       .html = [&] { return MatrixHtml(*matrix); },
       .markdown = {}});
}

}  // namespace

void AddMatrix(CommandLine& line) {
  const auto flags = std::make_shared<MatrixFlags>();
  line.AddVerb(
      "matrix", "Which precisions ops take, by arch, SDK, backend or chip",
      [flags] { return RunMatrix(*flags); },
      [flags](VerbFlags verb) {
        verb.Add({.name = "OP", .words = "Ops of the backend; all if none is given"}, flags->ops);
        verb.Add({.name = "--by",
                  .type = "WHAT",
                  .words = "What the columns are: arch, sdk, backend or soc"},
                 flags->by);
        verb.Add({.name = "--precision",
                  .type = "NAME",
                  .words = "Only this precision: fp16, fp32, 16a16w, 16a8w, 8a8w, 4w, LPBQ, int"},
                 flags->precision);
        AddTargetFlags(verb, flags->target);
        flags->view.Add(verb);
        verb.Footer(
            "Examples:\n"
            "  quantgate matrix                                     every op on every arch\n"
            "  quantgate matrix MatMul --by soc --precision 16a16w  the chips that can\n"
            "  quantgate matrix --by backend --format html -o matrix.html\n"
            "  quantgate matrix Conv2d FullyConnected --by sdk --arch v73");
      });
}

}  // namespace quantgate::cli
