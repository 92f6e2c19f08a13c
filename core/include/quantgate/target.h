// What a model is checked for: backend + SDK version + arch, maybe a soc. A value.
#ifndef QUANTGATE_TARGET_H_
#define QUANTGATE_TARGET_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/export.h"

namespace QUANTGATE_EXPORT quantgate {

class Database;

struct TargetSpec {
  std::string backend = "htp";
  std::string sdk = {};   // "2.51", "2.51.0.26"; empty = newest known
  std::string soc = {};   // name in any case ("sm8550") or SoC id ("43"); empty = none
  std::string arch = {};  // "v73"; empty = the soc's, else the backend's default
};

// SDK versions compare as numbers; only major.minor counts. 2.9 < 2.13.
using SdkKey = uint16_t;  // major << 8 | minor
inline constexpr SdkKey kSdkOpen = 0xFFFF;
// "2.51" or "2.51.0.26" -> key; InvalidArgument names what is wrong.
absl::StatusOr<SdkKey> ParseSdk(std::string_view text);
std::string SdkName(SdkKey key);  // "2.51"

class Target {
 public:
  // InvalidArgument with the nearest known names for an unknown backend, soc, arch or an
  // SDK below the oldest known. `database` is only read during the call.
  static absl::StatusOr<Target> Parse(const TargetSpec& spec, const Database& database);
  static absl::StatusOr<Target> Parse(const TargetSpec& spec);  // embedded database

  const std::string& backend() const { return backend_; }
  // As asked for ("2.50"); knowledge_sdk() is the version whose facts are used ("2.47").
  std::string sdk() const { return SdkName(sdk_); }
  std::string knowledge_sdk() const { return SdkName(knowledge_sdk_); }
  // True where the knowledge for this SDK was measured on the real library.
  bool measured() const { return measured_; }
  const std::string& arch() const { return arch_; }
  const std::string& soc() const { return soc_; }  // canonical name, may be empty
  // What its measurements were made with: "x86-64 library and emulator, not a chip"; may be empty.
  const std::string& measured_by() const { return measured_by_; }
  // The backend validates ops one by one, before it gets a graph.
  bool has_op_validation() const { return has_op_validation_; }
  // For the head of a report: assumed arch, SDK above the newest, ...
  const std::vector<std::string>& notes() const { return notes_; }
  // soc and arch disagree (the soc won): finding `soc-arch-conflict`. Empty = no conflict.
  const std::string& conflict() const { return conflict_; }
  // The soc has no HTP arch this database knows ops for: every node is `unchecked`. Empty = fine.
  const std::string& unsupported() const { return unsupported_; }
  // Features of the backend that this soc lacks, as bits (SocInfo::lacks names them).
  uint8_t lacks() const { return lacks_; }

  // The dialect whose operators are the ops of this backend: models of another one are not for it.
  // "" = QNN's, which other dialects become.
  const std::string& dialect() const { return dialect_; }
  // Why models of this dialect can't be checked for the target; "" where they can.
  std::string WhyNot(std::string_view dialect) const;

  SdkKey sdk_key() const { return sdk_; }
  SdkKey knowledge_key() const { return knowledge_sdk_; }
  // Index into the backend's ordered arch list, and of the backend in the database.
  int arch_index() const { return arch_index_; }
  int backend_index() const { return backend_index_; }

 private:
  std::string backend_, arch_, soc_, conflict_, unsupported_, dialect_, measured_by_;
  std::vector<std::string> notes_;
  SdkKey sdk_ = 0, knowledge_sdk_ = 0;
  int arch_index_ = 0, backend_index_ = 0;
  bool measured_ = false, has_op_validation_ = true;
  uint8_t lacks_ = 0;
};

}  // namespace quantgate

#endif  // QUANTGATE_TARGET_H_
