// Files of messages as trees: parsed once when the program is built, and only read when it runs.
#ifndef QUANTGATE_TOOLS_QUANTGATE_LOG_MESSAGE_FILES_H_
#define QUANTGATE_TOOLS_QUANTGATE_LOG_MESSAGE_FILES_H_

#include <string>
#include <string_view>

#include "tools/quantgate/cli/yaml_tree.h"

namespace quantgate::cli {

// A map of the files by their names. `text`: YAML documents, each after a line "==> NAME"; one that
// is no YAML becomes an empty scalar.
YamlTree ParseMessageFiles(std::string_view text);

// A tree as bytes of this processor's order, and back.
std::string ToBytes(const YamlTree& tree);
YamlTree FromBytes(std::string_view bytes);

// The files of the program (data/log_messages).
YamlTree MessageFilesOfProgram();

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_LOG_MESSAGE_FILES_H_
