/* The C interface, from C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quantgate/quantgate_c.h"

static int failures = 0;

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                             \
    }                                                                         \
  } while (0)

/* A Conv2d; %s is the zero point of its weight, which must be 0. */
static const char kModel[] =
    "{\"tensors\": ["
    "{\"name\": \"x\", \"dtype\": \"UFIXED_POINT_8\", \"dims\": [1, 8, 8, 32], \"encoding\": "
    "{\"perTensor\": {\"scale\": 0.02, \"zeroPoint\": 128}}},"
    "{\"name\": \"w\", \"dtype\": \"SFIXED_POINT_8\", \"dims\": [3, 3, 32, 16], \"isStatic\": "
    "true, "
    "\"encoding\": {\"perChannel\": {\"axis\": 3, \"scales\": [0.01], \"zeroPoints\": [%s]}}},"
    "{\"name\": \"y\", \"dtype\": \"UFIXED_POINT_8\", \"dims\": [1, 6, 6, 16], \"encoding\": "
    "{\"perTensor\": {\"scale\": 0.05, \"zeroPoint\": 3}}}],"
    "\"nodes\": [{\"name\": \"n0\", \"op\": \"Conv2d\", \"inputs\": [\"x\", \"w\"], \"outputs\": "
    "[\"y\"], \"params\": {\"stride\": {\"tensor\": {\"dtype\": \"UINT_32\", \"dims\": [2], "
    "\"ints\": [1, 1]}}, \"pad_amount\": {\"tensor\": {\"dtype\": \"UINT_32\", \"dims\": [2, 2], "
    "\"ints\": [0, 0, 0, 0]}}, \"group\": {\"uint\": 1}}}]}";

static quantgate_result Check(const quantgate_validator* validator, const char* zero_point,
                              char** text) {
  char model[2048];
  snprintf(model, sizeof model, kModel, zero_point);
  return quantgate_check(validator, model, strlen(model), QUANTGATE_MODEL_JSON, "m.json", text);
}

int main(void) {
  EXPECT(quantgate_api_version() == QUANTGATE_C_API_VERSION);
  EXPECT(strchr(quantgate_version(), '.') != NULL);

  quantgate_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.soc = "sm8550";
  char* text = NULL;
  quantgate_validator* validator = quantgate_create(&options, &text);
  EXPECT(validator != NULL && text == NULL);
  if (validator == NULL) return 1;

  EXPECT(Check(validator, "0", &text) == QUANTGATE_PASSED);
  EXPECT(text != NULL && strstr(text, "\"verdict\":\"accepted\"") != NULL);
  quantgate_free_text(text);
  EXPECT(Check(validator, "3", &text) == QUANTGATE_FAILED);
  EXPECT(text != NULL && strstr(text, "\"QG301\"") != NULL);
  EXPECT(text != NULL && strstr(text, "\"soc\":\"SM8550\"") != NULL);
  EXPECT(text != NULL && strstr(text, "\"model\":\"m.json\"") != NULL);
  quantgate_free_text(text);
  EXPECT(Check(validator, "3", NULL) == QUANTGATE_FAILED);

  EXPECT(quantgate_check(validator, "{", 1, QUANTGATE_MODEL_JSON, NULL, &text) ==
         QUANTGATE_UNUSABLE);
  EXPECT(text != NULL && text[0] != '\0');
  quantgate_free_text(text);
  EXPECT(quantgate_check(validator, NULL, 5, QUANTGATE_ONNX, NULL, &text) == QUANTGATE_UNUSABLE);
  quantgate_free_text(text);
  EXPECT(quantgate_check(validator, "", 0, (quantgate_format)77, NULL, &text) ==
         QUANTGATE_UNUSABLE);
  quantgate_free_text(text);
  EXPECT(quantgate_check(NULL, "{}", 2, QUANTGATE_MODEL_JSON, NULL, NULL) == QUANTGATE_UNUSABLE);
  quantgate_destroy(validator);

  /* A caller of an earlier header, whose struct ended after `soc`. */
  options.size = offsetof(quantgate_options, arch);
  options.arch = "no such arch";
  validator = quantgate_create(&options, NULL);
  EXPECT(validator != NULL);
  quantgate_destroy(validator);

  options.size = sizeof options;
  EXPECT(quantgate_create(&options, &text) == NULL);
  EXPECT(text != NULL && strstr(text, "no such arch") != NULL);
  quantgate_free_text(text);
  options.arch = NULL;
  options.mode = "strickt";
  EXPECT(quantgate_create(&options, &text) == NULL);
  EXPECT(text != NULL && strstr(text, "strickt") != NULL);
  quantgate_free_text(text);
  options.mode = "warn";
  validator = quantgate_create(&options, NULL);
  EXPECT(Check(validator, "3", NULL) == QUANTGATE_PASSED);
  quantgate_destroy(validator);

  validator = quantgate_create(NULL, NULL);
  EXPECT(validator != NULL);
  quantgate_destroy(validator);
  quantgate_destroy(NULL);
  quantgate_free_text(NULL);
  return failures == 0 ? 0 : 1;
}
