// The rows of an op: what goes together on its ports.
//
//   rows:
//     documented 2.25..:
//       INT16.1-4: U16 U8|S8 U8|S32 U16
//       INT16.5-8: {row: U16 U16|S16 U8|S32 U16, arch: v73+}
//     measured: {INT16.m1: S16 S8 S32 S16}
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_ROWS_READER_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_ROWS_READER_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/database/compile/section.h"
#include "core/database/compile/symbols.h"

namespace quantgate::opdefs {

struct ReadRow {
  Variant variant;    // without its group's number
  std::string group;  // what stands before the first dot of the id
  const Node* place;
};

class RowsReader {
 public:
  RowsReader(const Symbols& symbols, const Evidence& evidence,
             const std::vector<std::string>& sources, const Reporter& reporter)
      : symbols_(symbols), evidence_(evidence), sources_(sources), reporter_(reporter) {}

  // `rows` of an op, in the order written. An entry names one row, or with `G.1-4` as many as its
  // alternatives make, the last port changing fastest.
  std::vector<ReadRow> Read(const Node& rows);

 private:
  struct Ids {
    std::string group, prefix;  // "INT16", "INT16.m"
    int first = 0, last = 0;    // of "INT16.m1-2"
    bool range = false;
  };
  using Cells = std::vector<std::vector<DtypeMask>>;  // alternatives by port

  void ReadEntry(const Node& node, const Section& section);
  std::optional<Ids> ReadIds(const Node& node);
  std::optional<Cells> ReadCells(const Node& text);
  bool ReadOptions(MapReader& map, const Section& section, Variant& variant);
  void Add(const Node& node, const Ids& ids, const Variant& like, const std::vector<Cells>& rows);

  const Symbols& symbols_;
  const Evidence& evidence_;
  const std::vector<std::string>& sources_;
  const Reporter& reporter_;
  std::vector<ReadRow> out_;
};

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_ROWS_READER_H_
