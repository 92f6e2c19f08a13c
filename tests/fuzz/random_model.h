// Models of QNN ops that a fuzzer's bytes decide on: near enough to what the database takes that
// checks get past the first datatype, and far enough to break each rule.
#ifndef QUANTGATE_TESTS_FUZZ_RANDOM_MODEL_H_
#define QUANTGATE_TESTS_FUZZ_RANDOM_MODEL_H_

#include "core/database/view.h"
#include "quantgate/model.h"
#include "tests/fuzz/byte_source.h"

namespace quantgate::fuzz {

// One op several times: the first as the bytes say, the others with other numbers, so that what
// the validator remembers of a node is used on the next.
Model RandomModel(const opdb::View& db, const opdb::BackendRow& backend, ByteSource& bytes);

}  // namespace quantgate::fuzz

#endif  // QUANTGATE_TESTS_FUZZ_RANDOM_MODEL_H_
