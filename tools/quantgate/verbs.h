// The verbs. Each adds itself with its flags and examples to the parser and runs when chosen.
#ifndef QUANTGATE_TOOLS_QUANTGATE_VERBS_H_
#define QUANTGATE_TOOLS_QUANTGATE_VERBS_H_

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace quantgate::cli {

struct Verb {
  CLI::App* parser = nullptr;
  std::function<int()> run;  // the exit status
};

Verb AddCheck(CLI::App& app);
Verb AddQuery(CLI::App& app);
Verb AddMatrix(CLI::App& app);
Verb AddDiff(CLI::App& app);
Verb AddTargets(CLI::App& app);
Verb AddExplain(CLI::App& app);
Verb AddConvert(CLI::App& app);
Verb AddCompletion(CLI::App& app);
Verb AddMan(CLI::App& app);
Verb AddVerify(CLI::App& app);
Verb AddImport(CLI::App& app);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_VERBS_H_
