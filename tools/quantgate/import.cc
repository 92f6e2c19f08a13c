#include "tools/quantgate/import.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/opdb/view.h"
#include "quantgate/database.h"
#include "quantgate/dtype.h"
#include "quantgate/overlay.h"
#include "tools/quantgate/common.h"
#include "tools/quantgate/opdef_page.h"
#include "tools/quantgate/progress.h"
#include "tools/quantgate/signals.h"

namespace quantgate::cli {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxPage = uintmax_t{64} << 20;

struct Counts {
  int ops = 0, rows = 0, known_rows = 0, mapped = 0, known = 0;
};

// One backend's page as an overlay: what the database doesn't have for that SDK yet.
class PageImport {
 public:
  PageImport(const Database& database, const Target& target, std::string until)
      : database_(database), target_(target), until_(std::move(until)) {}

  void Add(const OpDefPage::Op& op) {
    ++counts_.ops;
    const auto info = database_.Query(op.name, target_);
    if (!info.ok()) {
      skipped_.push_back(op.name + ": an op the database has no ports of");
      return;
    }
    std::string variants, constraints;
    std::set<std::string> groups;
    for (const OpInfo::Variant& known : info->variants) groups.insert(known.group);
    int number = 0;
    for (const OpDefPage::Row& row : op.rows) {
      const auto dtypes = Dtypes(*info, op, row);
      if (!dtypes) continue;
      ++counts_.rows;
      groups.insert(row.group);
      if (Knows(*info, *dtypes)) {
        ++counts_.known_rows;
        continue;
      }
      variants += fmt::format("  - {{id: {}, group: {}, dtypes: [{}], {}}}\n",
                              Id(absl::StrCat(row.group, ".", target_.sdk(), ".", ++number)),
                              Id(row.group), Flow(*dtypes), Tail());
    }
    number = 0;
    std::set<std::string> seen;
    for (const OpDefPage::Sentence& said : op.sentences) {
      const std::string yaml = ConstraintOf(said.text);
      const bool known_port = HasPort(*info, said.port);
      if (yaml.empty() || !known_port) {
        unmapped_.push_back(
            fmt::format("{} {} [{}]: {}", op.name, said.port, said.group, said.text));
        continue;
      }
      ++counts_.mapped;
      const std::string group =
          said.group == "All" ? "" : fmt::format("groups: [{}], ", Id(said.group));
      if (!group.empty() && !groups.contains(said.group)) continue;
      if (!seen.insert(said.port + yaml + group).second) continue;
      constraints +=
          fmt::format("  - {{id: {}, port: {}, {}, {}consequence: rejected, {}}}\n",
                      Id(fmt::format("{}/imported-{}-{}", said.port, target_.sdk(), ++number)),
                      Id(said.port), yaml, group, Tail());
    }
    if (variants.empty() && constraints.empty()) return;
    std::string file = fmt::format("op: {}\nbackend: {}\nextends: true\nsources: [docs-{}]\n",
                                   op.name, target_.backend(), target_.sdk());
    if (!variants.empty()) file += "variants:\n" + variants;
    if (!constraints.empty()) file += "constraints:\n" + constraints;
    files_[absl::StrCat(target_.backend(), "/", op.name, ".yaml")] = std::move(file);
  }

  const std::map<std::string, std::string>& files() const { return files_; }
  const std::vector<std::string>& unmapped() const { return unmapped_; }
  const std::vector<std::string>& skipped() const { return skipped_; }
  const Counts& counts() const { return counts_; }

 private:
  static std::string Id(const std::string& text) { return "\"" + text + "\""; }

  std::string Tail() const {
    return fmt::format("since: \"{}\", {}sources: [docs-{}]", target_.sdk(),
                       until_.empty() ? "" : fmt::format("until: \"{}\", ", until_), target_.sdk());
  }

  static bool HasPort(const OpInfo& info, const std::string& name) {
    const auto same = [&](const auto& item) { return item.name == name; };
    return std::any_of(info.inputs.begin(), info.inputs.end(), same) ||
           std::any_of(info.outputs.begin(), info.outputs.end(), same) ||
           std::any_of(info.params.begin(), info.params.end(), same);
  }

  // Per declared port; empty = absent.
  using Row = std::vector<std::vector<std::string>>;

