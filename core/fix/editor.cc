#include "core/fix/editor.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/fix/requantize.h"
#include "core/safety/safe_fixes.h"

namespace quantgate::fix {

Editor::Editor(Model model, const opdb::View& database)
    : model_(std::move(model)), origin_(model_.nodes.size()), database_(&database) {
  std::iota(origin_.begin(), origin_.end(), 0);
}

TensorId Editor::Find(std::string_view tensor) const {
  const auto at = std::find_if(model_.tensors.begin(), model_.tensors.end(),
                               [&](const Tensor& t) { return t.name == tensor; });
  return at == model_.tensors.end() ? kNoTensor
                                    : static_cast<TensorId>(at - model_.tensors.begin());
}

std::string Editor::Unused(std::string name) const {
  if (Find(name) == kNoTensor) return name;
  for (int i = 2;; ++i) {
    std::string numbered = fmt::format("{}_{}", name, i);
    if (Find(numbered) == kNoTensor) return numbered;
  }
}

TensorId Editor::AddTensor(std::string name) {
  model_.tensors.emplace_back().name = std::move(name);
  return static_cast<TensorId>(model_.tensors.size()) - 1;
}

void Editor::InsertNode(size_t at, Node node) {
  const auto offset = static_cast<std::ptrdiff_t>(at);
  model_.nodes.insert(model_.nodes.begin() + offset, std::move(node));
  origin_.insert(origin_.begin() + offset, -1);
}

absl::Status Editor::CheckKeepsValues(TensorId id, const Coding& now, const Coding& to) const {
  // A change of sign alone moves no end; whole models change it tensor by tensor.
  if (!ObjectionTo(ValueRange{}, now, to)) return absl::OkStatus();
  const ValueRanges ranges(model_, *database_);
  const Objection objection = ObjectionTo(model_, ranges, id, now, to);
  return objection ? absl::FailedPreconditionError(objection.Text()) : absl::OkStatus();
}

absl::StatusOr<Recoding> Editor::Plan(TensorId id, const Coding& from, const Coding& to,
                                      Rounding rounding) const {
  const Tensor& tensor = model_.tensors[static_cast<size_t>(id)];
  Recoding plan{from, to, tensor.is_static};
  const auto refuse = [](std::string reason) {
    return absl::FailedPreconditionError(std::move(reason));
  };
  if (BitsOf(from.dtype) != BitsOf(to.dtype)) return refuse("another width of its integers");
  if (!plan.is_static) return plan;
  const auto shape = std::span<const int64_t>(tensor.dims.data(), tensor.dims.size());
  // Scales that fit no axis but the new one were meant for it: integers stay as they are.
  Coding meant = from;
  meant.encoding.Edit().axis = to.encoding->axis;
  if (!ChannelsOf(from.encoding, shape) && ChannelsOf(to.encoding, shape) && Same(meant, to)) {
    return plan;
  }
  std::string problem;
  const auto requantizer = Requantizer::Make(from, to, shape, &problem);
  if (!requantizer) return refuse(std::move(problem));
  int64_t beyond = 0, count = 0;
  const absl::Status read = Values(id, [&](std::span<const int64_t> values, int64_t first) {
    for (const int64_t value : values) {
      const int64_t mapped = requantizer->Map(value, first);
      beyond += mapped < requantizer->low() || mapped > requantizer->high() ? 1 : 0;
      plan.moved += mapped != value ? 1 : 0;
      plan.error = std::max(plan.error, requantizer->Error(value, first));
      if (!plan.range) plan.range.emplace(mapped, mapped);
      plan.range->first = std::min(plan.range->first, mapped);
      plan.range->second = std::max(plan.range->second, mapped);
      ++first;
      ++count;
    }
  });
  if (!read.ok()) return read;
  if (beyond > 0) {
    return refuse(
        fmt::format("{} of its {} values don't fit {} there", beyond, count, DtypeName(to.dtype)));
  }
  // 32-bit integers are sums of products: their step is far below what any result shows.
  const bool fine = requantizer->finer() || BitsOf(to.dtype) == 32;
  if (plan.error > 0 && !requantizer->shifts_only() && !fine && rounding == Rounding::kNone) {
    return refuse(fmt::format("its values would move by up to {:.3g}, half a step", plan.error));
  }
  return plan;
}

}  // namespace quantgate::fix
