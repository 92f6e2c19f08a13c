// opdefc: compiles the YAML of the constraint database.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/base/nearest.h"
#include "core/database/compile/compile.h"
#include "core/database/view.h"
#include "quantgate/database.h"
#include "tools/opdefc/document_schemas.h"
#include "tools/opdefc/dump.h"
#include "tools/opdefc/format.h"
#include "tools/opdefc/json_schema.h"
#include "tools/opdefc/propose.h"

namespace {

constexpr std::string_view kHelp = R"(opdefc - compiles the constraint database

usage: opdefc compile DIR... -o FILE [--format image|json|binpb]
       opdefc check DIR... [--over DIR...]
       opdefc fmt [--check] FILE|DIR...
       opdefc schema [NAME | -o DIR]
       opdefc propose FILE [-o DIFF] [--opdefs DIR]

compile  reads the YAML files of DIR (opdefs/README.md says what they hold) and writes
           image  the flat table that the library embeds (default)
           json   the same as JSON, for other tools
           binpb  the same as protobuf: quantgate.opdefs.v1.Database
check    reads them, warns of what has no effect, and prints how much there is;
         --over: as overlays of these folders
fmt      lays out the YAML in lines of at most 120 columns, comments kept; mappings, routes,
         rules and recipes keep their lines, too long ones are broken;
         --check: changes nothing and names the files that would change
schema   prints the JSON Schema of a kind of file (op, profiles, sources, targets, precisions,
         waivers) or of a document (op_sets, resolve/onnx, routes/onnxruntime, recipes/mllm,
         rules/mask-range, …) for editors; -o: writes those of the kinds, NAME.schema.json
propose  prints edits of DIR (default: opdefs) as a diff for `git apply`, laid out as fmt does.
         FILE: a record of `quantgate verify --record`, of which edits are made, the diff then
         begins with what no edit can say; or a JSON list of edits. Each edit has `why`, backend, op and one of
           add_row: {section, id or group, row, arch, verdict, untested, sources}
           add_constraint: {section, port, name, body}    without name: its kind
           remove: "in[0]/rank" or "#INT8.1"
           since: {id, sdk}, until: {id, sdk}             begins, ends what it names
         or a new `source: {...}`, or backend and a new `sdk`. An edit that does not compile is
         an error

Several DIRs lie one over the other: what a later one names replaces the same of the earlier.

exit status: 0 fine, 1 fmt --check would change files,
             2 unusable input or arguments (one line FILE:LINE:COLUMN: reason each)

examples:
  opdefc check opdefs
  opdefc compile opdefs -o opdefs.image
  opdefc compile opdefs my_opdefs -o opdefs.json --format json
  opdefc check my_opdefs --over opdefs
  opdefc fmt --check opdefs
  opdefc propose build/agree/2.51-v73.proposals.json -o accept.diff
  opdefc propose record.json -o accept.diff
)";

int Fail(std::string_view text) {
  std::cerr << "error: " << text << "\n";
  return 2;
}

// Each line of a message about input.
int FailLines(std::string_view text) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::cerr << "error: " << text.substr(0, end) << "\n";
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return 2;
}

// Nothing half-written: the file appears when it is complete.
bool WriteFile(const std::string& path, std::string_view bytes) {
  const std::string part = path + ".part";
  {
    std::ofstream file(part, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.flush();
    if (!file) {
      std::error_code ignored;
      std::filesystem::remove(part, ignored);
      return false;
    }
  }
  std::error_code error;
  std::filesystem::rename(part, path, error);
  if (error) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
  }
  return !error;
}

void PrintCounts(const quantgate::opdb::View& view, size_t bytes) {
  for (const auto& backend : view.backends()) {
    size_t variants = 0, constraints = 0, empty = 0;
    for (const auto& op : view.get(backend.ops)) {
      variants += op.variants.count;
      constraints += op.constraints.count;
      empty += op.variants.count == 0 ? 1 : 0;
    }
    std::cout << view.str(backend.name) << ": " << backend.ops.count << " ops (" << empty
              << " without variants), " << variants << " variants, " << constraints
              << " constraints\n";
  }
  std::cout << view.socs().size() << " socs, " << view.sources().size() << " sources, "
            << view.documents().size() << " documents; image of " << bytes << " bytes\n";
}

struct Options {
  std::vector<std::string> folders, under;
  std::string out, format = "image";
};

// All YAML files below a folder.
void AddFiles(const std::filesystem::path& path, std::vector<std::string>& files,
              std::error_code& error) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(path, error)) {
    files.push_back(path.string());
    return;
  }
  std::vector<std::string> found;
  for (fs::recursive_directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".yaml") found.push_back(it->path().string());
  }
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
}

int Format(const std::vector<std::string>& args) {
  bool check = false;
  std::vector<std::string> files;
  for (const std::string& arg : args) {
    if (arg == "--check") {
      check = true;
      continue;
    }
    if (arg.starts_with("-")) return Fail("unknown flag \"" + arg + "\" of fmt");
    std::error_code error;
    AddFiles(arg, files, error);
    if (error && error != std::errc::not_a_directory) return Fail(arg + ": " + error.message());
  }
  if (files.empty()) return Fail("no file given");
  bool failed = false, changed = false;
  for (const std::string& path : files) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return Fail(path + ": is no file");
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    if (file.bad()) return Fail(path + ": can't be read");
    const auto formatted = quantgate::opdefs::Formatted(text, path);
    if (!formatted.ok()) {
      FailLines(std::string(formatted.status().message()));
      failed = true;
    } else if (*formatted != text) {
      std::cout << path << "\n";
      changed = true;
      if (!check && !WriteFile(path, *formatted)) return Fail(path + ": can't be written");
    }
  }
  return failed ? 2 : check && changed ? 1 : 0;
}

