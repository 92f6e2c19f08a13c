// The names a constraint may use: those of its op, its backend, and the sources.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_SYMBOLS_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_SYMBOLS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/database/compile/document/map_reader.h"
#include "core/database/compile/ir.h"

namespace quantgate::opdefs {

// A port by name. `element` of a variadic port, -1 = the port as declared.
struct PortRef {
  int16_t port = -1;
  int16_t element = -1;
};

// "in[1]" or "in[0..m]" -> side and first index; nothing for other text.
struct PortName {
  bool input = false, variadic = false;
  int first = 0;
};
std::optional<PortName> ParsePortName(std::string_view text);
// The files write a port without brackets: "in1" -> "in[1]", "in0..m" -> "in[0..m]"; "" for
// other text.
std::string PortNameOf(std::string_view text);
// The other way round.
std::string ShortPortName(std::string_view name);

// An SDK that the backend has knowledge of, or that is a source's.
absl::StatusOr<SdkKey> KnownSdk(std::string_view text, const Ir& ir, const Backend& backend);

class Symbols {
 public:
  Symbols(const Ir& ir, const Backend& backend, const Op& op)
      : ir_(ir), backend_(backend), op_(op) {}

  const Ir& ir() const { return ir_; }
  const Op& op() const { return op_; }
  const Backend& backend() const { return backend_; }

  // "this" in a constraint that is read for a port is that port.
  void set_own_port(std::optional<PortRef> port) { own_port_ = port; }
  // As the files write it: "in1", "in0..m", "this".
  std::optional<PortRef> FindPort(std::string_view name) const;
  std::optional<int16_t> FindParam(std::string_view name) const;
  // With errors at `node`.
  std::optional<PortRef> Port(const Node& node, const Reporter& reporter) const;
  std::optional<int16_t> Param(const Node& node, std::string_view name,
                               const Reporter& reporter) const;
  std::string UnknownPort(std::string_view name) const;  // the error's text
  std::string UnknownParam(std::string_view name) const;

  std::vector<std::string> Sources(MapReader& map, bool required) const;
  // `arch` of an op, row or constraint; all archs where it isn't given.
  uint32_t ArchsOf(MapReader& map) const;
  // `needs` of a row: features of the backend's chips.
  opdb::FeatureMask FeaturesOf(MapReader& map) const;
  std::optional<SdkKey> Sdk(const Node& node, const Reporter& reporter) const;
  std::optional<int> Arch(const Node& node, std::string_view name, const Reporter& reporter) const;

 private:
  std::optional<uint32_t> Archs(const Node& node, const Reporter& reporter) const;
  std::optional<uint32_t> ArchSpan(const Node& node, const Reporter& reporter) const;

  const Ir& ir_;
  const Backend& backend_;
  const Op& op_;
  std::optional<PortRef> own_port_;
};

// Short names: one or a list of them.
std::optional<DtypeMask> DtypeSet(const Node& node, const Reporter& reporter);
std::optional<Dtype> OneDtype(const Node& node, const Reporter& reporter);
std::optional<EncodingMask> EncodingSet(const Node& node, const Reporter& reporter);
// One of those a broken constraint may have.
std::optional<Consequence> OneConsequence(const Node& node, const Reporter& reporter);

// A value of a param: number, true/false, or a name of its `values`.
std::optional<int64_t> ParamNumber(const Node& node, const Param& param);
std::string ParamNumberError(const Node& node, const Param& param);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_SYMBOLS_H_
