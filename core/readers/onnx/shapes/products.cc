// Matrix products, sums of products, and reductions.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/readers/onnx/shapes/context.h"
#include "core/readers/onnx/shapes/functions.h"

namespace quantgate::onnx::shapes {

namespace {

void Product(Context& c, size_t first, size_t second) {
  if (c.Shape(first) == nullptr || c.Shape(second) == nullptr) return;
  Ints a(c.Shape(first)->begin(), c.Shape(first)->end());
  Ints b(c.Shape(second)->begin(), c.Shape(second)->end());
  if (a.empty() || b.empty()) return;
  const bool row = a.size() == 1;
  const bool column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  auto out = Broadcast(DimSpan(a).first(a.size() - 2), DimSpan(b).first(b.size() - 2));
  if (!out) return;
  if (!row) out->push_back(a[a.size() - 2]);
  if (!column) out->push_back(b.back());
  c.SetShape(0, *out);
}

}  // namespace

void MatMul(Context& c) { Product(c, 0, 1); }

void MatMulInteger(Context& c) {
  Product(c, 0, 1);
  c.SetType(0, Dtype::kInt32);
}

void QLinearMatMul(Context& c) {
  Product(c, 0, 3);
  c.SetType(0, c.Type(7));
}

void Gemm(Context& c) {
  const Dims* a = c.Shape(0);
  const Dims* b = c.Shape(1);
  if (a == nullptr || b == nullptr || a->size() != 2 || b->size() != 2) return;
  c.SetShape(0, Ints{(*a)[c.Int("transA", 0) != 0 ? 1 : 0], (*b)[c.Int("transB", 0) != 0 ? 0 : 1]});
}

void Reduce(Context& c) {
  const Dims* x = c.Shape(0);
  if (x == nullptr) return;
  const bool keep = c.Int("keepdims", 1) != 0;
  std::vector<bool> reduced(x->size(), true);
  if (const auto axes = c.InputOrList(1, "axes"); axes && !axes->empty()) {
    const auto set = AxisSet(*axes, x->size());
    if (!set) return;
    reduced = *set;
  } else if (!axes && c.Has(1, "axes")) {
    return;
  } else if (c.Int("noop_with_empty_axes", 0) != 0) {
    return Same(c);
  }
  Ints out;
  for (size_t i = 0; i < x->size(); ++i) {
    if (!reduced[i]) {
      out.push_back((*x)[i]);
    } else if (keep) {
      out.push_back(1);
    }
  }
  c.SetShape(0, out);
}

void ArgReduce(Context& c) {
  const Dims* x = c.Shape(0);
  if (x == nullptr) return;
  const auto axis = AxisOf(c.Int("axis", 0), x->size());
  if (!axis) return;
  Ints out(x->begin(), x->end());
  if (c.Int("keepdims", 1) != 0) {
    out[*axis] = 1;
  } else {
    out.erase(out.begin() + static_cast<ptrdiff_t>(*axis));
  }
  c.SetShape(0, out);
}

namespace {

constexpr char kEllipsis = '.';  // stands for all dimensions that have no letter

// "bhwc,wkc->bhwk": a term an input and that of the output, which may be left out.
class Equation {
 public:
  static std::optional<Equation> Of(std::string_view text) {
    Equation equation;
    std::string term;
    for (size_t i = 0; i < text.size(); ++i) {
      const char ch = text[i];
      if (ch == ' ') continue;
      if (ch == ',' && !equation.explicit_) {
        equation.inputs_.push_back(std::exchange(term, {}));
      } else if (text.substr(i, 2) == "->" && !equation.explicit_) {
        equation.inputs_.push_back(std::exchange(term, {}));
        equation.explicit_ = true;
        ++i;
      } else if (text.substr(i, 3) == "...") {
        term.push_back(kEllipsis);
        i += 2;
      } else if ((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z')) {
        term.push_back(ch);
      } else {
        return std::nullopt;
      }
    }
    (equation.explicit_ ? equation.output_ : equation.inputs_.emplace_back()) = term;
    if (!equation.explicit_) equation.output_ = equation.Implied();
    return equation;
  }

  // What the terms say of an input: its letters' sizes and the dimensions without letters.
  bool Read(size_t input, DimSpan dims) {
    const std::string& term = inputs_[input];
    const size_t at = term.find(kEllipsis);
    const size_t letters = term.size() - (at == std::string::npos ? 0 : 1);
    if (letters > dims.size() || (at == std::string::npos && letters != dims.size())) return false;
    const size_t open = dims.size() - letters;
    size_t axis = 0;
    for (const char ch : term) {
      if (ch == kEllipsis) {
        const auto both = Broadcast(rest_, dims.subspan(axis, open));
        if (!both) return false;
        rest_ = *both;
        axis += open;
      } else if (!Join(sizes_[static_cast<uint8_t>(ch)], dims[axis++])) {
        return false;
      }
    }
    return true;
  }

  std::optional<Ints> Output() const {
    Ints out;
    for (const char ch : output_) {
      const int64_t size = sizes_[static_cast<uint8_t>(ch)];
      if (ch == kEllipsis) {
        out.insert(out.end(), rest_.begin(), rest_.end());
      } else if (size == kNowhere) {
        return std::nullopt;
      } else {
        out.push_back(size);
      }
    }
    return out;
  }

  size_t inputs() const { return inputs_.size(); }

 private:
  static constexpr int64_t kNowhere = -2;  // a letter of no input

  Equation() { sizes_.fill(kNowhere); }

  // A letter's dimensions are the same, or 1.
  static bool Join(int64_t& size, int64_t dim) {
    if (size == kNowhere || size == 1 || (size == kDynamicDim && dim != 1)) {
      size = dim;
    } else if (dim != 1 && dim != kDynamicDim && dim != size) {
      return false;
    }
    return true;
  }

  // Without an output's term: what has no letter, then the letters that occur once, sorted.
  std::string Implied() const {
    std::array<int, 128> times{};
    for (const std::string& term : inputs_) {
      for (const char ch : term) ++times[static_cast<uint8_t>(ch)];
    }
    std::string term(times[kEllipsis] != 0 ? 1 : 0, kEllipsis);
    for (char ch = 'A'; ch <= 'z'; ++ch) {
      if (times[static_cast<uint8_t>(ch)] == 1) term.push_back(ch);
    }
    return term;
  }

  std::vector<std::string> inputs_;
  std::string output_;
  bool explicit_ = false;
  std::array<int64_t, 128> sizes_;
  Ints rest_;
};

}  // namespace

void Einsum(Context& c) {
  auto equation = Equation::Of(c.Text("equation"));
  if (!equation || equation->inputs() != c.inputs()) return;
  for (size_t i = 0; i < c.inputs(); ++i) {
    if (c.Shape(i) == nullptr || !equation->Read(i, *c.Shape(i))) return;
  }
  if (const auto out = equation->Output()) c.SetShape(0, *out);
}

void Determinant(Context& c) {
  const Dims* x = c.Shape(0);
  if (x != nullptr && x->size() >= 2) c.SetShape(0, DimSpan(*x).first(x->size() - 2));
}

}  // namespace quantgate::onnx::shapes
