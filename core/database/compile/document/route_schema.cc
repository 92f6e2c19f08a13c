// opdefs/routes/<route>.yaml: what a tool on the way changes.
#include "core/database/compile/document/document_schema.h"
#include "core/database/compile/document/document_types.h"

namespace quantgate::opdefs {
namespace {

using namespace shapes;  // NOLINT(google-build-using-namespace)

constexpr DocumentShape kUses = {.type = kInteger, .min = 1, .max = 255};

constexpr DocumentKey kFailureKeys[] = {
    {"reason", &kAnyText, true}, {"ops", &kOps, true}, {"unless_refused_by", &kRules}};
constexpr DocumentShape kFailure = {
    .type = kMap, .what = "`session_failure`", .keys = kFailureKeys};

constexpr DocumentShape kWhen = {kExpression};
constexpr DocumentKey kChainKeys[] = {
    {"dequantize_op", &kAnOp, true}, {"quantize_op", &kAnOp, true}, {"float_ops", &kOps, true},
    {"archs", &kArchs, true},        {"ops", &kOps, true},          {"reason", &kAnyText, true},
    {"dtypes", &kDtypes},            {"last_float_op", &kAnOp},
    {"with_float_op", &kAnOp},       {"when", &kWhen}};
constexpr DocumentShape kChain = {
    .type = kMap, .what = "a row of `unprepared_chains`", .keys = kChainKeys};
constexpr DocumentShape kChains = {.type = kList, .item = &kChain};

constexpr DocumentKey kRequantizationKeys[] = {
    {"ops", &kOps, true},           {"archs", &kArchs, true},      {"convert_op", &kAnOp, true},
    {"dequantize_op", &kAnOp, true}, {"float_ops", &kOps, true}, {"quantize_op", &kAnOp, true},
    {"reason", &kAnyText, true}};
constexpr DocumentShape kRequantization = {
    .type = kMap, .what = "a row of `unprepared_requantizations`", .keys = kRequantizationKeys};
constexpr DocumentShape kRequantizations = {.type = kList, .item = &kRequantization};

constexpr DocumentShape kSequenceBreach = {.type = kChoice, .choices = "prepare_fails|wrong_values|advice"};
constexpr DocumentShape kOpsInOrder = {.type = kList, .item = &kOps};
constexpr DocumentKey kSequenceKeys[] = {{"ops", &kOpsInOrder, true},
                                         {"written_as", &kTexts},
                                         {"ports", &kIntegers},
                                         {"through", &kOps},
                                         {"behind", &kOps},
                                         {"not_behind", &kOps},
                                         {"behind_dtypes", &kDtypes, false, "behind"},
                                         {"after", &kOpsInOrder},
                                         {"after_when", &kWhen, false, "after"},
                                         {"not_after", &kOpsInOrder},
                                         {"when", &kWhen},
                                         {"first_when", &kWhen},
                                         {"source_when", &kWhen},
                                         {"through_when", &kWhen, false, "through"},
                                         {"breach", &kSequenceBreach, true},
                                         {"archs", &kArchs},
                                         {"from_dtypes", &kDtypes},
                                         {"to_dtypes", &kDtypes},
                                         {"reason", &kAnyText, true},
                                         {"fix", &kAnyText, true}};
constexpr DocumentShape kSequence = {
    .type = kMap, .what = "a row of `sequences`", .keys = kSequenceKeys};
constexpr DocumentShape kSequences = {.type = kList, .item = &kSequence};

constexpr DocumentKey kMovedKeys[] = {
    {"transpose", &kAnyText, true}, {"layout_operators", &kTexts, true}, {"through", &kTexts, true},
    {"toward", &kTexts, true},      {"reshape", &kAnyText, true},        {"reason", &kAnyText, true},
    {"fix", &kAnyText, true}};
constexpr DocumentShape kMoved = {.type = kMap, .what = "`moved_transposes`", .keys = kMovedKeys};

constexpr DocumentShape kRank = {.type = kInteger, .min = 1, .max = 64};
constexpr DocumentKey kFusedKeys[] = {
    {"reshape_op", &kAnOp, true},     {"source_operator", &kAnyText, true},
    {"transpose_op", &kAnOp, true},   {"permutation", &kAnyText, true},
    {"rank", &kRank, true},           {"reason", &kAnyText, true}};
constexpr DocumentShape kFused = {
    .type = kMap, .what = "`fused_transposes`", .keys = kFusedKeys};

constexpr DocumentShape kDifference = {.type = kChoice, .choices = "scale|any|none"};
constexpr DocumentShape kPermutation = {.type = kChoice, .choices = "channels"};
constexpr DocumentShape kOutcome = {
    .type = kChoice,
    .choices = "float|convert_before|convert_after|input_encoding_written|input_encoding_read"};
constexpr DocumentKey kCopyKeys[] = {{"ops", &kOps, true},
                                     {"encoding_difference", &kDifference, true},
                                     {"permutation", &kPermutation},
                                     {"min_uses", &kUses},
                                     {"outcome", &kOutcome, true},
                                     {"convert_op", &kAnOp},
                                     {"dequantize_op", &kAnOp, false, "quantize_op"},
                                     {"quantize_op", &kAnOp, false, "dequantize_op"}};
constexpr DocumentShape kCopy = {
    .type = kMap, .what = "a row of `value_copies`", .keys = kCopyKeys};
constexpr DocumentShape kCopies = {.type = kList, .item = &kCopy};

constexpr DocumentShape kParamNumbers = {.type = kParams, .item = &kAnInteger};
constexpr DocumentKey kFixedKeys[] = {{"op", &kAnOp, true},
                                      {"params", &kParamNumbers},
                                      {"dtype", &kADtype, true},
                                      {"scale", &kAnyNumber, true},
                                      {"zero_point", &kAnInteger, true},
                                      {"written_zero_point", &kAnInteger, false, "convert_op"},
                                      {"convert_op", &kAnOp, false, "written_zero_point"}};
constexpr DocumentShape kFixed = {
    .type = kMap, .what = "a row of `fixed_output_encodings`", .keys = kFixedKeys};
constexpr DocumentShape kFixedRows = {.type = kList, .item = &kFixed};

constexpr DocumentKey kBiasKeys[] = {{"input", &kPortNumber, true}, {"ops", &kOps, true}};
constexpr DocumentShape kBias = {.type = kMap, .what = "`requantized_bias`", .keys = kBiasKeys};

constexpr DocumentKey kConstantKeys[] = {{"op", &kAnOp, true},
                                         {"input", &kPortNumber, true},
                                         {"reason", &kAnyText, true},
                                         {"becomes", &kAnyText, true}};
constexpr DocumentShape kConstantRow = {
    .type = kMap, .what = "a row of `requantized_constants`", .keys = kConstantKeys};
constexpr DocumentShape kConstants = {.type = kList, .item = &kConstantRow};

constexpr DocumentShape kOperand = {.type = kChoice, .choices = "computed|static"};
constexpr DocumentKey kOperandKeys[] = {
    {"op", &kAnOp, true},         {"source_operator", &kAnyText}, {"input", &kPortNumber, true},
    {"operand", &kOperand, true}, {"dtypes", &kDtypes, true},     {"to_dtype", &kADtype, true},
    {"symmetric", &kAnyFlag},     {"convert_op", &kAnOp, true},   {"source_rank", &kRank}};
constexpr DocumentShape kOperandRow = {
    .type = kMap, .what = "a row of `converted_operands`", .keys = kOperandKeys};
constexpr DocumentShape kOperands = {.type = kList, .item = &kOperandRow};

constexpr DocumentShape kEncodingKind = {.type = kChoice,
                                         .choices = "per-tensor|per-channel|block|LPBQ"};
constexpr DocumentKey kRefusedKeys[] = {{"op", &kAnOp, true},       {"source_operator", &kAnyText},
                                        {"input", &kPortNumber},    {"encoding", &kEncodingKind},
                                        {"dtypes", &kDtypes},       {"session_fails", &kAnyFlag},
                                        {"reason", &kAnyText, true}};
constexpr DocumentShape kRefusedRow = {
    .type = kMap, .what = "a row of `refused`", .keys = kRefusedKeys};
constexpr DocumentShape kRefused = {.type = kList, .item = &kRefusedRow};

constexpr DocumentShape kOperatorOutcome = {
    .type = kChoice,
    .choices = "cpu|float|fused|unreadable|advice|slower|undocumented|unchecked|wrong_values|prepare_fails|lowering_fails"};
constexpr DocumentKey kRoutedOperatorKeys[] = {{"operators", &kTexts, true},   {"when", &kWhen},
                                         {"outcome", &kOperatorOutcome}, {"archs", &kArchs},
                                         {"backends", &kBackends},       {"since", &kAnSdk},
                                         {"until", &kAnSdk},
                                         {"from", &kAnyText},           {"before", &kAnyText},
                                         {"reason", &kAnyText, true}};
constexpr DocumentShape kOperatorRow = {
    .type = kMap, .what = "a row of `operators`", .keys = kRoutedOperatorKeys};
constexpr DocumentShape kOperatorRows = {.type = kList, .item = &kOperatorRow};

constexpr DocumentKey kReleaseKeys[] = {{"name", &kAnyText, true}, {"sdk", &kAnSdk, true}};
constexpr DocumentShape kRelease = {
    .type = kMap, .what = "a row of `releases`", .keys = kReleaseKeys};
constexpr DocumentShape kReleases = {.type = kList, .item = &kRelease};

constexpr DocumentShape kShapeBreach = {.type = kChoice, .choices = "rejected|altered|advice"};
constexpr DocumentKey kShapeKeys[] = {
    {"breach", &kShapeBreach, true}, {"reason", &kAnyText, true}, {"fix", &kAnyText, true}};
constexpr DocumentShape kDynamicShapes = {
    .type = kMap, .what = "`dynamic_shapes`", .keys = kShapeKeys};

constexpr DocumentShape kCut = {.type = kChoice, .choices = "levels"};
constexpr DocumentKey kPartitionKeys[] = {{"cut", &kCut, true},
                                          {"constants_alone", &kAnyText, true},
                                          {"dequantized_constants", &kAnyText}};
constexpr DocumentShape kPartitions = {
    .type = kMap, .what = "`partitions`", .keys = kPartitionKeys};

constexpr DocumentKey kRouteKeys[] = {{"route", &kAnyText, true},
                                 {"source", &kAnyText, true},
                                 {"client", &kAnyText, false, "releases"},
                                 {"releases", &kReleases, false, "client"},
                                 {"dialects", &kTexts},
                                 {"dialects_with_encodings", &kTexts},
                                 {"quantizes_units", &kAnyFlag},
                                 {"cpu_fallback", &kAnyFlag},
                                 {"float_dtype", &kADtype},
                                 {"never_alone", &kOps},
                                 {"fixed_dims_only", &kAnyFlag},
                                 {"keeps_constant_ops", &kAnyFlag},
                                 {"ops_as_annotated", &kAnyFlag},
                                 {"units_of_any_dtypes", &kAnyFlag},
                                 {"drops_unread_nodes", &kAnyFlag},
                                 {"session_failure", &kFailure},
                                 {"partitions", &kPartitions},
                                 {"unprepared_chains", &kChains},
                                 {"unprepared_requantizations", &kRequantizations},
                                 {"sequences", &kSequences},
                                 {"moved_transposes", &kMoved},
                                 {"fused_transposes", &kFused},
                                 {"value_copies", &kCopies},
                                 {"fixed_output_encodings", &kFixedRows},
                                 {"requantized_bias", &kBias},
                                 {"requantized_constants", &kConstants},
                                 {"converted_operands", &kOperands},
                                 {"refused", &kRefused},
                                 {"operators", &kOperatorRows},
                                 {"dynamic_shapes", &kDynamicShapes},
                                 {"shared_output_encodings", &kOps}};

}  // namespace

const opdb::DocumentShape kRouteShape = {.type = kMap, .what = "a route", .keys = kRouteKeys};

}  // namespace quantgate::opdefs
