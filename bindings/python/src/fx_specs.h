// Quantization specs of an annotated FX graph, and what each says of a tensor.
#ifndef QUANTGATE_BINDINGS_PYTHON_SRC_FX_SPECS_H_
#define QUANTGATE_BINDINGS_PYTHON_SRC_FX_SPECS_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "bindings/python/src/fx_python.h"
#include "quantgate/encoding.h"
#include "quantgate/model.h"

namespace quantgate::python {

// What a resolved spec says; `resolved` keeps the rest alive.
struct FxKnown {
  py::object resolved, quantized, spec;
  Dtype dtype = Dtype::kUndefined;
  const Encoding* encoding = nullptr;
  bool stand_in = false;
};

struct FxSpec {
  py::object spec;  // kept alive: it is known by its address
  enum class Kind : uint8_t { kOther, kPlain, kShared, kDerived } kind = Kind::kOther;
  std::vector<FxKnown> choices;  // kPlain: one, or stand-ins that are taken in turn
};

class FxSpecs {
 public:
  // `reader`: a quantgate.torch._reader.Reader, whose specs these are.
  explicit FxSpecs(const py::object& reader);

  const FxSpec& Of(py::handle spec);
  const FxKnown& Resolved(py::object resolved);
  FxKnown Quantized(py::object quantized, py::object spec) const;
  bool Same(py::handle a, py::handle b);

  // What the place is known to have that a spec shares; null where it isn't known yet.
  py::handle Shared(py::handle spec) const;
  // The next one of a plain spec.
  const FxKnown& Choose(const FxSpec& spec);

  // Of a spec that shares what another place has: that place; null for others.
  py::object Place(py::handle spec) const { return TryGet(spec, edge_); }
  // Of a spec that derives from others: where those stand; null where it says no list.
  py::object Sources(const FxSpec& spec) const;
  // Whether it is what a place resolves to.
  bool IsResolved(py::handle object) const { return object && IsA(object, resolved_type_); }

  // What is known of nodes and edges, by node or (source, reader).
  const py::object& known() const { return known_; }
  py::object Derived(const FxSpec& spec, const py::list& parts) const;

 private:
  py::object specs_, known_, stand_ins_, resolved_type_;
  py::object edge_ = Interned("edge_or_node"), derived_ = Interned("derived_from"), count_ = Interned("count");
  absl::flat_hash_map<PyObject*, std::unique_ptr<FxSpec>> read_;
  absl::flat_hash_map<std::pair<PyObject*, PyObject*>, bool> same_;
  absl::node_hash_map<PyObject*, FxKnown> resolved_;
};

}  // namespace quantgate::python

#endif  // QUANTGATE_BINDINGS_PYTHON_SRC_FX_SPECS_H_
