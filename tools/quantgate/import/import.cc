#include "tools/quantgate/import/import.h"

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

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "quantgate/database.h"
#include "quantgate/dtype.h"
#include "quantgate/overlay.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/signals.h"
#include "tools/quantgate/import/opdef_page.h"
#include "tools/quantgate/show/progress.h"

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
    std::set<std::string> groups;
    for (const OpInfo::Variant& known : info->variants) groups.insert(known.group);
    const std::string rows = Rows(*info, op, groups);
    const std::string constraints = Constraints(*info, op, groups);
    if (rows.empty() && constraints.empty()) return;
    std::string file =
        fmt::format("op: {}\nextends: true\nsources: [docs-{}]\n", op.name, target_.sdk());
    if (!rows.empty()) file += fmt::format("rows:\n  {}:\n{}", Section(), rows);
    if (!constraints.empty()) file += fmt::format("{}:\n{}", Section(), constraints);
    files_[absl::StrCat(target_.backend(), "/", op.name, ".yaml")] = std::move(file);
  }

  const std::map<std::string, std::string>& files() const { return files_; }
  const std::vector<std::string>& unmapped() const { return unmapped_; }
  const std::vector<std::string>& skipped() const { return skipped_; }
  // For `opdefc propose`, JSON each.
  const std::vector<std::string>& edits() const { return edits_; }
  const Counts& counts() const { return counts_; }

 private:
  // The rows that the database does not have, as YAML. Adds their groups.
  std::string Rows(const OpInfo& info, const OpDefPage::Op& op, std::set<std::string>& groups) {
    std::string rows;
    int number = 0;
    for (const OpDefPage::Row& row : op.rows) {
      const auto dtypes = Dtypes(info, op, row);
      if (!dtypes) continue;
      ++counts_.rows;
      groups.insert(row.group);
      if (Knows(info, *dtypes)) {
        ++counts_.known_rows;
        continue;
      }
      const std::string id = absl::StrCat(row.group, ".", target_.sdk(), ".", ++number);
      const std::string text = RowText(*dtypes);
      rows += fmt::format("    {}: \"{}\"\n", Quoted(id), text);
      Edit(op.name, fmt::format(R"("add_row": {{"section": "{}", "id": "{}", "row": "{}", )"
                                R"("untested": true}})",
                                Section(), id, text));
    }
    return rows;
  }

  // The sentences that are known, of these groups of rows, as YAML.
  std::string Constraints(const OpInfo& info, const OpDefPage::Op& op,
                          const std::set<std::string>& groups) {
    std::string constraints;
    int number = 0;
    std::set<std::string> seen;
    for (const OpDefPage::Sentence& sentence : op.sentences) {
      const std::string yaml = ConstraintOf(sentence.text);
      const bool known_port = HasPort(info, sentence.port);
      if (yaml.empty() || !known_port) {
        unmapped_.push_back(
            fmt::format("{} {} [{}]: {}", op.name, sentence.port, sentence.group, sentence.text));
        continue;
      }
      ++counts_.mapped;
      const bool all = sentence.group == "All";
      if (!all && !groups.contains(sentence.group)) continue;
      const std::string of_group = all ? "" : fmt::format(", groups: [{}]", Quoted(sentence.group));
      if (!seen.insert(sentence.port + yaml + of_group).second) continue;
      const std::string name = fmt::format("imported-{}-{}", target_.sdk(), ++number);
      const std::string port = ShortName(sentence.port);
      constraints += fmt::format("  {}: {{{}{}}}\n", Quoted(port + " " + name), yaml, of_group);
      const size_t colon = yaml.find(": ");
      const std::string value = yaml.substr(colon + 2);
      Edit(op.name,
           fmt::format(R"("add_constraint": {{"section": "{}", "port": "{}", "name": "{}", )"
                       R"("body": {{"{}": {}{}, "untested": true}}}})",
                       Section(), port, name, yaml.substr(0, colon),
                       value == "~"       ? "null"
                       : value == "false" ? value
                                          : Quoted(value),
                       all ? "" : fmt::format(R"(, "groups": ["{}"])", sentence.group)));
    }
    return constraints;
  }

  static std::string Quoted(const std::string& text) { return "\"" + text + "\""; }

  // What stands in keys of YAML and in ids.
  static bool IsName(const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
      return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
    });
  }

  // "documented 2.39..2.47": to the next version that the database knows.
  std::string Section() const { return fmt::format("documented {}..{}", target_.sdk(), until_); }

  void Edit(const std::string& op, const std::string& what) {
    edits_.push_back(
        fmt::format(R"({{"backend": "{}", "op": "{}", {}}})", target_.backend(), op, what));
  }

  static std::string ShortName(std::string port) {
    std::erase_if(port, [](char c) { return c == '[' || c == ']'; });
    return port;
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
    if (!IsName(row.group)) {
      skipped_.push_back(fmt::format("{}: a row of the configuration {}", op.name, row.group));
      return std::nullopt;
    }
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

  // A column a port, lists as alternatives: "U8|S8 -".
  static std::string RowText(const Row& row) {
    std::vector<std::string> columns;
    for (const auto& names : row) {
      std::vector<std::string_view> listed;
      for (const std::string& name : names) listed.push_back(DtypeShortName(*DtypeFromName(name)));
      columns.push_back(listed.empty() ? "-" : fmt::format("{}", fmt::join(listed, "|")));
    }
    return fmt::format("{}", fmt::join(columns, " "));
  }

  const Database& database_;
  const Target& target_;
  const std::string until_;
  Counts counts_;
  std::map<std::string, std::string> files_;
  std::vector<std::string> unmapped_, skipped_, edits_;
};

