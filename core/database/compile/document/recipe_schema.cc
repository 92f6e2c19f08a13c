// opdefs/recipes/<tool>.yaml, and opdefs/op_sets.yaml.
#include "core/database/compile/document/document_schema.h"
#include "core/database/compile/document/document_types.h"

namespace quantgate::opdefs {
namespace {

using namespace shapes;  // NOLINT(google-build-using-namespace)

constexpr DocumentShape kAxis = {.type = kInteger, .min = -8, .max = 7};
constexpr DocumentShape kAxes = {.type = kList, .item = &kAxis};
constexpr DocumentShape kBits = {.type = kInteger, .min = 1, .max = 32};
constexpr DocumentShape kPositive = {.type = kInteger, .min = 1, .max = INT32_MAX};
constexpr DocumentShape kSizes = {.type = kList, .item = &kPositive};

// A size is a number or one of these names.
constexpr DocumentShape kSize = {.type = kChoice, .choices = "1|tokens|in|out"};
constexpr DocumentShape kShape = {.type = kList, .item = &kSize};
constexpr DocumentKey kTensorKeys[] = {
    {"dtype", &kADtype, true}, {"dims", &kSizes, true}, {"ints", &kIntegers, true}};
constexpr DocumentShape kTensorParam = {
    .type = kMap, .what = "a param's tensor", .keys = kTensorKeys};
constexpr DocumentShape kParamEntry = {.type = kScalar, .as_map = &kTensorParam};
constexpr DocumentShape kFormParams = {.type = kParams, .item = &kParamEntry};
constexpr DocumentKey kFormKeys[] = {{"op", &kAnOp, true},          {"groups", &kSizes, true},
                                     {"activation", &kShape, true}, {"weight", &kShape, true},
                                     {"output", &kShape, true},     {"channel_axis", &kAxis, true},
                                     {"params", &kFormParams}};
constexpr DocumentShape kForm = {.type = kMap, .what = "a form", .keys = kFormKeys};
constexpr DocumentShape kForms = {.type = kNamed, .item = &kForm};

constexpr DocumentKey kActivationKeys[] = {{"dtype", &kADtype, true},
                                           {"zero_point", &kAnInteger, true}};
constexpr DocumentShape kActivation = {
    .type = kMap, .what = "`activation`", .keys = kActivationKeys};
constexpr DocumentKey kWeightKeys[] = {{"dtype", &kADtype, true},
                                       {"bitwidth", &kBits, true},
                                       {"factor_bits", &kBits, true},
                                       {"factor_storage_bits", &kBits, true}};
constexpr DocumentShape kWeight = {.type = kMap, .what = "`weight`", .keys = kWeightKeys};
constexpr DocumentKey kPrecisionKeys[] = {{"activation", &kActivation, true},
                                          {"weight", &kWeight, true}};
constexpr DocumentShape kPrecision = {.type = kMap, .what = "a precision", .keys = kPrecisionKeys};
constexpr DocumentShape kPrecisions = {.type = kNamed, .item = &kPrecision};
constexpr DocumentShape kMethods = {.type = kNamed, .item = &kPrecisions};

constexpr DocumentKey kLayerKeys[] = {{"form", &kAnyText, true},    {"weight", &kPortNumber, true},
                                      {"input_axis", &kAxis, true}, {"output_axis", &kAxis, true},
                                      {"unit_axes", &kAxes},        {"swapped_by", &kAnyText}};
constexpr DocumentShape kLayer = {.type = kMap, .what = "a layer", .keys = kLayerKeys};
constexpr DocumentShape kLayersOfDialect = {.type = kNamed, .item = &kLayer};
constexpr DocumentKey kLayersKeys[] = {
    {"onnx", &kLayersOfDialect}, {"aten", &kLayersOfDialect}, {"qnn", &kLayersOfDialect}};
constexpr DocumentShape kLayers = {.type = kMap, .what = "`layers`", .keys = kLayersKeys};

constexpr DocumentKey kRecipeKeys[] = {{"sections", &kTexts, true},  {"unread_sections", &kTexts},
                                       {"forms", &kForms, true},     {"tokens", &kPositive, true},
                                       {"scale", &kAnyNumber, true}, {"methods", &kMethods, true},
                                       {"layers", &kLayers, true}};

constexpr DocumentShape kAParam = {kParam};
constexpr DocumentShape kAParamValue = {kParamValue};
constexpr DocumentShape kParamValues = {.type = kList, .item = &kAParamValue};
constexpr DocumentKey kMemberKeys[] = {
    {"op", &kAnOp, true}, {"param", &kAParam, true}, {"values", &kParamValues, true}};
constexpr DocumentShape kMemberMap = {
    .type = kMap, .what = "a member of a set", .keys = kMemberKeys};
constexpr DocumentShape kMember = {.type = kOp, .as_map = &kMemberMap};
constexpr DocumentShape kMembers = {.type = kList, .item = &kMember};
// What is known of the real values that the ops of a set write (core/safety/op_values.h); a bound
// is a number or the name of a param.
constexpr DocumentShape kWrites = {.type = kChoice, .choices = "moved|averaged|cut|bounded"};
constexpr DocumentKey kSetKeys[] = {{"what", &kAnyText, true},
                                    {"values", &kWrites},
                                    {"low", &kAnyScalar, false, "values"},
                                    {"high", &kAnyScalar, false, "values"},
                                    {"ops", &kMembers, true}};
constexpr DocumentShape kSet = {.type = kMap, .what = "a set", .keys = kSetKeys};
// A set is one bit of 128 (core/rules/support/op_sets.h).
constexpr DocumentShape kSets = {.type = kNamed, .item = &kSet, .max = 128};
constexpr DocumentKey kOpSetsKeys[] = {{"sets", &kSets, true}};

}  // namespace

const opdb::DocumentShape kRecipesShape = {.type = kMap, .what = "a recipe", .keys = kRecipeKeys};
const opdb::DocumentShape kOpSetsShape = {
    .type = kMap, .what = "op_sets.yaml", .keys = kOpSetsKeys};

}  // namespace quantgate::opdefs
