// Batches as Arrow's C stream: each struct owns what its `release` frees, and shares the columns.
#include <array>
#include <cerrno>
#include <exception>
#include <new>
#include <utility>

#include "core/sweep/columns.h"

namespace quantgate::sweep {
namespace {

struct SchemaOwner {
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};

struct ArrayOwner {
  std::shared_ptr<const Batch> batch;
  std::array<const void*, 3> buffers{};
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
};

struct StreamOwner {
  std::span<const Field> fields;
  Batches batches;
  size_t next = 0;
};

// Whoever takes a child away leaves it without `release`.
template <typename Struct, typename Owner>
void Release(Struct* self) {
  for (int64_t i = 0; i < self->n_children; ++i) {
    Struct* child = self->children[i];
    if (child->release != nullptr) child->release(child);
  }
  delete static_cast<Owner*>(self->private_data);
  self->release = nullptr;
}

const char* FormatOf(Type type) {
  switch (type) {
    case Type::kText:
      return "u";
    case Type::kInteger:
      return "l";
    case Type::kFlag:
      return "b";
  }
  return "";
}

template <typename Struct, typename Owner>
void Adopt(Struct& parent, Owner& owner) {
  for (Struct& child : owner.children) owner.pointers.push_back(&child);
  parent.n_children = static_cast<int64_t>(owner.children.size());
  parent.children = owner.pointers.data();
}

ArrowSchema SchemaOf(std::span<const Field> fields) {
  auto owner = std::make_unique<SchemaOwner>();
  owner->children.reserve(fields.size());
  owner->pointers.reserve(fields.size());
  for (const Field& field : fields) {
    ArrowSchema& child = owner->children.emplace_back();
    child.format = FormatOf(field.type);
    child.name = field.name;
    child.flags = field.nullable ? ARROW_FLAG_NULLABLE : 0;
    child.release = &Release<ArrowSchema, SchemaOwner>;
  }
  ArrowSchema schema = {};
  schema.format = "+s";
  schema.name = "";
  Adopt(schema, *owner);
  schema.release = &Release<ArrowSchema, SchemaOwner>;
  schema.private_data = owner.release();
  return schema;
}

// Consumers read no further than `length`, but a null buffer is only theirs to expect where nothing
// is null.
ArrowArray ArrayOf(std::shared_ptr<const Batch> batch, const Column& column) {
  static constexpr char kNothing[8] = {};
  auto owner = std::make_unique<ArrayOwner>();
  ArrowArray array = {};
  array.length = batch->rows;
  array.null_count = column.nulls;
  array.n_buffers = column.type == Type::kText ? 3 : 2;
  owner->buffers[0] = column.nulls == 0 ? nullptr : column.valid.data();
  if (column.type == Type::kText) {
    owner->buffers[1] = column.offsets.data();
    owner->buffers[2] = column.text.empty() ? kNothing : column.text.data();
  } else if (column.type == Type::kInteger) {
    owner->buffers[1] = column.integers.data();
  } else {
    owner->buffers[1] = column.flags.data();
  }
  owner->batch = std::move(batch);
  array.buffers = owner->buffers.data();
  array.release = &Release<ArrowArray, ArrayOwner>;
  array.private_data = owner.release();
  return array;
}

ArrowArray ArrayOf(const std::shared_ptr<const Batch>& batch) {
  auto owner = std::make_unique<ArrayOwner>();
  owner->children.reserve(batch->columns.size());
  owner->pointers.reserve(batch->columns.size());
  for (const Column& column : batch->columns) {
    owner->children.push_back(ArrayOf(batch, column));
  }
  ArrowArray array = {};
  array.length = batch->rows;
  array.n_buffers = 1;
  array.buffers = owner->buffers.data();  // no validity: rows are never null
  Adopt(array, *owner);
  array.release = &Release<ArrowArray, ArrayOwner>;
  array.private_data = owner.release();
  return array;
}

// No exception may pass the C interface.
template <typename Make>
int Guarded(Make make) {
  try {
    make();
    return 0;
  } catch (const std::exception&) {
    return ENOMEM;
  }
}

int GetSchema(ArrowArrayStream* self, ArrowSchema* out) {
  const auto& owner = *static_cast<const StreamOwner*>(self->private_data);
  return Guarded([&] { *out = SchemaOf(owner.fields); });
}

int GetNext(ArrowArrayStream* self, ArrowArray* out) {
  auto& owner = *static_cast<StreamOwner*>(self->private_data);
  return Guarded([&] {
    if (owner.next == owner.batches.size()) {
      *out = {};  // released: the end
      return;
    }
    *out = ArrayOf(owner.batches[owner.next]);
    ++owner.next;
  });
}

const char* GetLastError(ArrowArrayStream*) { return "out of memory"; }

void ReleaseStream(ArrowArrayStream* self) {
  delete static_cast<StreamOwner*>(self->private_data);
  self->release = nullptr;
}

}  // namespace

void ExportBatches(std::span<const Field> fields, Batches batches, ArrowArrayStream* out) {
  out->get_schema = &GetSchema;
  out->get_next = &GetNext;
  out->get_last_error = &GetLastError;
  out->release = &ReleaseStream;
  out->private_data = new StreamOwner{fields, std::move(batches)};
}

}  // namespace quantgate::sweep
