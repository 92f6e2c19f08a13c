// A backend library opened in this process. Calls into the library can end the process:
// everything but the Oracle's children should use Oracle instead.
#ifndef QUANTGATE_CORE_ORACLE_BACKEND_H_
#define QUANTGATE_CORE_ORACLE_BACKEND_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/verify.h"
#include "core/oracle/op_config.h"
#include "core/oracle/qnn_api.h"
#include "quantgate/model.h"

namespace quantgate::verify {

// The device the library works for; both 0 = the library's own default.
struct Device {
  uint32_t arch = 0;  // 73 for v73
  uint32_t soc = 0;   // SoC id; wins over arch
};

class Backend {
 public:
  // One backend and one device per process: the HTP library holds global state.
  static absl::StatusOr<std::unique_ptr<Backend>> Open(const std::string& library, Device device);
  ~Backend();
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  const std::string& name() const { return name_; }          // "HTP_QTI_AISW"
  const std::string& build_id() const { return build_id_; }  // may be empty

  StageAnswer Validate(OpConfig& op);
  // Makes a graph of these ops, in their order, and finalizes it, then executes it where `execute`
  // is set: random inputs are drawn with the seed, given ones taken from the model. What none of
  // the ops makes is an input of the graph; what none reads, or the model calls an output, is an
  // output. `begin` is called before each stage and `done` after it.
  struct Watch {
    std::function<void(Stage)> begin;
    std::function<void(Stage, const StageAnswer&)> done;
    std::function<void(TensorId, const std::vector<uint8_t>&)> data;  // null = don't keep
  };
  void Run(const Model& model, std::span<OpConfig> ops, bool execute, uint64_t seed,
           const Watch& watch);

 private:
  Backend() = default;
  absl::Status CreateDevice(Device device);
  StageAnswer Result(qnn::Error error, std::string_view step);
  StageAnswer Prepare(const Model& model, std::span<OpConfig> ops, qnn::Handle context,
                      qnn::Handle* graph);
  StageAnswer Execute(const Model& model, std::span<OpConfig> ops, qnn::Handle graph, uint64_t seed,
                      const Watch& watch);

  const qnn::Functions* functions_ = nullptr;
  std::string name_, build_id_;
  qnn::Handle logger_ = nullptr, backend_ = nullptr, device_ = nullptr;
};

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_BACKEND_H_
