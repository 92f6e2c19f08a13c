// TOML as the same tree that the YAML reader makes, so that one reader understands both.
#ifndef QUANTGATE_CORE_POLICY_TOML_H_
#define QUANTGATE_CORE_POLICY_TOML_H_

#include <optional>
#include <string_view>

#include "core/database/compile/document/errors.h"
#include "core/database/compile/document/yaml.h"

namespace quantgate {

// The table at `tool.quantgate`; nullopt where there is none, or where `errors` say why not.
std::optional<opdefs::Node> ParseToolTable(std::string_view text, std::string_view file,
                                           opdefs::Errors& errors);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_POLICY_TOML_H_