// Oldest first.
std::vector<SdkKey> SdksOf(const Database& database, const std::string& backend) {
  std::vector<SdkKey> keys;
  for (const std::string& name : database.Sdks(backend)) {
    if (const absl::StatusOr<SdkKey> key = ParseSdk(name); key.ok()) keys.push_back(*key);
  }
  return keys;
}

// The backend's entry of targets.yaml with one SDK version more.
std::string BackendEntry(const Database& database, const std::string& name, SdkKey sdk) {
  std::set<SdkKey> sdks{sdk};
  for (const SdkKey known : SdksOf(database, name)) sdks.insert(known);
  std::vector<std::string> listed;
  for (const SdkKey known : sdks) listed.push_back(fmt::format("\"{}\"", SdkName(known)));
  const std::vector<std::string> archs = database.Archs(name);
  std::string out = fmt::format("  {}: {{", name);
  if (const auto target = Target::Parse({.backend = name}, database);
      !archs.empty() && target.ok()) {
    out += fmt::format("archs: [{}], default_arch: {}, ", fmt::join(archs, ", "), target->arch());
  }
  const std::optional<std::string> since = database.CombinationsSince(name);
  out += !since           ? "tuple_rows: false"
         : since->empty() ? "tuple_rows: true"
                          : fmt::format("tuple_rows: \"{}\"", *since);
  return out + fmt::format(", sdks: [{}]}}\n", fmt::join(listed, ", "));
}

std::string NextSdk(const Database& database, const std::string& backend, SdkKey sdk) {
  for (const SdkKey known : SdksOf(database, backend)) {
    if (known > sdk) return SdkName(known);
  }
  return "";
}

// The same as edits of the database itself, for `opdefc propose`.
std::string Edits(const std::string& sdk, const std::vector<std::string>& backends,
                  std::vector<std::string> edits) {
  std::vector<std::string> all = {fmt::format(
      R"({{"source": {{"id": "docs-{0}", "kind": "documents", "sdk": "{0}", "backends": ["{1}"], )"
      R"("title": "QNN SDK {0} documentation, Backend Op Definition Supplements"}}}})",
      sdk, fmt::join(backends, "\", \""))};
  for (const std::string& backend : backends) {
    all.push_back(fmt::format(R"({{"backend": "{}", "sdk": "{}"}})", backend, sdk));
  }
  all.insert(all.end(), edits.begin(), edits.end());
  return fmt::format("[\n{}\n]\n", fmt::join(all, ",\n"));
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

// The folder of pages: the one that is given, or that of an SDK that is unpacked there.
fs::path FolderOfPages(const std::string& docs) {
  std::error_code error;
  const fs::path in_sdk = fs::path(docs) / "docs" / "QNN" / "OpDef";
  return fs::is_directory(in_sdk, error) ? in_sdk : fs::path(docs);
}

// As given, or as a folder on the path is called: "/qairt/2.31.0.250130/".
absl::StatusOr<SdkKey> SdkOf(const ImportFlags& flags, const fs::path& folder) {
  std::string sdk = flags.sdk;
  if (sdk.empty()) {
    std::error_code error;
    const std::string path = fs::weakly_canonical(folder, error).string();
    std::smatch found;
    if (std::regex_search(path, found, std::regex(R"(/v?(\d+\.\d+)\.\d+[^/]*/)"))) sdk = found[1];
  }
  if (sdk.empty()) {
    return absl::InvalidArgumentError(flags.docs + ": names no SDK version; give it with --sdk");
  }
  return ParseSdk(sdk);
}

std::vector<fs::path> PagesIn(const fs::path& folder) {
  std::vector<fs::path> pages;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().ends_with("OpDefSupplement.html")) pages.push_back(it->path());
  }
  std::sort(pages.begin(), pages.end());
  return pages;
}

