#include "tests/bench/graphs.h"

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/lower/resolve/resolve.h"
#include "core/lower/route/route.h"
#include "quantgate/database.h"
#include "quantgate/reader.h"
#include "quantgate/target.h"

namespace quantgate::bench {
namespace {

std::vector<const char*> FilesOf(Kind kind) {
  switch (kind) {
    case Kind::kCnn:
      return {"mobilenetv2_8a8w.onnx"};
    case Kind::kTransformer:
      return {"llama_block_16a8w.onnx"};
    case Kind::kMix:
      break;
  }
  return {"mobilenetv2_8a8w.onnx", "resnet18_8a8w_per_channel.onnx", "bert_16a8w.onnx",
          "llama_block_16a8w.onnx", "dinov2_with_registers_8a8w.onnx"};
}

// What the backend gets of an example.
Model ResolvedExample(const char* file) {
  const Model model = ReadExample(file);
  const auto target = Target::Parse({});
  const opdb::View& database = Database::Embedded().view();
  Resolved resolved = Resolve(model, *target, database);
  ApplyRoute(DocumentOf(UsualRouteOf(model.dialect, *target, false, database), database), resolved);
  return std::move(*resolved.owned);
}

void Append(const Model& part, int64_t copy, bool vary, Model& whole) {
  const auto base = static_cast<TensorId>(whole.tensors.size());
  for (const Tensor& tensor : part.tensors) {
    whole.tensors.push_back(tensor);
    Tensor& added = whole.tensors.back();
    added.name = std::to_string(whole.tensors.size());
    // The batch: what the backend takes with one it mostly takes with another.
    if (vary && !added.is_static && !added.dims.empty() && added.dims[0] == 1) {
      added.dims[0] += copy;
    }
  }
  for (const Node& node : part.nodes) {
    whole.nodes.push_back(node);
    for (TensorId& id : whole.nodes.back().inputs) id += id == kNoTensor ? 0 : base;
    for (TensorId& id : whole.nodes.back().outputs) id += id == kNoTensor ? 0 : base;
  }
}

}  // namespace

std::string ExamplePath(const char* file) {
  return std::string(QUANTGATE_SOURCE_DIR "/docs/examples/") + file;
}

Model ReadExample(const char* file) {
  Model model;
  const absl::Status status =
      ReadInput(ExamplePath(file), std::nullopt, [&](const ReadModel& read) {
        if (read.model.ok()) model = *read.model;
      });
  if (!status.ok() || model.nodes.empty()) {
    std::fprintf(stderr, "%s can't be read\n", file);
    std::abort();
  }
  return model;
}

Model MakeGraph(Kind kind, int64_t nodes) {
  std::vector<Model> parts;
  for (const char* file : FilesOf(kind)) parts.push_back(ResolvedExample(file));
  Model whole;
  for (int64_t copy = 0; static_cast<int64_t>(whole.nodes.size()) < nodes; ++copy) {
    Append(parts[static_cast<size_t>(copy) % parts.size()], copy, kind == Kind::kMix, whole);
  }
  return whole;
}

}  // namespace quantgate::bench
