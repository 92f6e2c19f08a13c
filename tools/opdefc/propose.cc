#include "tools/opdefc/propose.h"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/base/nearest.h"
#include "core/database/compile/compile.h"
#include "core/database/compile/document/map_reader.h"
#include "core/database/view.h"
#include "nlohmann/json.hpp"
#include "quantgate/database.h"
#include "quantgate/record.h"
#include "tools/opdefc/format.h"
#include "tools/opdefc/line_diff.h"
#include "tools/opdefc/op_editor.h"
#include "tools/opdefc/record_edits.h"

namespace quantgate::opdefs {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> ReadText(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kMaxFileBytes) {
    return std::nullopt;
  }
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  return file.bad() ? std::nullopt : std::optional(std::move(text));
}

std::string FirstBytes(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return "";
  std::string bytes(4096, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

// A copy of a folder's YAML that goes away.
class Scratch {
 public:
  absl::Status Copy(const fs::path& from) {
    std::string name = (fs::temp_directory_path() / "opdefc-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(name, ": ", std::strerror(errno)));
    }
    path_ = name;
    std::error_code error;
    for (fs::recursive_directory_iterator it(from, error), end; !error && it != end;
         it.increment(error)) {
      if (it->path().extension() != ".yaml") continue;
      const fs::path to = path_ / it->path().lexically_relative(from);
      fs::create_directories(to.parent_path(), error);
      if (!error) fs::copy_file(it->path(), to, error);
    }
    return error ? absl::InvalidArgumentError(absl::StrCat(from.string(), ": ", error.message()))
                 : absl::OkStatus();
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// "source" and "sdk" of an edit of the folder's own files.
void AddSource(Node& root, const Node& source, const Reporter& reporter) {
  Node* list = FindEntry(root, "sources");
  if (list == nullptr || !list->is_list()) return;
  const Node* id = source.find("id");
  for (const Node& known : list->children) {
    if (id != nullptr && known.find("id") != nullptr && known.find("id")->text == id->text) {
      reporter.At(*id, absl::StrCat("there is a source ", Quoted(id->text), " already"));
      return;
    }
  }
  // Behind the last of its kind that is no newer, those of backends and those that are named apart.
  const auto alike = [&](const Node& known) {
    const auto text = [](const Node& of, const char* key) {
      const Node* found = of.find(key);
      return found == nullptr ? std::string() : found->text;
    };
    const auto mine = ParseSdk(text(source, "sdk")), other = ParseSdk(text(known, "sdk"));
    return text(known, "kind") == text(source, "kind") && mine.ok() && other.ok() &&
           *other <= *mine &&
           (known.find("backends") == nullptr) == (source.find("backends") == nullptr);
  };
  const auto last = std::find_if(list->children.rbegin(), list->children.rend(), alike);
  const auto at = last == list->children.rend() ? list->children.end() : last.base();
  Node added = source;
  added.key.clear();
  Place(added, at == list->children.begin() ? list->line : LastLine(*std::prev(at)));
  list->children.insert(at, std::move(added));
}

void AddSdk(Node& root, const std::string& backend, const Node& sdk, const Reporter& reporter) {
  Node* backends = FindEntry(root, "backends");
  Node* entry = backends == nullptr ? nullptr : FindEntry(*backends, backend);
  Node* sdks = entry == nullptr ? nullptr : FindEntry(*entry, "sdks");
  if (sdks == nullptr || !sdks->is_list()) {
    reporter.At(sdk, absl::StrCat("targets.yaml has no `sdks` of ", Quoted(backend)));
    return;
  }
  const auto key = ParseSdk(sdk.text);
  if (!key.ok()) {
    reporter.At(sdk, std::string(key.status().message()));
    return;
  }
  auto at = sdks->children.begin();
  for (; at != sdks->children.end(); ++at) {
    const auto known = ParseSdk(at->text);
    if (known.ok() && *known == *key) {
      reporter.At(sdk, absl::StrCat(backend, " has the SDK ", sdk.text, " already"));
      return;
    }
    if (known.ok() && *known > *key) break;
  }
  Node added = sdk;
  added.key.clear();
  added.key_line = 0;
  added.quoted = true;
  added.line = sdks->line;
  sdks->children.insert(at, std::move(added));
}

class Proposer {
 public:
  // `database`: what `folder` was compiled to.
  Proposer(const std::string& file, const std::string& folder, const Database& database)
      : file_(file), folder_(folder), database_(&database), reporter_{file, &errors_} {}

  // `text`: a list of edits.
  absl::StatusOr<std::string> Run(std::string_view text) {
    const auto edits = ParseYaml(text, file_, errors_);
    if (!edits) return errors_.status();
    if (!edits->is_list() || edits->children.empty()) {
      reporter_.At(*edits, "must be a list of edits");
      return errors_.status();
    }
    for (const Node& edit : edits->children) ReadEdit(edit);
    if (!errors_.empty()) return errors_.status();
    return Diff();
  }

 private:
  using Apply = std::function<void(Node& root)>;
  struct Changes {
    std::vector<std::string> why;
    std::vector<Apply> edits;
  };

  void ReadEdit(const Node& edit) {
    MapReader map(edit, "an edit", reporter_);
    if (!map.ok()) return;
    const auto why = map.text("why");
    const auto backend = map.text("backend");
    const auto op = map.text("op");
    const Node* what = nullptr;
    for (const char* key : {"add_row", "add_constraint", "remove", "since", "until", "source", "sdk"}) {
      const Node* found = map.find(key);
      if (found == nullptr) continue;
      if (what != nullptr) reporter_.AtKey(*found, "an edit says one thing");
      what = found;
    }
    const size_t errors = errors_.count();
    map.Finish();
    if (errors_.count() > errors) return;
    if (what == nullptr) {
      reporter_.At(edit, "an edit has one of add_row, add_constraint, remove, since, until, source, sdk");
      return;
    }
    if (what->key == "source") {
      return Add("sources.yaml", why, [=, this](Node& root) { AddSource(root, *what, reporter_); });
    }
    if (!backend || (what->key != "sdk" && !op)) {
      reporter_.At(edit, what->key == "sdk" ? "`backend` is missing"
                                            : "`backend` or `op` is missing");
      return;
    }
    if (what->key == "sdk") {
      return Add("targets.yaml", why,
                 [=, this](Node& root) { AddSdk(root, *backend, *what, reporter_); });
    }
    EditOp(edit, *backend, *op, *what, why);
  }

  void EditOp(const Node& edit, const std::string& backend, const std::string& op,
              const Node& what, const std::optional<std::string>& why) {
    const opdb::View& view = database_->view();
    const int at = view.FindBackend(backend);
    if (at < 0) {
      std::vector<std::string_view> known;
      for (const auto& row : view.backends()) known.push_back(view.str(row.name));
      reporter_.At(*edit.find("backend"),
                   absl::StrCat("unknown backend ", Quoted(backend), DidYouMeanOf(backend, known)));
      return;
    }
    const opdb::BackendRow& row = view.backends()[static_cast<size_t>(at)];
    const opdb::OpRow* found = nullptr;
    std::vector<std::string_view> known;
    for (const auto& one : view.get(row.ops)) {
      known.push_back(view.str(one.name));
      if (known.back() == op) found = &one;
    }
    if (found == nullptr) {
      reporter_.At(*edit.find("op"),
                   absl::StrCat("unknown op ", Quoted(op), DidYouMeanOf(op, known)));
      return;
    }
    const Node* profiles = ProfilesOf(backend);
    const std::string name = backend + "/" + op + ".yaml";
    Add(name, why, [=, this, &what](Node& root) {
      // One editor a file, so that new names stay unique; it lives as long as the tree.
      auto& editor = editors_[name];
      if (!editor) editor.emplace(root, profiles, database_->view(), *found, reporter_);
      if (what.key == "add_row") editor->AddRow(what);
      if (what.key == "add_constraint") editor->AddConstraint(what);
      if (what.key == "remove") editor->Remove(what);
      if (what.key == "since") editor->Since(what);
      if (what.key == "until") editor->Until(what);
    });
  }

  const Node* ProfilesOf(const std::string& backend) {
    const auto [it, added] = profiles_.try_emplace(backend);
    if (added) {
      const fs::path path = fs::path(folder_) / backend / "profiles.yaml";
      if (const auto text = ReadText(path)) it->second = ParseYaml(*text, path.string(), errors_);
    }
    return it->second ? &*it->second : nullptr;
  }

  void Add(const std::string& name, const std::optional<std::string>& why, Apply edit) {
    Changes& changes = changes_[name];
    if (why) changes.why.push_back(*why);
    changes.edits.push_back(std::move(edit));
  }

  absl::StatusOr<std::string> Diff() {
    Scratch scratch;
    if (absl::Status status = scratch.Copy(folder_); !status.ok()) return status;
    std::string out;
    for (const auto& [name, changes] : changes_) {
      const fs::path path = fs::path(folder_) / name;
      const auto before = ReadText(path);
      if (!before) return absl::InvalidArgumentError(path.string() + ": can't be read");
      const auto after = Edited(*before, path.string(), [&edits = changes.edits](Node& root) {
        for (const Apply& edit : edits) edit(root);
      });
      if (!errors_.empty()) return errors_.status();
      if (!after.ok()) return after.status();
      for (const std::string& why : changes.why) {
        absl::StrAppend(&out, "# ", name, ": ", absl::StrReplaceAll(why, {{"\n", " "}}), "\n");
      }
      absl::StrAppend(&out, UnifiedDiff(*before, *after, Shown(path)));
      std::ofstream file(scratch.path() / name, std::ios::binary | std::ios::trunc);
      file << *after;
      file.flush();
      if (!file) return absl::InvalidArgumentError(scratch.path().string() + ": can't be written");
    }
    // Nothing is proposed that the compiler refuses.
    const auto image = CompileOpdefs(std::vector<std::string>{scratch.path().string()});
    if (image.ok()) return out;
    return absl::InvalidArgumentError(absl::StrReplaceAll(
        image.status().message(), {{scratch.path().string(), absl::StrCat(file_, ": edited, ",
                                                                          folder_)}}));
  }

  // As `git apply` finds it from here.
  static std::string Shown(const fs::path& path) {
    std::error_code error;
    const fs::path relative = fs::relative(path, error);
    return error || relative.string().starts_with("..") ? path.string() : relative.string();
  }

  const std::string& file_;
  const std::string& folder_;
  const Database* database_;
  Errors errors_;
  const Reporter reporter_;
  std::map<std::string, std::optional<Node>> profiles_;
  std::map<std::string, std::optional<OpEditor>> editors_;
  std::map<std::string, Changes> changes_;
};

std::string ListOf(const std::vector<nlohmann::ordered_json>& edits) {
  return nlohmann::ordered_json(edits).dump();
}

const std::string kEdit = "edit";

// Those that can be made; the reasons of the others go to `remarks`.
std::vector<nlohmann::ordered_json> Possible(const std::vector<nlohmann::ordered_json>& edits,
                                             const std::string& folder, const Database& database,
                                             std::vector<std::string>& remarks) {
  std::vector<nlohmann::ordered_json> kept;
  for (const nlohmann::ordered_json& edit : edits) {
    kept.push_back(edit);
    const auto diff = Proposer(kEdit, folder, database).Run(ListOf(kept));
    if (diff.ok()) continue;
    const absl::string_view why = diff.status().message();
    remarks.push_back(
        absl::StrCat("not expressed: ", edit.dump(), ": ", why.substr(0, why.find('\n'))));
    kept.pop_back();
  }
  return kept;
}

absl::StatusOr<std::string> ProposeRecord(const std::string& file, const std::string& folder,
                                          const Database& database) {
  const absl::StatusOr<verify::Record> record = verify::ReadRecord(file);
  if (!record.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": ", record.status().message()));
  }
  absl::StatusOr<RecordEdits> read = EditsOfRecord(*record, database);
  if (!read.ok()) return absl::InvalidArgumentError(absl::StrCat(file, ": ", read.status().message()));
  std::string diff;
  if (!read->edits.empty()) {
    auto whole = Proposer(file, folder, database).Run(ListOf(read->edits));
    if (!whole.ok()) {
      const auto possible = Possible(read->edits, folder, database, read->remarks);
      if (!possible.empty()) whole = Proposer(file, folder, database).Run(ListOf(possible));
    }
    if (whole.ok()) diff = *std::move(whole);
  }
  std::string out;
  for (const std::string& remark : read->remarks) absl::StrAppend(&out, "# ", remark, "\n");
  return out + diff;
}

}  // namespace

absl::StatusOr<std::string> Propose(const std::string& file, const std::string& folder) {
  auto image = CompileOpdefs(std::vector<std::string>{folder});
  if (!image.ok()) return image.status();
  const auto database = Database::FromImage(*std::move(image));
  if (!database.ok()) return database.status();
  if (verify::LooksLikeRecord(FirstBytes(file))) return ProposeRecord(file, folder, *database);
  const auto text = ReadText(file);
  if (!text) return absl::InvalidArgumentError(file + ": can't be read, or larger than 4 MiB");
  return Proposer(file, folder, *database).Run(*text);
}

}  // namespace quantgate::opdefs
