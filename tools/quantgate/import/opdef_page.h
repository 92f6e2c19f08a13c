// A page "<BACKEND> Backend Op Definition Supplement" of a QNN SDK's documentation.
#ifndef QUANTGATE_TOOLS_QUANTGATE_IMPORT_OPDEF_PAGE_H_
#define QUANTGATE_TOOLS_QUANTGATE_IMPORT_OPDEF_PAGE_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace quantgate::cli {

struct OpDefPage {
  struct Row {
    std::string group;
    std::map<std::string, std::vector<std::string>> dtypes;  // by port; names as on the page
  };
  struct Sentence {
    std::string group, port, text;
  };
  struct Op {
    std::string name;
    std::vector<Row> rows;
    std::vector<Sentence> sentences;
  };
  std::string backend;  // "htp"
  std::vector<Op> ops;
};

// InvalidArgument: why the text is no such page.
absl::StatusOr<OpDefPage> ReadOpDefPage(std::string_view html);

// The YAML of what a sentence says, a kind and its value ("rank: ..4"); empty where the
// vocabulary of constraints doesn't have it.
std::string ConstraintOf(std::string_view sentence);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_IMPORT_OPDEF_PAGE_H_
