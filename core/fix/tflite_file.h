// A .tflite that is changed where it stands: no table moves against another, so all else stays as it
// was, byte for byte. Operators that are inserted stand, with new lists of operators and tensors,
// before the bytes of the file.
#ifndef QUANTGATE_CORE_FIX_TFLITE_FILE_H_
#define QUANTGATE_CORE_FIX_TFLITE_FILE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/fix/editor.h"
#include "core/readers/tflite/flatbuffer.h"
#include "core/readers/tflite/table_writer.h"
#include "quantgate/model.h"

namespace quantgate::fix {

class TfliteFile {
 public:
  // `bytes` must outlive the file, and be what `model` was read from.
  static absl::StatusOr<std::unique_ptr<TfliteFile>> Make(std::string_view bytes,
                                                          const Model& model);

  // Fails with the reason where the tables of a tensor have no room for this quantized type, or
  // another tensor shares them.
  absl::Status CheckRoom(const Model& model, TensorId tensor, const Coding& to) const;
  // The tensor is one of the file.
  bool Has(TensorId tensor) const { return static_cast<size_t>(tensor) < places_.size(); }
  // Fails where no operator can be inserted at this node of the file.
  absl::Status CheckInsertion(int32_t node) const;
  // The file with all codings and operators of the editor.
  absl::Status Write(const Editor& editor, const std::function<void(std::string_view)>& sink) const;

 private:
  // Where the file keeps what is known of a tensor; 0 = nowhere.
  struct Places {
    uint64_t type = 0, scales = 0, zero_points = 0, data = 0;
    uint32_t scale_count = 0, zero_point_count = 0;
    uint64_t data_bytes = 0;
    uint32_t subgraph = 0, index = 0;
    bool is_shared = false;
  };
  struct Operator {
    uint64_t table = 0, inputs = 0, outputs = 0;  // lists of tensors
    uint32_t subgraph = 0;
    bool is_shared = false;
  };
  struct Subgraph {
    uint64_t table = 0;
    std::vector<uint64_t> tensors;  // their tables
  };
  explicit TfliteFile(std::string_view bytes) : bytes_(bytes) {}

  using Users = std::map<uint64_t, int>;  // by where it stands

  void Read();
  void ReadTensors(const flatbuffer::Tables& tensors, const flatbuffer::Tables& buffers,
                   uint32_t subgraph, Users& users);
  void ReadOperators(const flatbuffer::Tables& operators, uint32_t subgraph, Users& users);
  uint32_t SubgraphOf(const Node& inserted) const;
  // Each inserted node with the tensor that came with it.
  void ForEachNew(const Editor& editor,
                  const std::function<void(const Node&, TensorId)>& use) const;
  // Of each tensor of the editor's model, in its subgraph.
  std::vector<uint32_t> IndexesOf(const Editor& editor) const;
  flatbuffer::NewTable NewSubgraph(const Editor& editor, uint32_t number, uint32_t opcode,
                                   const std::vector<uint32_t>& indexes) const;
  // What stands before the bytes of the file: its root, lists and tables of what was inserted.
  std::string NewStart(const Editor& editor) const;
  // Lets the ports of the file's operators lead to new tensors.
  void PutPorts(const Editor& editor, std::string& out) const;

  std::string_view bytes_;
  std::vector<Places> places_;         // by TensorId
  std::vector<Operator> operators_;    // by node
  std::vector<Subgraph> subgraphs_;
  std::string obstacle_;  // to inserting anything
};

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_FIX_TFLITE_FILE_H_
