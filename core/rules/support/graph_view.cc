#include "core/rules/support/graph_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "core/base/huge_pages.h"
#include "core/base/recent.h"
#include "core/rules/support/node_view.h"
#include "quantgate/database.h"
#include "quantgate/report.h"

namespace quantgate::rules {

GraphView::GraphView(const Parts& parts) : parts_(parts) {
  const std::vector<Node>& nodes = graph().nodes;
  ReserveLarge(infos_, nodes.size());
  ReserveLarge(sets_of_, nodes.size());
  ReserveLarge(producer_, graph().tensors.size());
  ReserveLarge(first_reader_, graph().tensors.size());
  infos_.resize(nodes.size());
  sets_of_.resize(nodes.size());
  producer_.assign(graph().tensors.size(), -1);
  first_reader_.assign(graph().tensors.size(), -1);
  if (!parts_.views.empty()) {
    shown_.resize(graph().tensors.size());
    std::iota(shown_.begin(), shown_.end(), 0);
    for (const auto& [view, shown] : parts_.views) shown_[static_cast<size_t>(view)] = shown;
  }
  RecentByName<const OpInfo*> met;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    const OpInfo& info =
        *met.Of(node.op, [&](const SharedString& op) { return &parts_.sets.Of(op); });
    const SetMask sets = info.by_param.empty() ? info.sets : parts_.sets.SetsOf(info, node);
    infos_[i] = &info;
    sets_of_[i] = sets;
    any_sets_ |= sets;
    for (const TensorId id : node.outputs) {
      if (id != kNoTensor) producer_[static_cast<size_t>(Shown(id))] = static_cast<int32_t>(i);
    }
    for (const TensorId id : node.inputs) {
      if (id == kNoTensor) continue;
      int32_t& first = first_reader_[static_cast<size_t>(Shown(id))];
      if (first < 0) first = static_cast<int32_t>(i);
    }
  }
}

std::span<const int8_t> GraphView::FileLayout(TensorId id) const {
  const auto it = parts_.layouts.find(id);
  return it == parts_.layouts.end() ? std::span<const int8_t>() : it->second;
}

void GraphView::IndexReaders() const {
  if (readers_indexed_) return;
  readers_indexed_ = true;
  const size_t tensors = graph().tensors.size();
  reader_begin_.assign(tensors + 1, 0);
  std::vector<std::pair<TensorId, int32_t>> reads;  // of all ops, in order: nodes are gone through once
  ReserveLarge(reads, 3 * graph().nodes.size());
  for (size_t i = 0; i < graph().nodes.size(); ++i) {
    for (const TensorId id : graph().nodes[i].inputs) {
      if (id == kNoTensor) continue;
      reads.emplace_back(Shown(id), static_cast<int32_t>(i));
      ++reader_begin_[static_cast<size_t>(Shown(id)) + 1];
    }
  }
  for (size_t t = 0; t < tensors; ++t) reader_begin_[t + 1] += reader_begin_[t];
  readers_.resize(reads.size());
  // `reader_begin_[t]` moves to the end of t's readers here and back below.
  for (const auto& [id, op] : reads) {
    readers_[static_cast<size_t>(reader_begin_[static_cast<size_t>(id)]++)] = op;
  }
  for (size_t t = tensors; t > 0; --t) reader_begin_[t] = reader_begin_[t - 1];
  reader_begin_[0] = 0;
}

std::string_view GraphView::route() const { return ParseRouteName(report().route).name; }

bool GraphView::IsOnOneOf(std::span<const std::string_view> routes) const {
  return std::find(routes.begin(), routes.end(), route()) != routes.end();
}

bool GraphView::ReadsFrom(int32_t op, SetMask sets) const {
  const int32_t before = input(op, 0) == nullptr ? -1 : Producer(this->op(op).inputs[0]);
  return before >= 0 && Is(before, sets);
}

TensorId GraphView::Behind(TensorId id, SetMask views) const {
  for (int step = 0; step < kMostLinks; ++step) {
    const int32_t maker = Producer(id);
    if (maker < 0 || !Is(maker, views) || input(maker, 0) == nullptr) break;
    id = op(maker).inputs[0];
  }
  return id;
}

std::span<const int32_t> GraphView::Readers(TensorId id) const {
  IndexReaders();
  const auto t = static_cast<size_t>(Shown(id));
  const auto begin = static_cast<size_t>(reader_begin_[t]);
  return std::span(readers_).subspan(begin, static_cast<size_t>(reader_begin_[t + 1]) - begin);
}

