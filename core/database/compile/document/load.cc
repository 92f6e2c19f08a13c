#include "core/database/compile/document/load.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/nearest.h"
#include "core/database/compile/confirmations.h"
#include "core/database/compile/document/document_checker.h"
#include "core/database/compile/document/document_schema.h"
#include "core/database/compile/op_reader.h"
#include "core/database/compile/precisions_reader.h"
#include "core/database/compile/profiles.h"
#include "core/database/compile/renames_reader.h"
#include "core/database/compile/targets_reader.h"
#include "core/database/compile/waivers_reader.h"

namespace quantgate::opdefs {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFiles = 10'000;

std::optional<std::string> ReadFile(const fs::path& path, Errors& errors) {
  std::error_code error;
  // Opening a FIFO would wait for a writer; a device may never end.
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    errors.Add(path.string(), 0, 0, "is no regular file");
    return std::nullopt;
  }
  const auto size = fs::file_size(path, error);
  if (!error && size > kMaxFileBytes) {
    errors.Add(path.string(), 0, 0, absl::StrCat("larger than ", kMaxFileBytes >> 20, " MiB"));
    return std::nullopt;
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(error ? 0 : size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (error || !file || file.gcount() != static_cast<std::streamsize>(text.size())) {
    errors.Add(path.string(), 0, 0, "can't be read");
    return std::nullopt;
  }
  return text;
}

class Loader {
 public:
  Loader(fs::path folder, Ir& ir) : folder_(std::move(folder)), ir_(ir) {}

  absl::Status Run() {
    if (!ListFiles()) return errors_.status();
    for (const fs::path& path : files_) {
      if (path.parent_path() == "routes") ir_.routes.insert(path.stem().string());
    }
    // What others refer to comes first.
    Visit("sources.yaml",
          [&](const Node& node, const Reporter& to) { ReadSources(node, to, ir_); });
    Visit("targets.yaml",
          [&](const Node& node, const Reporter& to) { ReadTargets(node, to, ir_); });
    Visit("waivers.yaml",
          [&](const Node& node, const Reporter& to) { ReadWaivers(node, to, ir_); });
    std::vector<fs::path> documents;
    for (const fs::path& path : files_) {
      if (errors_.full()) break;
      if (IsDocument(path)) {
        documents.push_back(path);
      } else {
        ReadByPlace(path);
      }
    }
    Visit("sources.yaml",
          [&](const Node& node, const Reporter& to) { AddConfirmations(node, to, ir_); });
    // They name ops, and all but op_sets.yaml may name sets.
    std::stable_partition(documents.begin(), documents.end(),
                          [](const fs::path& path) { return !path.has_parent_path(); });
    for (const fs::path& path : documents) {
      if (!errors_.full()) ReadDocument(path);
    }
    return errors_.status();
  }
  const std::vector<std::string>& warnings() const { return errors_.warnings(); }

 private:
  // Relative paths of all YAML files, sorted.
  bool ListFiles() {
    std::error_code error;
    if (!fs::is_directory(folder_, error)) {
      errors_.Add(folder_.string(), 0, 0, "is no folder");
      return false;
    }
    fs::recursive_directory_iterator it(folder_, error), end;
    for (; !error && it != end; it.increment(error)) {
      if (it.depth() > 4) it.disable_recursion_pending();
      const std::string extension = it->path().extension().string();
      if (extension == ".yml") {
        errors_.Add(it->path().string(), 0, 0, "the ending must be .yaml");
      }
      if (extension == ".yaml") files_.push_back(it->path().lexically_relative(folder_));
      if (files_.size() > kMaxFiles) {
        errors_.Add(folder_.string(), 0, 0, absl::StrCat("more than ", kMaxFiles, " files"));
        return false;
      }
    }
    if (error) errors_.Add(folder_.string(), 0, 0, error.message());
    if (files_.empty() && errors_.empty()) {
      errors_.Add(folder_.string(), 0, 0, "holds no .yaml file");
    }
    std::sort(files_.begin(), files_.end());
    return errors_.empty();
  }

  template <typename Read>
  void Visit(const fs::path& path, const Read& read) {
    if (!std::binary_search(files_.begin(), files_.end(), path)) return;
    const std::string name = (folder_ / path).string();
    const auto text = ReadFile(folder_ / path, errors_);
    if (!text) return;
    const auto node = ParseYaml(*text, name, errors_);
    if (node) read(*node, Reporter{name, &errors_});
  }

  static bool IsDocument(const fs::path& path) {
    const std::string parent = path.parent_path().string();
    return path == "op_sets.yaml" || path == "renamed_ids.yaml" || parent == "routes" ||
           !DocumentStems(parent).empty();
  }

  // Checked against its table, stored as a tree.
  void ReadDocument(const fs::path& path) {
    const std::string name = fs::path(path).replace_extension().generic_string();
    const opdb::DocumentShape* shape = ShapeOfDocument(name);
    if (shape == nullptr) {
      const std::string stem = path.stem().string(), parent = path.parent_path().string();
      errors_.Add((folder_ / path).string(), 0, 0,
                  absl::StrCat("no file of ", parent, "/ has the name ", Quoted(stem),
                               DidYouMeanOf(stem, DocumentStems(parent))));
      return;
    }
    Visit(path, [&](const Node& node, const Reporter& to) {
      const size_t before = errors_.count();
      DocumentChecker(DocumentNames(ir_), to).Check(node, *shape, path.filename().string());
      if (errors_.count() != before) return;
      if (shape == &kRenamesShape) return ReadRenames(node, to, ir_);
      CheckRelations(name, node, to);
      ir_.documents[name] = TreeOf(node);
    });
  }

  void ReadByPlace(const fs::path& path) {
    const std::string parent = path.parent_path().string();
    const std::string stem = path.stem().string();
    if (parent.empty()) {
      if (stem == "precisions") {
        Visit(path, [&](const Node& node, const Reporter& to) { ReadPrecisions(node, to, ir_); });
      } else if (stem != "sources" && stem != "targets" && stem != "waivers") {
        errors_.Add(
            (folder_ / path).string(), 0, 0,
            "only sources.yaml, targets.yaml, precisions.yaml, op_sets.yaml, renamed_ids.yaml and "
            "waivers.yaml stand here");
      }
    } else if (parent.find('/') != std::string::npos) {
      errors_.Add((folder_ / path).string(), 0, 0, "no file is expected here");
    } else {
      if (stem == "profiles") return;  // read with the first op of its backend
      Profiles& profiles = ProfilesOf(parent);
      Visit(path, [&](const Node& node, const Reporter& to) {
        ReadOp(node, parent, stem, to, profiles, ir_);
      });
    }
  }

  // What the ops of a backend share: of the databases below, then of this folder. The texts stay
  // in the database, so that an overlay can use them.
  Profiles& ProfilesOf(const std::string& backend) {
    const auto [it, added] = profiles_.try_emplace(backend);
    if (!added) return it->second;
    const auto known = ir_.backends.find(backend);
    if (known == ir_.backends.end()) return it->second;  // ReadOp says so
    const std::string document = absl::StrCat("profiles/", backend);
    Tree& texts = ir_.documents[document];
    texts.type = opdb::TreeType::kList;
    for (const Tree& text : texts.children) {
      const std::string name = absl::StrCat("profiles of ", backend);
      if (const auto node = ParseYaml(text.text, name, errors_)) {
        ReadProfiles(*node, {name, &errors_}, ir_, known->second, it->second);
      }
    }
    const fs::path path = fs::path(backend) / "profiles.yaml";
    Visit(path, [&, &profiles = it->second](const Node& node, const Reporter& to) {
      ReadProfiles(node, to, ir_, known->second, profiles);
    });
    if (auto text = std::binary_search(files_.begin(), files_.end(), path)
                        ? ReadFile(folder_ / path, errors_)
                        : std::nullopt) {
      Tree& child = texts.children.emplace_back();
      child.type = opdb::TreeType::kString;
      child.text = *std::move(text);
    }
    if (texts.children.empty()) ir_.documents.erase(document);
    return it->second;
  }

  const fs::path folder_;
  Ir& ir_;
  Errors errors_;
  std::vector<fs::path> files_;
  std::map<std::string, Profiles> profiles_;
};

}  // namespace

absl::Status LoadFolder(const std::string& folder, Ir& ir, std::vector<std::string>* warnings) {
  Loader loader(folder, ir);
  absl::Status status = loader.Run();
  if (warnings != nullptr) {
    warnings->insert(warnings->end(), loader.warnings().begin(), loader.warnings().end());
  }
  return status;
}

}  // namespace quantgate::opdefs
