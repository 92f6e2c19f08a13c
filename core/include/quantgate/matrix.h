// Ops × (archs | SDKs | backends | socs): which precisions each supports.
#ifndef QUANTGATE_MATRIX_H_
#define QUANTGATE_MATRIX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/consequence.h"
#include "quantgate/database.h"
#include "quantgate/export.h"
#include "quantgate/target.h"

namespace QUANTGATE_EXPORT quantgate {

// A class of dtypes and encodings with a name, from opdefs/precisions.yaml.
struct Precision {
  std::string id;          // "16a8w"
  std::string unweighted;  // its name for ops without weights: "16a"
  std::string title;
  char mark = '?';  // one letter for tables where space is short
  bool needs_weight = false;
};

enum class MatrixBy : uint8_t { kArch, kSdk, kBackend, kSoc };
std::string_view MatrixByName(MatrixBy by);  // "arch"

struct MatrixSpec {
  MatrixBy by = MatrixBy::kArch;
  // What the columns share. The part that `by` names is not used.
  TargetSpec target;
  std::vector<std::string> ops;  // empty = all
};

struct Matrix {
  // A precision that an op supports on a target.
  struct Supported {
    uint8_t precision = 0;                         // index into `precisions`
    Consequence verdict = Consequence::kAccepted;  // or kAltered, kUndocumented
    bool measured = false;                         // on the real library, not only documented
    std::vector<uint16_t> rows;                    // indexes into `row_ids` of its Row
  };
  struct Cell {
    bool known = false;        // the target has the op
    std::vector<Supported> supported;  // best first, as `precisions`; empty = none of them
  };
  struct Row {
    std::string op;
    bool weighted = false;             // it has a port for weights on some target
    std::vector<std::string> row_ids;  // "htp/Conv2d#INT8.1"
    std::vector<Cell> cells;           // one per column
  };
  struct Column {
    std::string name;  // "v73", "2.51", "lpai"
    Target target;
    // By soc: the chips of this arch. They support the same, so they share a column.
    std::vector<SocInfo> socs;
  };

  MatrixBy by = MatrixBy::kArch;
  std::vector<Precision> precisions;  // best first
  std::vector<Column> columns;
  std::vector<Row> rows;             // sorted by op
  std::vector<SocInfo> unsupported;  // by soc: chips whose arch is unknown or supports nothing
  std::vector<std::string> notes;

  // Of an op: the precision's name, as an op without weights calls it.
  const std::string& Label(const Row& row, const Supported& supported) const {
    const Precision& precision = precisions[supported.precision];
    return row.weighted || precision.unweighted.empty() ? precision.id : precision.unweighted;
  }
};

// InvalidArgument or NotFound with the nearest names for what isn't known.
absl::StatusOr<Matrix> MakeMatrix(const Database& database, const MatrixSpec& spec);

// The same for columns of one's own: their names and targets are kept as they are.
absl::StatusOr<Matrix> MatrixOf(const Database& database, std::vector<Matrix::Column> columns,
                                const std::vector<std::string>& ops);

// The precisions of the database, best first.
std::vector<Precision> Precisions(const Database& database);

}  // namespace quantgate

#endif  // QUANTGATE_MATRIX_H_