  std::optional<Row> Dtypes(const OpInfo& info, const OpDefPage::Op& op,
                            const OpDefPage::Row& row) {
    Row dtypes;
    for (const auto* side : {&info.inputs, &info.outputs}) {
      for (const OpInfo::Port& port : *side) {
        std::vector<std::string>& names = dtypes.emplace_back();
        const auto listed = row.dtypes.find(port.name);
        if (listed == row.dtypes.end()) {
          if (port.optional) continue;
          skipped_.push_back(fmt::format("{}: a row without {}", op.name, port.name));
          return std::nullopt;
        }
        for (std::string name : listed->second) {
          if (name.starts_with("QNN_DATATYPE_")) name.erase(0, 13);
          if (!DtypeFromName(name)) {
            skipped_.push_back(fmt::format("{}: a row with the datatype {}", op.name, name));
            return std::nullopt;
          }
          names.push_back(std::move(name));
        }
      }
    }
    return dtypes;
  }

  static bool Knows(const OpInfo& info, const Row& row) {
    return std::any_of(info.variants.begin(), info.variants.end(), [&](const auto& variant) {
      return variant.consequence == Consequence::kAccepted &&
             std::equal(row.begin(), row.end(), variant.dtypes.begin(), variant.dtypes.end(),
                        [](const auto& mine, const auto& theirs) {
                          return std::set<std::string>(mine.begin(), mine.end()) ==
                                 std::set<std::string>(theirs.begin(), theirs.end());
                        });
    });
  }

  static std::string Flow(const Row& row) {
    std::string out;
    for (const auto& names : row) {
      out += out.empty() ? "" : ", ";
      out += names.empty()       ? "~"
             : names.size() == 1 ? names[0]
                                 : fmt::format("[{}]", fmt::join(names, ", "));
    }
    return out;
  }

  const Database& database_;
  const Target& target_;
  const std::string until_;
  Counts counts_;
  std::map<std::string, std::string> files_;
  std::vector<std::string> unmapped_, skipped_;
};

// The backend's entry of targets.yaml with one SDK version more.
std::string BackendEntry(const Database& database, const std::string& name, SdkKey sdk) {
  const opdb::View& db = database.view();
  const opdb::BackendRow& row = db.backends()[static_cast<size_t>(db.FindBackend(name))];
  std::set<SdkKey> sdks{sdk};
  for (const SdkKey known : db.get(row.sdks)) sdks.insert(known);
  std::vector<std::string> listed, archs;
  for (const SdkKey known : sdks) listed.push_back(fmt::format("\"{}\"", SdkName(known)));
  for (const opdb::Str arch : db.get(row.archs)) archs.emplace_back(db.str(arch));
  std::string out = fmt::format("  {}: {{", name);
  if (!archs.empty()) {
    out += fmt::format("archs: [{}], default_arch: {}, ", fmt::join(archs, ", "),
                       archs[static_cast<size_t>(row.default_arch)]);
  }
  out += row.tuples_since == 0 ? "tuple_rows: true"
         : row.tuples_since == kSdkOpen
             ? "tuple_rows: false"
             : fmt::format("tuple_rows: \"{}\"", SdkName(row.tuples_since));
  out += fmt::format(", sdks: [{}]", fmt::join(listed, ", "));
  if (row.first_measured != kSdkOpen) {
    out += fmt::format(", first_measured: \"{}\"", SdkName(row.first_measured));
  }
  return out + "}\n";
}

std::string NextSdk(const Database& database, const std::string& backend, SdkKey sdk) {
  const opdb::View& db = database.view();
  for (const SdkKey known :
       db.get(db.backends()[static_cast<size_t>(db.FindBackend(backend))].sdks)) {
    if (known > sdk) return SdkName(known);
  }
  return "";
}

absl::Status WriteAll(const fs::path& folder, const std::map<std::string, std::string>& files) {
  std::error_code error;
  for (const auto& [name, text] : files) {
    fs::create_directories((folder / name).parent_path(), error);
    std::ofstream file(folder / name, std::ios::binary | std::ios::trunc);
    file << text;
    file.flush();
    if (!file) {
      return absl::InvalidArgumentError((folder / name).string() + ": can't be written");
    }
  }
  return absl::OkStatus();
}

}  // namespace

