// The verbs. Each adds itself with its flags and examples and runs when chosen.
#ifndef QUANTGATE_TOOLS_QUANTGATE_CLI_VERBS_H_
#define QUANTGATE_TOOLS_QUANTGATE_CLI_VERBS_H_

namespace quantgate::cli {

class CommandLine;

void AddCheck(CommandLine& line);
void AddQuery(CommandLine& line);
void AddMatrix(CommandLine& line);
void AddDiff(CommandLine& line);
void AddTargets(CommandLine& line);
void AddExplain(CommandLine& line);
void AddConvert(CommandLine& line);
void AddFix(CommandLine& line);
void AddPlan(CommandLine& line);
void AddCompletion(CommandLine& line);
void AddMan(CommandLine& line);
void AddVerify(CommandLine& line);
void AddSweep(CommandLine& line);
void AddImport(CommandLine& line);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_CLI_VERBS_H_
