// A QNN backend library whose ops are behaviours:
//   Accept      everything succeeds; execution copies the first input's bytes to the outputs, as it
//               does for any op that has no name here
//   Describe    op validation refuses and logs all that it was given
//   Refuse      op validation refuses with a log like the HTP library's
//   Crash, Exit, Hang            in op validation
//   AddFails, FinalizeFails, FinalizeCrashes, ExecuteHangs: so does a graph that holds one
//   PairFails   finalizing fails where a graph holds two of them
// It takes arch 73 only, with the arch at the place where 4-aligned libraries have it.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

#include "core/oracle/qnn_api.h"

namespace {

using namespace quantgate::qnn;

constexpr Error kRefused = 0xc26;
LogCallback g_log = nullptr;
std::string g_graph_op;  // of the graph's ops the one that fails, else the last
int g_pairs = 0;

void Emit(const char* format, ...) {
  va_list args;
  va_start(args, format);
  if (g_log) g_log(format, kLogError, 0, args);
  va_end(args);
}

std::string Describe(const Tensor& tensor) {
  const TensorBody& body = tensor.body;
  std::ostringstream out;
  out << "t" << body.type;
  if (body.type == kNull) return out.str();
  out << ":" << body.name << ":0x" << std::hex << body.dtype << std::dec << "[";
  for (uint32_t i = 0; i < body.rank; ++i) out << (i ? "," : "") << body.dims[i];
  out << "]";
  if (tensor.version == kTensorVersion2) {
    out << "dynamic";
    for (uint32_t i = 0; i < body.rank; ++i) out << static_cast<int>(body.dynamic_dims[i]);
    if (body.data_format == kSparse) out << "sparse" << body.sparse.specified_elements;
  }
  const Quantization& q = body.quantization;
  if (q.definition == kDefined) {
    out << " e" << q.encoding;
    if (q.encoding == kScaleOffset)
      out << "(" << q.scale_offset.scale << "," << q.scale_offset.offset << ")";
    if (q.encoding == kBwScaleOffset)
      out << "(" << q.bw.bitwidth << "," << q.bw.scale << "," << q.bw.offset << ")";
    if (q.encoding == kAxisScaleOffset) {
      out << "(" << q.axis.axis;
      for (uint32_t i = 0; i < q.axis.count; ++i)
        out << "," << q.axis.items[i].scale << ":" << q.axis.items[i].offset;
      out << ")";
    }
    if (q.encoding == kBwAxisScaleOffset) {
      out << "(" << q.bw_axis.bitwidth << "," << q.bw_axis.axis;
      for (uint32_t i = 0; i < q.bw_axis.count; ++i)
        out << "," << q.bw_axis.scales[i] << ":" << q.bw_axis.offsets[i];
      out << ")";
    }
    if (q.encoding == kBlock) {
      uint32_t blocks = 1;
      out << "(";
      for (uint32_t i = 0; i < body.rank; ++i) {
        out << q.block.block_size[i] << ",";
        blocks *= body.dims[i] / q.block.block_size[i];
      }
      for (uint32_t i = 0; i < blocks; ++i)
        out << q.block.items[i].scale << ":" << q.block.items[i].offset << ";";
      out << ")";
    }
    if (q.encoding == kBlockwiseExpansion) {
      const BlockwiseExpansion& e = *q.expansion;
      const uint32_t channels = body.dims[e.axis];
      out << "(" << e.axis << "," << e.blocks_per_axis << "," << e.block_scale_bitwidth << ","
          << e.block_scale_storage;
      for (uint32_t i = 0; i < channels; ++i)
        out << "," << e.items[i].scale << ":" << e.items[i].offset;
      for (uint32_t i = 0; i < channels * e.blocks_per_axis; ++i) {
        out << ";"
            << (e.block_scale_storage == kBlockScaleStorage16
                    ? static_cast<uint16_t*>(e.block_scales)[i]
                    : static_cast<uint8_t*>(e.block_scales)[i]);
      }
      out << ")";
    }
  }
  if (body.type == kStatic) {
    out << " bytes" << body.buffer.size;
    for (uint32_t i = 0; i < std::min(body.buffer.size, 8U); ++i) {
      out << (i ? "," : "=") << static_cast<int>(static_cast<uint8_t*>(body.buffer.data)[i]);
    }
  }
  return out.str();
}

std::string Describe(const OpConfig& op) {
  std::ostringstream out;
  for (uint32_t i = 0; i < op.input_count; ++i) out << "in " << Describe(op.inputs[i]) << " | ";
  for (uint32_t i = 0; i < op.output_count; ++i) out << "out " << Describe(op.outputs[i]) << " | ";
  for (uint32_t i = 0; i < op.param_count; ++i) {
    const Param& param = op.params[i];
    out << param.name << " ";
    if (param.type == kTensorParam) {
      out << Describe(param.tensor) << " | ";
      continue;
    }
    out << "0x" << std::hex << param.scalar.dtype << std::dec << "=";
    switch (param.scalar.dtype) {
      case 0x0232:
        out << param.scalar.real;
        break;
      case 0x0032:
        out << param.scalar.sint;
        break;
      case 0x0508:
        out << static_cast<int>(param.scalar.flag);
        break;
      default:
        out << param.scalar.uint;
    }
    out << " | ";
  }
  return out.str();
}

Error Validate(Handle, OpConfig op) {
  const std::string type = op.type;
  if (type == "Describe") {
    Emit("%s", Describe(op).c_str());
    return kRefused;
  }
  if (type == "Refuse") {
    Emit("<E> validateNativeOps master op validator failed");
    Emit("<E> Rank %d of %s is too high", static_cast<int>(op.inputs[0].body.rank),
         op.inputs[0].body.name);
    return kRefused;
  }
  if (type == "Crash") std::raise(SIGFPE);
  if (type == "Exit") std::_Exit(7);
  if (type == "Hang") {
    for (;;) pause();
  }
  return 0;
}

Error Give(Handle* handle) {
  static int thing = 0;
  *handle = &thing;
  return 0;
}

Error CreateGraph(Handle, const char*, const void**, Handle* out) {
  g_graph_op.clear();
  g_pairs = 0;
  return Give(out);
}

Error AddNode(Handle, OpConfig op) {
  const bool fails = g_graph_op.find("Fails") != std::string::npos ||
                     g_graph_op.find("Crashes") != std::string::npos ||
                     g_graph_op.find("Hangs") != std::string::npos;
  if (!fails) g_graph_op = op.type;
  g_pairs += std::strcmp(op.type, "PairFails") == 0 ? 1 : 0;
  for (uint32_t i = 0; i < op.input_count; ++i) {
    if (op.inputs[i].body.type != kNull && op.inputs[i].body.id == 0) return 0x17;  // never created
  }
  return g_graph_op == "AddFails" ? 0x1771 : 0;
}

Error Finalize(Handle, Handle, Handle) {
  if (g_graph_op == "FinalizeCrashes") std::raise(SIGSEGV);
  return g_graph_op == "FinalizeFails" || g_pairs > 1 ? 0x3ea : 0;
}

Error Execute(Handle, const Tensor* inputs, uint32_t input_count, Tensor* outputs,
              uint32_t output_count, Handle, Handle) {
  if (g_graph_op == "ExecuteHangs") {
    for (;;) pause();
  }
  if (input_count == 0 || output_count == 0) return 1;
  for (uint32_t i = 0; i < output_count; ++i) {
    std::memcpy(outputs[i].body.buffer.data, inputs[0].body.buffer.data,
                std::min(outputs[i].body.buffer.size, inputs[0].body.buffer.size));
  }
  return 0;
}

Functions MakeFunctions() {
  Functions f{};
  f.backend_create = [](Handle, const void**, Handle* out) { return Give(out); };
  f.backend_get_build_id = [](const char** id) -> Error {
    *id = "fake-1";
    return 0;
  };
  f.backend_validate_op_config = Validate;
  f.backend_free = [](Handle) -> Error { return 0; };
  f.context_create = [](Handle, Handle, const void**, Handle* out) { return Give(out); };
  f.context_free = [](Handle, Handle) -> Error { return 0; };
  f.graph_create = CreateGraph;
  f.graph_add_node = AddNode;
  f.graph_finalize = Finalize;
  f.graph_execute = Execute;
  f.tensor_create_graph_tensor = [](Handle, Tensor* tensor) -> Error {
    static uint32_t next = 0;
    tensor->body.id = ++next;
    return 0;
  };
  f.log_create = [](LogCallback callback, uint32_t, Handle* out) {
    g_log = callback;
    return Give(out);
  };
  f.log_free = [](Handle) -> Error { return 0; };
  f.device_create = [](Handle, const DeviceConfig** config, Handle* out) {
    const auto* words = static_cast<const uint32_t*>(config[0]->custom);
    if (words[0] != 1 || words[2] != 73) Emit("<E> Unsupported HTP Arch %u", words[2]);
    return Give(out);
  };
  f.device_free = [](Handle) -> Error { return 0; };
  return f;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) Error QnnInterface_getProviders(
    const Provider*** providers, uint32_t* count) {
  static const Provider provider{kHtpBackendId, "FAKE", {2, 40, 0}, {5, 51, 0}, MakeFunctions()};
  static const Provider* list[] = {&provider};
  *providers = list;
  *count = 1;
  return 0;
}