int Import(const ImportFlags& flags) {
  std::error_code error;
  fs::path folder = flags.docs;
  if (fs::is_directory(folder / "docs" / "QNN" / "OpDef", error)) {
    folder = folder / "docs" / "QNN" / "OpDef";
  }
  if (!fs::is_directory(folder, error)) return Fail(flags.docs + ": is no folder");
  std::string sdk = flags.sdk;
  if (sdk.empty()) {
    const std::string path = fs::weakly_canonical(folder, error).string();
    std::smatch found;
    if (std::regex_search(path, found, std::regex(R"(/v?(\d+\.\d+)\.\d+[^/]*/)"))) sdk = found[1];
  }
  if (sdk.empty()) return Fail(flags.docs + ": names no SDK version; give it with --sdk");
  const auto key = ParseSdk(sdk);
  if (!key.ok()) return Fail(key.status());
  sdk = SdkName(*key);
  if (!flags.out.empty() && fs::exists(flags.out, error)) {
    return Fail(flags.out + ": exists already");
  }

  std::vector<fs::path> pages;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().ends_with("OpDefSupplement.html")) {
      pages.push_back(it->path());
    }
  }
  if (pages.empty()) return Fail(folder.string() + ": holds no *OpDefSupplement.html");
  std::sort(pages.begin(), pages.end());

  const Progress progress("reading pages");
  const Database& database = Database::Embedded();
  std::map<std::string, std::string> files;
  std::string report, unmapped, backends;
  for (const fs::path& path : pages) {
    if (!fs::is_regular_file(path, error)) return Fail(path.string() + ": is no file");
    if (fs::file_size(path, error) > kMaxPage) return Fail(path.string() + ": larger than 64 MiB");
    std::ifstream file(path, std::ios::binary);
    const std::string html((std::istreambuf_iterator<char>(file)), {});
    const auto page = ReadOpDefPage(html);
    if (!page.ok())
      return Fail(fmt::format("{}: {}", path.string(), std::string(page.status().message())));
    const auto target = Target::Parse({.backend = page->backend, .sdk = sdk}, database);
    if (!target.ok()) {
      return Fail(fmt::format("{}: {}", path.string(), std::string(target.status().message())));
    }
    PageImport import(database, *target, NextSdk(database, page->backend, *key));
    for (const OpDefPage::Op& op : page->ops) import.Add(op);
    const Counts& c = import.counts();
    report += fmt::format(
        "{} {}: {} ops, {} rows ({} known), {} sentences ({} mapped, {} unmapped)\n", page->backend,
        sdk, c.ops, c.rows, c.known_rows, c.mapped + static_cast<int>(import.unmapped().size()),
        c.mapped, import.unmapped().size());
    for (const std::string& line : import.skipped()) report += "  left out  " + line + "\n";
    for (const std::string& line : import.unmapped()) {
      unmapped += fmt::format("{}/{}\n", page->backend, line);
    }
    files.insert(import.files().begin(), import.files().end());
    backends += BackendEntry(database, page->backend, *key);
  }
  if (!unmapped.empty()) report += "unmapped:\n" + unmapped;
  if (!flags.out.empty()) {
    files["targets.yaml"] = "backends:\n" + backends + "socs: []\n";
    files["sources.yaml"] = fmt::format(
        "sources:\n  - {{id: docs-{0}, title: \"QNN SDK {0} documentation, imported\", sdk: "
        "\"{0}\", measured: false}}\n",
        sdk);
    files["unmapped.txt"] = unmapped;
    // Nothing half-written, and nothing that the database would refuse.
    const SignalsWait until_it_is_whole;
    std::string part = flags.out + ".XXXXXX";
    if (::mkdtemp(part.data()) == nullptr) {
      return Fail(flags.out + ": " + std::strerror(errno));
    }
    ::chmod(part.c_str(), 0777 & ~NewFileMask());  // not the private one of a temporary
    absl::Status status = WriteAll(part, files);
    if (status.ok()) status = WithOverlay(database, std::vector<std::string>{part}).status();
    if (status.ok()) {
      fs::rename(part, flags.out, error);
      if (error) status = absl::InvalidArgumentError(flags.out + ": can't be written");
    }
    if (!status.ok()) {
      fs::remove_all(part, error);
      return Fail(status);
    }
  }
  absl::StatusOr<Output> output = Output::Open("");
  output->Write(report);
  const absl::Status status = output->Commit();
  return status.ok() ? kFine : Fail(status);
}

}  // namespace quantgate::cli