// All pages together.
struct Imported {
  std::map<std::string, std::string> files;
  std::string report, unmapped, backends;
  std::vector<std::string> names, edits;
};

absl::Status ImportPage(const fs::path& path, SdkKey key, const Database& database, Imported& all) {
  std::error_code error;
  const auto fail = [&](std::string_view why) {
    return absl::InvalidArgumentError(fmt::format("{}: {}", path.string(), why));
  };
  if (!fs::is_regular_file(path, error)) return fail("is no file");
  if (fs::file_size(path, error) > kMaxPage) return fail("larger than 64 MiB");
  std::ifstream file(path, std::ios::binary);
  const std::string html((std::istreambuf_iterator<char>(file)), {});
  const auto page = ReadOpDefPage(html);
  if (!page.ok()) return fail(std::string(page.status().message()));
  const std::string sdk = SdkName(key);
  const auto target = Target::Parse({.backend = page->backend, .sdk = sdk}, database);
  if (!target.ok()) return fail(std::string(target.status().message()));
  PageImport import(database, *target, NextSdk(database, page->backend, key));
  for (const OpDefPage::Op& op : page->ops) import.Add(op);
  const Counts& c = import.counts();
  all.report += fmt::format(
      "{} {}: {} ops, {} rows ({} known), {} sentences ({} mapped, {} unmapped)\n", page->backend,
      sdk, c.ops, c.rows, c.known_rows, c.mapped + static_cast<int>(import.unmapped().size()),
      c.mapped, import.unmapped().size());
  for (const std::string& line : import.skipped()) all.report += "  left out  " + line + "\n";
  for (const std::string& line : import.unmapped()) {
    all.unmapped += fmt::format("{}/{}\n", page->backend, line);
  }
  all.files.insert(import.files().begin(), import.files().end());
  all.backends += BackendEntry(database, page->backend, key);
  all.names.push_back(page->backend);
  all.edits.insert(all.edits.end(), import.edits().begin(), import.edits().end());
  return absl::OkStatus();
}

// Nothing half-written, and nothing that the database would refuse.
absl::Status WriteOverlay(const std::string& out, const std::string& sdk, const Database& database,
                          Imported& all) {
  all.files["targets.yaml"] = "backends:\n" + all.backends + "socs: []\n";
  all.files["sources.yaml"] = fmt::format(
      "sources:\n  - {{id: docs-{0}, kind: documents, sdk: \"{0}\", backends: [{1}], title: "
      "\"QNN SDK {0} documentation, imported\"}}\n",
      sdk, fmt::join(all.names, ", "));
  all.files["edits.json"] = Edits(sdk, all.names, all.edits);
  all.files["unmapped.txt"] = all.unmapped;
  const SignalsWait until_it_is_whole;
  std::string part = out + ".XXXXXX";
  if (::mkdtemp(part.data()) == nullptr) {
    return absl::InvalidArgumentError(out + ": " + std::strerror(errno));
  }
  ::chmod(part.c_str(), 0777 & ~NewFileMask());  // not the private one of a temporary
  std::error_code error;
  absl::Status status = WriteAll(part, all.files);
  if (status.ok()) status = WithOverlay(database, std::vector<std::string>{part}).status();
  if (status.ok()) {
    fs::rename(part, out, error);
    if (error) status = absl::InvalidArgumentError(out + ": can't be written");
  }
  if (!status.ok()) fs::remove_all(part, error);
  return status;
}

}  // namespace

int Import(const ImportFlags& flags) {
  std::error_code error;
  const fs::path folder = FolderOfPages(flags.docs);
  if (!fs::is_directory(folder, error)) return Fail(flags.docs + ": is no folder");
  const absl::StatusOr<SdkKey> sdk = SdkOf(flags, folder);
  if (!sdk.ok()) return Fail(sdk.status());
  if (!flags.out.empty() && fs::exists(flags.out, error)) return Fail(flags.out + ": exists already");
  const std::vector<fs::path> pages = PagesIn(folder);
  if (pages.empty()) return Fail(folder.string() + ": holds no *OpDefSupplement.html");

  const Progress progress("reading pages");
  const Database& database = Database::Embedded();
  Imported all;
  for (const fs::path& path : pages) {
    if (const absl::Status status = ImportPage(path, *sdk, database, all); !status.ok()) return Fail(status);
  }
  if (!all.unmapped.empty()) all.report += "unmapped:\n" + all.unmapped;
  if (!flags.out.empty()) {
    const absl::Status status = WriteOverlay(flags.out, SdkName(*sdk), database, all);
    if (!status.ok()) return Fail(status);
  }
  absl::StatusOr<Output> output = Output::Open("");
  output->Write(all.report);
  const absl::Status status = output->Commit();
  return status.ok() ? kFine : Fail(status);
}

}  // namespace quantgate::cli
