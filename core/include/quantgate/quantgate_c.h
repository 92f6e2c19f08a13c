/* The C interface: a model as bytes in, a report as JSON out. For languages and programs that
 * can't call C++, execution providers among them.
 *
 * It is stable: functions never change their meaning, structs only grow at their end and carry
 * their size. Texts are UTF-8 and end with a zero byte. Nothing is thrown across it, and nothing
 * is printed. */
#ifndef QUANTGATE_QUANTGATE_C_H_
#define QUANTGATE_QUANTGATE_C_H_

#include <stddef.h>

#if defined(__GNUC__)
#define QUANTGATE_C_API __attribute__((visibility("default")))
#else
#define QUANTGATE_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define QUANTGATE_C_API_VERSION 1

/* The version of the interface that the library has, and of quantgate itself ("0.1.0"). */
QUANTGATE_C_API int quantgate_api_version(void);
QUANTGATE_C_API const char* quantgate_version(void);

/* What is checked for; as the flags of `quantgate check`. NULL and "" = the default. */
typedef struct quantgate_options {
  size_t size;         /* sizeof(quantgate_options), so that fields can be added */
  const char* backend; /* "htp" */
  const char* sdk;     /* "2.51"; newest known */
  const char* soc;     /* "SM8550" */
  const char* arch;    /* "v73" */
  const char* mode;    /* "strict" or "warn" */
  const char* fail_on; /* "wrong_values" */
  const char* route;   /* as --route of the command line; by kind of model */
} quantgate_options;

typedef enum quantgate_format {
  QUANTGATE_MODEL_JSON = 0,  /* Model JSON */
  QUANTGATE_MODEL_BINPB = 1, /* quantgate.v1.Model */
  QUANTGATE_ONNX = 2         /* an ONNX file; external data is not looked for */
} quantgate_format;

/* Exit statuses of `quantgate check`. */
typedef enum quantgate_result {
  QUANTGATE_PASSED = 0,
  QUANTGATE_FAILED = 1,  /* findings that fail the mode */
  QUANTGATE_UNUSABLE = 2 /* the arguments or the model can't be used */
} quantgate_result;

/* Immutable; one may be used by any number of threads at once. */
typedef struct quantgate_validator quantgate_validator;

/* NULL on failure; then `*error`, where `error` is not NULL, is a sentence to be freed by
 * quantgate_free_text(). `options` may be NULL. */
QUANTGATE_C_API quantgate_validator* quantgate_create(const quantgate_options* options,
                                                      char** error);
QUANTGATE_C_API void quantgate_destroy(quantgate_validator* validator);

/* Checks the model in `bytes`. `*text` (`text` may be NULL) becomes the report, the JSON of
 * docs/schemas/report.schema.json, or the reason why the model is unusable; free it by
 * quantgate_free_text(). `name` stands for the file in the report; may be NULL. */
QUANTGATE_C_API quantgate_result quantgate_check(const quantgate_validator* validator,
                                                 const void* bytes, size_t size,
                                                 quantgate_format format, const char* name,
                                                 char** text);

/* NULL is fine. */
QUANTGATE_C_API void quantgate_free_text(char* text);

#ifdef __cplusplus
}
#endif

#endif /* QUANTGATE_QUANTGATE_C_H_ */