int Schema(const std::vector<std::string>& args) {
  const auto schemas = quantgate::opdefs::JsonSchemas();
  if (args.size() == 2 && args[0] == "-o") {
    for (const auto& schema : schemas) {
      const std::string path = args[1] + "/" + std::string(schema.name) + ".schema.json";
      if (!WriteFile(path, schema.text())) return Fail(path + ": can't be written");
    }
    return 0;
  }
  if (args.size() > 1 || (!args.empty() && args[0].starts_with("-"))) {
    return Fail("schema takes a name, or -o DIR");
  }
  const std::string name = args.empty() ? "op" : args[0];
  std::string names;
  for (const auto& schema : schemas) {
    if (schema.name == name) {
      std::cout << schema.text() << std::flush;
      return std::cout ? 0 : Fail("can't write to standard output");
    }
    names += (names.empty() ? "" : ", ") + std::string(schema.name);
  }
  if (const auto document = quantgate::opdefs::DocumentJsonSchema(name)) {
    std::cout << *document << std::flush;
    return std::cout ? 0 : Fail("can't write to standard output");
  }
  const std::string hint =
      quantgate::DidYouMeanOf(name, quantgate::opdefs::DocumentNamesOfSchemas());
  if (!hint.empty()) return Fail("unknown schema \"" + name + "\"" + hint);
  return Fail("unknown schema \"" + name + "\": " + names + ", or a document's name");
}

int Propose(const std::vector<std::string>& args) {
  std::string file, out, folder = "opdefs";
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "-o" || args[i] == "--opdefs") {
      if (i + 1 == args.size()) return Fail(args[i] + " needs a value");
      std::string& value = args[i] == "-o" ? out : folder;
      value = args[++i];
    } else if (args[i].starts_with("-") || !file.empty()) {
      return Fail("propose takes FILE, -o DIFF and --opdefs DIR, not \"" + args[i] + "\"");
    } else {
      file = args[i];
    }
  }
  if (file.empty()) return Fail("propose needs a file of edits, or a record");
  const auto diff = quantgate::opdefs::Propose(file, folder);
  if (!diff.ok()) return FailLines(std::string(diff.status().message()));
  if (out.empty()) {
    std::cout << *diff << std::flush;
    return std::cout ? 0 : Fail("can't write to standard output");
  }
  return WriteFile(out, *diff) ? 0 : Fail(out + ": can't be written");
}

// `args`: with the command.
int CompileOrCheck(const std::string& command, const std::vector<std::string>& args) {
  Options options;
  bool over = false;
  for (size_t i = 1; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (command == "compile" && (arg == "-o" || arg == "--format")) {
      if (i + 1 == args.size()) return Fail(arg + " needs a value");
      (arg == "-o" ? options.out : options.format) = args[++i];
    } else if (command == "check" && arg == "--over") {
      over = true;
    } else if (arg.size() > 1 && arg[0] == '-') {
      return Fail("unknown flag \"" + arg + "\" of " + command + "; see opdefc --help");
    } else {
      (over ? options.under : options.folders).push_back(arg);
    }
  }
  if (options.folders.empty()) return Fail("no folder given");
  const bool compile = command == "compile";
  if (compile && options.out.empty()) return Fail("compile needs -o FILE");
  const std::string& format = options.format;
  if (format != "image" && format != "json" && format != "binpb") {
    return Fail("unknown format \"" + format + "\": image, json or binpb");
  }

  if (over && options.under.empty()) return Fail("--over needs a folder");
  options.folders.insert(options.folders.begin(), options.under.begin(), options.under.end());
  std::vector<std::string> warnings;
  auto image = quantgate::opdefs::CompileOpdefs(options.folders, &warnings);
  for (const std::string& warning : warnings) std::cerr << "warning: " << warning << "\n";
  if (!image.ok()) return FailLines(std::string(image.status().message()));
  const size_t bytes = image->size();
  std::string text = compile && format == "image" ? *image : std::string();
  const auto database = quantgate::Database::FromImage(*std::move(image));
  if (!database.ok()) return FailLines(std::string(database.status().message()));
  if (!compile) {
    PrintCounts(database->view(), bytes);
    std::cout.flush();
    return std::cout ? 0 : Fail("can't write to standard output");
  }
  if (format != "image") {
    auto dumped = format == "json" ? quantgate::opdefs::DumpJson(database->view())
                                   : quantgate::opdefs::DumpBinary(database->view());
    if (!dumped.ok()) return FailLines(std::string(dumped.status().message()));
    text = *std::move(dumped);
  }
  if (!WriteFile(options.out, text)) return Fail(options.out + ": can't be written");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.empty()) return Fail("no command; see opdefc --help");
  for (const std::string& arg : args) {
    if (arg == "--help" || arg == "-h") {
      std::cout << kHelp;
      return 0;
    }
  }
  const std::string& command = args[0];
  const std::vector<std::string> rest(args.begin() + 1, args.end());
  if (command == "fmt") return Format(rest);
  if (command == "schema") return Schema(rest);
  if (command == "propose") return Propose(rest);
  if (command != "compile" && command != "check") {
    return Fail("unknown command \"" + command + "\": compile, check, fmt, schema or propose");
  }
  return CompileOrCheck(command, args);
}
