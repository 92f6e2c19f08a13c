// Tables of a .tflite file, as the writer and whoever inserts into a file make them.
#ifndef QUANTGATE_CORE_READERS_TFLITE_TFLITE_TABLES_H_
#define QUANTGATE_CORE_READERS_TFLITE_TFLITE_TABLES_H_

#include <cstdint>
#include <string>

#include "core/readers/tflite/flatbuffer.h"
#include "core/readers/tflite/table_writer.h"
#include "quantgate/model.h"

namespace quantgate::tflite {

// What the format can't say.
struct Unwritable {
  std::string reason;
};

// Throws Unwritable. The caller adds the buffer of a constant.
flatbuffer::NewTable NewTensor(const Tensor& tensor);
flatbuffer::NewTable NewOpcode(int32_t code, int32_t version);
// Of an operator with one input, one output and no options.
flatbuffer::NewTable NewOperator(uint32_t opcode, uint32_t input, uint32_t output);

// The number of the operator, of either of the two fields that have it.
int32_t CodeOf(const flatbuffer::Table& table);

}  // namespace quantgate::tflite

#endif  // QUANTGATE_CORE_READERS_TFLITE_TFLITE_TABLES_H_
