#include "bindings/python/src/fx_specs.h"

#include <string>

namespace quantgate::python {

FxSpecs::FxSpecs(const py::object& reader)
    : specs_(reader.attr("_specs")), known_(specs_.attr("known")), stand_ins_(reader.attr("_stand_ins")),
      resolved_type_(py::module_::import("quantgate.torch._specs").attr("Resolved")) {}

FxKnown FxSpecs::Quantized(py::object quantized, py::object spec) const {
  FxKnown known;
  known.dtype =
      DtypeFromName(quantized.attr("dtype").cast<std::string>()).value_or(Dtype::kUndefined);
  known.encoding = &quantized.attr("encoding").cast<const Encoding&>();
  known.stand_in = quantized.attr("stand_in").cast<bool>();
  known.quantized = std::move(quantized);
  known.spec = std::move(spec);
  return known;
}

const FxKnown& FxSpecs::Resolved(py::object resolved) {
  const auto [it, added] = resolved_.try_emplace(resolved.ptr());
  FxKnown& known = it->second;
  if (!added) return known;
  known = Quantized(resolved.attr("quantized"), resolved.attr("spec"));
  known.resolved = std::move(resolved);
  return known;
}

const FxSpec& FxSpecs::Of(py::handle object) {
  const auto known = read_.find(object.ptr());
  if (known != read_.end()) return *known->second;
  // There are many shared ones, each of which stands at one place.
  static const FxSpec kShared{{}, FxSpec::Kind::kShared, {}};
  if (TryGet(object, edge_)) return kShared;
  FxSpec& spec = *read_.emplace(object.ptr(), std::make_unique<FxSpec>()).first->second;
  spec.spec = py::reinterpret_borrow<py::object>(object);
  if (py::hasattr(object, derived_)) {
    spec.kind = FxSpec::Kind::kDerived;
  } else {
    const py::object choices = specs_.attr("choices")(object);
    if (!choices.is_none()) {
      spec.kind = FxSpec::Kind::kPlain;
      for (const py::handle resolved : choices) {
        spec.choices.push_back(Resolved(py::reinterpret_borrow<py::object>(resolved)));
      }
    }
  }
  return spec;
}

bool FxSpecs::Same(py::handle a, py::handle b) {
  if (a.is(b)) return true;
  const auto [it, added] = same_.try_emplace({a.ptr(), b.ptr()}, false);
  if (added) it->second = specs_.attr("same")(a, b).cast<bool>();
  return it->second;
}

py::handle FxSpecs::Shared(py::handle spec) const {
  py::object place = TryGet(spec, edge_);
  if (place && PyList_Check(place.ptr()) != 0) {
    place = py::reinterpret_steal<py::object>(PyList_AsTuple(place.ptr()));
  }
  if (!place) return {};
  const py::handle resolved = Item(known_, place);
  return IsResolved(resolved) ? resolved : py::handle();
}

const FxKnown& FxSpecs::Choose(const FxSpec& spec) {
  if (!spec.choices[0].stand_in) return spec.choices[0];
  const py::object count = Get(stand_ins_, count_);
  if (!count) throw py::error_already_set();
  const long next = PyLong_AsLong(count.ptr()) + 1;
  if (PyObject_SetAttr(stand_ins_.ptr(), count_.ptr(), py::int_(next).ptr()) != 0) {
    throw py::error_already_set();
  }
  return spec.choices[static_cast<size_t>(next) % spec.choices.size()];
}

py::object FxSpecs::Sources(const FxSpec& spec) const {
  const py::object sources = TryGet(spec.spec, derived_);
  return sources && IsSequence(sources) ? sources : py::object();
}

py::object FxSpecs::Derived(const FxSpec& spec, const py::list& parts) const {
  return specs_.attr("derived_from")(spec.spec, parts);
}

}  // namespace quantgate::python
