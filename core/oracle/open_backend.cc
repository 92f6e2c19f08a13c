#include "core/oracle/open_backend.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "core/oracle/library_path.h"
#include "core/oracle/oracle.h"
#include "core/oracle/program_backend.h"

namespace quantgate::verify {
namespace {

struct Named {
  std::unique_ptr<const QueriedBackend> backend;
  std::string name;
};

// The device of a target: the chip where one is named, else the arch.
absl::StatusOr<Device> DeviceOf(const Target& target, const Database& database) {
  Device device;
  for (const SocInfo& soc : database.Socs()) {
    if (!target.soc().empty() && soc.name == target.soc()) {
      device.soc = static_cast<uint32_t>(soc.id);
      return device;
    }
  }
  const std::string& arch = target.arch();
  if (arch.empty()) return device;
  if (!absl::SimpleAtoi(arch.substr(1), &device.arch)) {
    return absl::InvalidArgumentError("no number in the name of the arch " + arch);
  }
  return device;
}

absl::StatusOr<Named> OpenLibrary(const std::string& library, const Target& target,
                                   const Database& database) {
  const absl::StatusOr<std::string> path = FindLibrary(library, target.backend());
  if (!path.ok()) return path.status();
  const absl::StatusOr<Device> device = DeviceOf(target, database);
  if (!device.ok()) return device.status();
  absl::StatusOr<Oracle> oracle = Oracle::Open(*path, *device);
  if (!oracle.ok()) {
    return absl::Status(oracle.status().code(),
                        *path + ": " + ExplainLoadError(std::string(oracle.status().message())));
  }
  return Named{std::make_unique<Oracle>(*std::move(oracle)), path->substr(path->rfind('/') + 1)};
}

}  // namespace

Comparison OpenedBackend::Begin(std::string source, const AskOptions& ask) const {
  Comparison comparison;
  comparison.model = std::move(source);
  comparison.backend = target.backend();
  comparison.sdk = target.sdk();
  comparison.arch = target.arch();
  comparison.soc = target.soc();
  comparison.library = name;
  comparison.build_id = backend->info().build_id;
  comparison.about = backend->info().about;
  comparison.asked = {Stage::kValidate};
  if (ask.prepare) comparison.asked.push_back(Stage::kPrepare);
  if (ask.execute) comparison.asked.push_back(Stage::kExecute);
  comparison.notes = target.notes();
  if (!note.empty()) comparison.notes.push_back(note);
  return comparison;
}

absl::StatusOr<OpenedBackend> OpenBackend(const std::string& library, const TargetSpec& wanted,
                                          const std::string& python, const Database& database) {
  TargetSpec spec = wanted;
  std::unique_ptr<ProgramBackend> program;
  if (ProgramBackend::Knows(library)) {
    absl::StatusOr<std::unique_ptr<ProgramBackend>> found =
        ProgramBackend::Open(library, python);
    if (!found.ok()) return found.status();
    program = *std::move(found);
    if (spec.backend.empty()) spec.backend = program->info().backend;
    if (spec.backend != program->info().backend) {
      return absl::InvalidArgumentError(library + " is asked about the backend " +
                                        program->info().backend + ", not " + spec.backend);
    }
  }
  if (spec.backend.empty()) spec.backend = TargetSpec().backend;
  absl::StatusOr<Target> target = Target::Parse(spec, database);
  if (!target.ok()) return target.status();
  if (!target->unsupported().empty()) return absl::InvalidArgumentError(target->unsupported());
  Named opened;
  if (program != nullptr) {
    program->set_arch(target->arch());
    opened = {std::move(program), library};
  } else {
    absl::StatusOr<Named> found = OpenLibrary(library, *target, database);
    if (!found.ok()) return found.status();
    opened = *std::move(found);
  }
  // Unless another is wanted, the library is of the SDK it says it is of.
  const QueriedBackend::Info& info = opened.backend->info();
  const std::string own_sdk = info.sdk.empty() ? SdkOfBuildId(info.build_id) : info.sdk;
  std::string note;
  if (spec.sdk.empty() && !own_sdk.empty()) {
    TargetSpec own = spec;
    own.sdk = own_sdk;
    target = Target::Parse(own, database);
    if (!target.ok()) return target.status();
  } else if (!own_sdk.empty() && SdkOfBuildId(own_sdk) != target->sdk()) {
    note = "the library is of SDK " + own_sdk + ", checked for " + target->sdk();
  }
  return OpenedBackend{std::move(opened.backend), std::move(opened.name), *std::move(target), std::move(note)};
}

}  // namespace quantgate::verify
