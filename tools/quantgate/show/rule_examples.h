// The smallest model that breaks a rule and the smallest one that keeps it: the fixtures that the
// rule's test runs, compiled in.
#ifndef QUANTGATE_TOOLS_QUANTGATE_SHOW_RULE_EXAMPLES_H_
#define QUANTGATE_TOOLS_QUANTGATE_SHOW_RULE_EXAMPLES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantgate/report.h"
#include "quantgate/rule.h"

namespace quantgate::cli {

struct RuleExample {
  // A place where the two models differ; empty = not there.
  struct Difference {
    std::string path;  // "tensors/w/encoding/perChannel/zeroPoints"; of the file "file: version"
    std::string bad, good;
  };
  std::string_view bad, good;  // Model JSON, or a list of layers
  // The encodings file or recipe beside each; empty = none.
  std::string_view bad_file, good_file;
  std::string bad_target, good_target;  // flags: "--sdk 2.51 --arch v73"
  std::vector<Difference> differences;
  // What a check says of the bad one; nullopt where it needs a database of the tests' own.
  std::optional<Report> report;
};

// nullopt where the fixtures are not JSON.
std::optional<RuleExample> ExampleOf(const Rule& rule);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_SHOW_RULE_EXAMPLES_H_
