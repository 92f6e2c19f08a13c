// Whether an edit of an encoding keeps what the model computes.
//
// A quantized tensor is x cut at the ends of its encoding and rounded to its steps. What is cut may
// be meant: exporters remove a Relu or Clip where the range of the Q after it does its work. So
// the ends may move only where nothing reaches them: the same values x, all that can reach the
// tensor, are cut alike by both encodings, to within a step. Where no bound of x is known, x is any
// number.
#ifndef QUANTGATE_CORE_SAFETY_SAFE_EDIT_H_
#define QUANTGATE_CORE_SAFETY_SAFE_EDIT_H_

#include <cstdint>
#include <string>

#include "core/safety/coding.h"
#include "core/safety/value_range.h"
#include "quantgate/model.h"

namespace quantgate::fix {

// Why not; false = it keeps them, but for roundings of half a step.
struct Objection {
  enum class Reason : uint8_t {
    kNone,
    kOtherChannels,
    kOtherWidth,
    kNoRange,
    kUndoesCut,     // the present encoding cuts at `now`, what reaches it goes to `wanted`
    kCuts,          // the wanted encoding cuts at `now`, what reaches it goes to `wanted`
    kCoarserSteps,  // `wanted` instead of `now`
    kLeavesRange,   // stored values lie beyond `range`
    kRounds,
  };
  Reason reason = Reason::kNone;
  double now = 0, wanted = 0;
  ValueRange range = {};

  explicit operator bool() const { return reason != Reason::kNone; }
  std::string Text() const;  // "its steps would be coarser: 0.02 instead of 0.01"; "" for none
};

// Another encoding of a tensor that these values reach.
Objection ObjectionTo(const ValueRange& reaching, const Coding& from, const Coding& to);
// An encoding where there was none. `behind`: the one that the values were given next; null = they
// were used in float.
Objection ObjectionToInserted(const ValueRange& reaching, const Coding* behind,
                              const Coding& inserted);
// Another encoding of stored integers, which are written anew; checked by the range of them.
Objection ObjectionToConstant(const Tensor& tensor, const ValueRange& held, const Coding& from,
                              const Coding& to);

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_SAFETY_SAFE_EDIT_H_