void GraphView::MarkEnds() const {
  if (ends_marked_) return;
  ends_marked_ = true;
  ends_.assign(graph().tensors.size(), 0);
  for (const TensorId id : graph().inputs) ends_[static_cast<size_t>(id)] |= 1;
  for (const TensorId id : graph().outputs) ends_[static_cast<size_t>(id)] |= 2;
}

bool GraphView::IsGraphInput(TensorId id) const {
  MarkEnds();
  return (ends_[static_cast<size_t>(Shown(id))] & 1) != 0 ||
         (graph().inputs.empty() && Producer(id) < 0 && !tensor(id).is_static);
}

bool GraphView::IsGraphOutput(TensorId id) const {
  MarkEnds();
  return (ends_[static_cast<size_t>(Shown(id))] & 2) != 0 ||
         (graph().outputs.empty() && FirstReader(id) < 0);
}

const SharedString& GraphView::EndName(TensorId id) const {
  const auto end = parts_.end_of.find(Shown(id));
  return end == parts_.end_of.end() ? tensor(id).name
                                    : parts_.file->tensors[static_cast<size_t>(end->second)].name;
}

const SharedString& GraphView::NameOf(int32_t op) const {
  return parts_.report.nodes[static_cast<size_t>(SourceOf(op))].name;
}

const SharedString& GraphView::SourceOpOf(int32_t op) const {
  return parts_.report.nodes[static_cast<size_t>(SourceOf(op))].op;
}

bool GraphView::ReportedBefore(int32_t op) const {
  const std::vector<const Rule*>& rules = settings_->reported_by;
  if (rules.empty()) return false;
  const auto [reported, added] = reported_.try_emplace(settings_);
  if (added) {
    for (const Finding& f : parts_.report.findings) {
      if (std::find(rules.begin(), rules.end(), f.rule) != rules.end()) reported->second.insert(f.node_index);
    }
  }
  return reported->second.contains(SourceOf(op));
}

Finding& GraphFindings::Add(int32_t op, Consequence consequence) {
  Finding& f = findings_.emplace_back();
  f.rule = &rule_;
  f.consequence = consequence;
  f.note = note_;
  if (op < 0) return f;
  f.node_index = view_.SourceOf(op);
  f.node = view_.NameOf(op);
  f.op = view_.op(op).op;
  return f;
}

Finding& GraphFindings::AddInput(int32_t op, size_t port, Consequence consequence) {
  Finding& f = Add(op, consequence);
  f.port = fmt::format("in[{}]", port);
  if (const Tensor* tensor = view_.input(op, port)) f.tensor = tensor->name;
  return f;
}

Finding& GraphFindings::AddOutput(int32_t op, size_t port, Consequence consequence) {
  Finding& f = Add(op, consequence);
  f.port = fmt::format("out[{}]", port);
  if (const Tensor* tensor = view_.output(op, port)) f.tensor = tensor->name;
  return f;
}

double LeastElements(const Tensor& tensor) {
  double elements = 1;
  for (const int64_t dim : tensor.dims) elements *= static_cast<double>(std::max<int64_t>(dim, 1));
  return elements;
}

double BytesOf(const Tensor& tensor) {
  if (tensor.unknown_rank) return 0;
  double elements = 1;
  for (const int64_t dim : tensor.dims) elements *= static_cast<double>(std::max<int64_t>(dim, 0));
  return elements * BitsOf(tensor.dtype) / 8;
}

double StoredBytes(const Tensor& tensor) {
  return BytesOf(tensor) * EffectiveBits(tensor) / std::max(BitsOf(tensor.dtype), 1);
}

int64_t VtcmMegabytes(const GraphView& g) {
  if (g.target().soc().empty()) return 0;
  for (const opdb::SocRow& soc : g.db().socs()) {
    if (g.db().str(soc.name) == g.target().soc()) return soc.vtcm_mb;
  }
  return 0;
}

std::string Bytes(double bytes) {
  if (bytes < 1024) return fmt::format("{:.0f} B", bytes);
  if (bytes < 1024 * 1024) return fmt::format("{:.3g} KB", bytes / 1024);
  return fmt::format("{:.4g} MB", bytes / (1024 * 1024));
}

std::string Quoted(std::span<const std::string> names, size_t most) {
  std::string text;
  const size_t shown = std::min(names.size(), most);
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += '"' + names[i] + '"';
  }
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

}  // namespace quantgate::rules
