// The fields of every row, listed once: images are written field by field (so that padding
// is always zero and equal input gives equal bytes) and checked field by field.
#ifndef QUANTGATE_CORE_DATABASE_FIELDS_H_
#define QUANTGATE_CORE_DATABASE_FIELDS_H_

#include <type_traits>

#include "core/database/tables.h"

namespace quantgate::opdb {

static_assert(std::has_unique_object_representations_v<Str>);
static_assert(std::has_unique_object_representations_v<Slice<Str>>);
static_assert(std::has_unique_object_representations_v<Range>);

template <typename F>
void VisitFields(const SourceRow& r, F&& f) {
  f(r.id), f(r.title), f(r.sdk), f(r.kind), f(r.partial), f(r.backends);
}
template <typename F>
void VisitFields(const SocRow& r, F&& f) {
  f(r.name), f(r.aliases), f(r.id), f(r.arch), f(r.vtcm_mb), f(r.arch_name), f(r.lacks);
}
template <typename F>
void VisitFields(const EnumRow& r, F&& f) {
  f(r.name), f(r.value);
}
template <typename F>
void VisitFields(const PortRow& r, F&& f) {
  f(r.name), f(r.role), f(r.flags), f(r.channel_axis);
}
template <typename F>
void VisitFields(const ParamRow& r, F&& f) {
  f(r.name), f(r.dtype), f(r.required), f(r.rank), f(r.values), f(r.default_ints);
  f(r.default_reals);
}
template <typename F>
void VisitFields(const VariantRow& r, F&& f) {
  f(r.id), f(r.group), f(r.consequence), f(r.undocumented_until), f(r.range), f(r.needs);
  f(r.dtypes), f(r.sources);
}
template <typename F>
void VisitFields(const ArgRow& r, F&& f) {
  f(r.key), f(r.type), f(r.a), f(r.b), f(r.v.i);
}
template <typename F>
void VisitFields(const ExprOp& r, F&& f) {
  f(r.code), f(r.port), f(r.param), f(r.value);
}
template <typename F>
void VisitFields(const CondRow& r, F&& f) {
  f(r.key), f(r.port), f(r.element), f(r.param), f(r.mask), f(r.ints);
}
template <typename F>
void VisitFields(const ConstraintRow& r, F&& f) {
  f(r.id), f(r.kind), f(r.port), f(r.element), f(r.param), f(r.consequence), f(r.measured_since);
  f(r.measured_consequence), f(r.groups), f(r.range), f(r.when), f(r.args), f(r.alternatives);
  f(r.sources), f(r.note), f(r.profile);
}
template <typename F>
void VisitFields(const AltRow& r, F&& f) {
  f(r.all_of);
}
template <typename F>
void VisitFields(const OpRow& r, F&& f) {
  f(r.name), f(r.input_count), f(r.output_count), f(r.range), f(r.ports), f(r.params);
  f(r.groups), f(r.variants), f(r.constraints), f(r.sources), f(r.examples);
}
template <typename F>
void VisitFields(const BackendRow& r, F&& f) {
  f(r.name), f(r.archs), f(r.default_arch), f(r.first_measured), f(r.tuples_since), f(r.sdks);
  f(r.features), f(r.group_needs), f(r.ops), f(r.dialect), f(r.route);
  f(r.unlisted), f(r.unlisted_since), f(r.measured_by), f(r.has_op_validation), f(r.has_socs);
}
template <typename F>
void VisitFields(const TreeRow& r, F&& f) {
  f(r.type), f(r.key), f(r.children), f(r.text), f(r.v.i), f(r.line), f(r.column);
}
template <typename F>
void VisitFields(const DocumentRow& r, F&& f) {
  f(r.name), f(r.root);
}
template <typename F>
void VisitFields(const RenameRow& r, F&& f) {
  f(r.since), f(r.backend), f(r.was), f(r.places), f(r.now), f(r.gone);
}

}  // namespace quantgate::opdb

#endif  // QUANTGATE_CORE_DATABASE_FIELDS_H_
