#include "core/fix/onnx_file.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/pbf.h"
#include "core/base/text.h"
#include "core/base/wire.h"
#include "core/fix/onnx_fields.h"
#include "core/fix/onnx_writer.h"
#include "core/readers/onnx/external_data.h"
#include "core/readers/onnx/onnx_tensor.h"

namespace quantgate::fix {
namespace {

using pbf::Bytes;

// Integers that are read, mapped and written at a time.
constexpr size_t kPart = size_t{1} << 16;

absl::Status Broken(const protozero::exception& error) { return Invalid(pbf::Reason(error)); }

}  // namespace

absl::StatusOr<std::unique_ptr<OnnxFile>> OnnxFile::Make(std::string_view bytes,
                                                         ExternalData data) {
  auto file = std::unique_ptr<OnnxFile>(new OnnxFile(bytes, std::move(data)));
  const char* place = bytes.data();
  const auto look = [&](const std::string& name, std::string_view message) {
    const onnx::TensorProto proto = onnx::ParseTensor(message, name, file->data_, &place);
    if (proto.is_external && file->external_.empty()) file->external_ = proto.location;
    if (!name.empty()) file->constants_[name] = {message};
  };
  try {
    file->graph_ = FieldOf(bytes, model_proto::kGraph);
    ForEachWireField(file->graph_, [&](const Field& field) {
      if (field.tag_and_type == Bytes(graph_proto::kInitializer)) {
        look(std::string(FieldOf(field.content, tensor_proto::kName)), field.content);
      } else if (field.tag_and_type == Bytes(graph_proto::kNode)) {
        const std::string_view tensor = ConstantTensor(field.content);
        if (!tensor.empty()) look(FirstOutput(field.content), tensor);
      }
    });
  } catch (const protozero::exception& error) {
    return Broken(error);
  } catch (const onnx::BadModel& error) {
    return Invalid(error.what());
  }
  return file;
}

absl::Status OnnxFile::Read(std::string_view tensor, const Use& use) const {
  const auto found = constants_.find(tensor);
  if (found == constants_.end()) {
    return absl::FailedPreconditionError("its values are not in the file");
  }
  const char* place = bytes_.data();
  try {
    const onnx::TensorProto proto = onnx::ParseTensor(found->second.message, tensor, data_, &place);
    const int bits = onnx::BitsOf(proto.data_type);
    const Dtype dtype = onnx::DtypeOf(proto.data_type);
    const DtypeClass kind = ClassOf(dtype);
    if ((kind != DtypeClass::kInt && kind != DtypeClass::kUint) || bits > 32) {
      return absl::FailedPreconditionError("its integers are of a type that is not written anew");
    }
    std::string problem, loaded;
    std::string_view raw = proto.raw_data;
    const auto width = static_cast<size_t>(bits / 8);
    const auto bytes = static_cast<size_t>(proto.elements) * width;
    if (proto.is_external) {
      if (data_.directory.empty()) {
        return absl::FailedPreconditionError("its values are in another file");
      }
      auto external = ReadExternal(data_, proto.location, proto.offset, bytes, &problem);
      if (!external) return absl::FailedPreconditionError(problem);
      loaded = *std::move(external);
      raw = loaded;
    } else if (!proto.has_raw_data) {
      const auto values = onnx::Values(proto, tensor, data_, &place, &problem);
      if (values == nullptr) {
        return absl::FailedPreconditionError("its values are not in the file");
      }
      use(values->ints, 0);
      return absl::OkStatus();
    }
    if (raw.size() != bytes) {
      return absl::FailedPreconditionError("its values are not in the file");
    }
    std::vector<int64_t> part;
    const auto count = static_cast<size_t>(proto.elements);
    for (size_t i = 0; i < count; i += part.size()) {
      part.resize(std::min(kPart, count - i));
      for (size_t k = 0; k < part.size(); ++k) {
        uint64_t value = 0;
        std::memcpy(&value, raw.data() + (i + k) * width, width);
        part[k] = kind == DtypeClass::kInt
                      ? static_cast<int64_t>(value << (64 - bits)) >> (64 - bits)
                      : static_cast<int64_t>(value);
      }
      use(part, static_cast<int64_t>(i));
    }
  } catch (const protozero::exception& error) {
    return Broken(error);
  } catch (const onnx::BadModel& error) {
    return Invalid(error.what());
  }
  return absl::OkStatus();
}

absl::Status OnnxFile::Write(const QdqEditor& editor, const Sink& sink) const {
  try {
    return OnnxWriter(bytes_, graph_, data_, *this, editor).Write(sink);
  } catch (const protozero::exception& error) {
    return Broken(error);
  } catch (const onnx::BadModel& error) {
    return Invalid(error.what());
  }
}

}  // namespace quantgate::fix
