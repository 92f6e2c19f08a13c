// A compiled database with bytes changed here and there: it is refused, or everything can be read
// through it and a model be checked with it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/database/compile/compile.h"
#include "quantgate/diff.h"
#include "quantgate/matrix.h"
#include "quantgate/quantgate.h"
#include "tests/fuzz/byte_source.h"
#include "tests/fuzz/random_model.h"
#include "tests/fuzz/round_trip.h"

namespace {

const std::string& Image() {
  static const std::string& image = *new std::string(*quantgate::opdefs::CompileOpdefs(
      std::vector<std::string>{QUANTGATE_SOURCE_DIR "/tests/fixtures/opdefs/toy"}));
  return image;
}

void Use(const quantgate::Database& database, quantgate::fuzz::ByteSource& bytes) {
  for (const std::string& backend : database.Backends()) {
    const auto target = quantgate::Target::Parse({.backend = backend}, database);
    if (!target.ok()) continue;
    for (const std::string& op : database.Ops(*target)) (void)database.Query(op, *target);
    const auto& db = database.view();
    const auto& row = db.backends()[static_cast<size_t>(target->backend_index())];
    if (db.get(row.ops).empty()) continue;
    const quantgate::Model model = quantgate::fuzz::RandomModel(db, row, bytes);
    const quantgate::Validator validator(*target, {}, database);
    (void)quantgate::ReportJson(validator.Check(model));
  }
  (void)quantgate::MakeMatrix(database, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  quantgate::fuzz::ByteSource bytes(data, size);
  std::string image = Image();
  for (int64_t changes = bytes.Int(0, 8); changes > 0; --changes) {
    image[bytes.Index(image.size())] = static_cast<char>(bytes.Int(0, 255));
  }
  if (bytes.OneIn(16)) image.resize(bytes.Index(image.size()));
  const auto database = quantgate::Database::FromImage(std::move(image));
  if (!database.ok()) {
    quantgate::fuzz::Require(!database.status().message().empty(), "an error without words", "");
    return 0;
  }
  Use(*database, bytes);
  return 0;
}
