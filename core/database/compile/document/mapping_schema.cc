// opdefs/resolve/<dialect>.yaml: what the operators of a file become.
#include "core/database/compile/document/document_schema.h"
#include "core/database/compile/document/document_types.h"

namespace quantgate::opdefs {
namespace {

using namespace shapes;  // NOLINT(google-build-using-namespace)

constexpr DocumentShape kAnExpression = {kExpression};
constexpr DocumentShape kExpressions = {.type = kNamed, .item = &kAnExpression};
constexpr DocumentShape kTrueOnly = {.type = kChoice, .choices = "true"};
constexpr DocumentShape kLayout = {
    .type = kChoice, .choices = "channels_last", .as_list = &kAnExpression};
constexpr DocumentShape kDimension = {.type = kInteger, .min = 0, .max = 8};

constexpr DocumentKey kPortKeys[] = {
    {"from", &kPortNumber},     {"all_from", &kPortNumber},   {"temp", &kAnyText},
    {"const", &kAnExpression},  {"fused_addend", &kTrueOnly}, {"layout", &kLayout},
    {"unsqueeze", &kDimension}, {"dims", &kAnExpression},     {"like", &kAPort},
    {"dtype", &kADtype},        {"requantize", &kADtype},     {"wrap", &kAnExpression},
    {"requantize_from", &kADtype, false, "requantize"},       {"times", &kAnExpression, false, "temp"}};
constexpr DocumentShape kPortMap = {.type = kMap,
                                    .what = "a port",
                                    .keys = kPortKeys,
                                    .one_of = "from|all_from|temp|const|fused_addend"};
constexpr DocumentShape kPortEntry = {.type = kInteger, .min = 0, .max = 255, .as_map = &kPortMap};
constexpr DocumentShape kPortList = {.type = kList, .item = &kPortEntry};
constexpr DocumentShape kOpParams = {.type = kParams, .item = &kAnExpression};

constexpr DocumentKey kStepKeys[] = {
    {"to", &kAnOp, true}, {"inputs", &kPortList}, {"outputs", &kPortList}, {"params", &kOpParams}};
constexpr DocumentShape kStep = {.type = kMap, .what = "a step", .keys = kStepKeys};
constexpr DocumentShape kSteps = {.type = kList, .item = &kStep};

constexpr DocumentKey kCaseKeys[] = {{"when", &kAnExpression},
                                     {"to", &kAnOp},
                                     {"inputs", &kPortList, false, "to"},
                                     {"outputs", &kPortList, false, "to"},
                                     {"params", &kOpParams, false, "to"},
                                     {"steps", &kSteps},
                                     {"refused", &kAnyText},
                                     {"unchecked", &kAnyText}};
constexpr DocumentShape kCase = {
    .type = kMap, .what = "a case", .keys = kCaseKeys, .one_of = "to|steps|refused|unchecked"};
constexpr DocumentShape kCases = {.type = kList, .item = &kCase};

constexpr DocumentShape kRole = {.type = kChoice,
                                 .choices = "quantize|dequantize|constant|identity"};
constexpr DocumentShape kUnit = {
    .type = kChoice, .choices = "float|same_input_dtypes|float_output|value_movement|stored_bias|single_input"};
constexpr DocumentKey kAxesKeys[] = {{"channel", &kAnExpression, true},
                                     {"block", &kAnExpression, true}};
constexpr DocumentShape kWeightAxes = {.type = kMap, .what = "`weight_axes`", .keys = kAxesKeys};
constexpr DocumentKey kClampKeys[] = {{"min", &kAnExpression}, {"max", &kAnExpression}};
constexpr DocumentShape kClamp = {.type = kMap, .what = "`clamp`", .keys = kClampKeys};

constexpr DocumentKey kMappedOperatorKeys[] = {{"role", &kRole},
                                         {"convert_op", &kAnOp, false, "role"},
                                         {"unit", &kUnit},
                                         {"bias", &kPortNumber},
                                         {"weight", &kPortNumber},
                                         {"weight_axes", &kWeightAxes, false, "weight"},
                                         {"fused_add", &kAnyText},
                                         {"clamp", &kClamp},
                                         {"quantized_scalars", &kTrueOnly},
                                         {"constant_value", &kAnExpression},
                                         {"identity_when", &kAnExpression},
                                         {"unknown_inside", &kAnyText},
                                         {"attribute_defaults", &kExpressions},
                                         {"to", &kAnOp},
                                         {"inputs", &kPortList, false, "to"},
                                         {"outputs", &kPortList, false, "to"},
                                         {"params", &kOpParams, false, "to"},
                                         {"steps", &kSteps},
                                         {"cases", &kCases},
                                         {"refused", &kAnyText},
                                         {"unchecked", &kAnyText}};
constexpr DocumentShape kOperatorMap = {.type = kMap,
                                        .what = "an operator",
                                        .keys = kMappedOperatorKeys,
                                        .one_of = "to|steps|cases|refused|unchecked",
                                        .unless = "role"};
constexpr DocumentShape kOperator = {.type = kOp, .as_map = &kOperatorMap};
constexpr DocumentShape kOperators = {.type = kNamed, .item = &kOperator};

constexpr DocumentKey kBoundaryKeys[] = {{"quantize", &kAnOp, true}, {"dequantize", &kAnOp, true}};
constexpr DocumentShape kBoundary = {.type = kMap, .what = "`boundary_ops`", .keys = kBoundaryKeys};

constexpr DocumentKey kIdentityKeys[] = {{"convert", &kAnyText, true}, {"quantize", &kAnyText, true}};
constexpr DocumentShape kIdentities = {
    .type = kMap, .what = "`identity_conversions`", .keys = kIdentityKeys};

constexpr DocumentShape kDialect = {kText};
constexpr DocumentKey kMappingsKeys[] = {{"dialect", &kDialect},
                                 {"boundary_ops", &kBoundary},
                                 {"identity_conversions", &kIdentities},
                                 {"ops", &kOperators, true}};

}  // namespace

const opdb::DocumentShape kMappingsShape = {.type = kMap, .what = "a mapping file", .keys = kMappingsKeys};

}  // namespace quantgate::opdefs
