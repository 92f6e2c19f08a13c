// The files of messages that are part of the program: compile_messages.cc writes their bytes.
#include <cstddef>

#include "tools/quantgate/log/message_files.h"

extern "C" {
extern const char quantgate_log_messages_begin[];
extern const char quantgate_log_messages_end[];
}

namespace quantgate::cli {

YamlTree MessageFilesOfProgram() {
  const char* const begin = quantgate_log_messages_begin;
  return FromBytes({begin, static_cast<size_t>(quantgate_log_messages_end - begin)});
}

}  // namespace quantgate::cli
