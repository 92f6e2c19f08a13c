#include "core/fix/fixer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/fix/repair.h"

namespace quantgate::fix {
namespace {

// Repairs that follow from a repair: ties along a chain of ops. Each adds a check of the model.
constexpr int kMaxFollowing = 12;
// Times that what is left is looked at again.
constexpr int kMaxRounds = 6;

int Severity(Consequence consequence) {
  // Worst last, as the design orders them; nothing known is as bad as altered.
  constexpr std::array kOrder = {Consequence::kAccepted,     Consequence::kAdvice,
                                 Consequence::kUndocumented, Consequence::kUnchecked,
                                 Consequence::kAltered,      Consequence::kWrongValues,
                                 Consequence::kPrepareFails, Consequence::kRejected};
  return static_cast<int>(std::find(kOrder.begin(), kOrder.end(), consequence) - kOrder.begin());
}

// What stays of a finding while nodes are inserted around it.
using Key = std::tuple<std::string, int32_t, int32_t, std::string, std::string, std::string>;

Key KeyOf(const Finding& f, const Editor& editor) {
  const int32_t origin = f.node_index < 0 ? -2 : editor.OriginOf(static_cast<size_t>(f.node_index));
  // A port has one tensor, which a route may call otherwise after an edit.
  return {std::string(f.rule->code),
          origin,
          f.op_index,
          f.port,
          f.port.empty() ? f.tensor.str() : std::string(),
          f.constraint};
}

std::set<Key> KeysOf(const Report& report, const Editor& editor) {
  std::set<Key> keys;
  for (const Finding& f : report.findings) keys.insert(KeyOf(f, editor));
  return keys;
}

struct State {
  std::unique_ptr<Editor> editor;
  Report report;
};

class Fixer {
 public:
  Fixer(std::unique_ptr<Editor> editor, const Check& check, const FixOptions& options)
      : check_(check), options_(options) {
    state_.report = check_(editor->model());
    state_.editor = std::move(editor);
    before_ = {state_.editor->Clone(), state_.report};
  }

  FixResult Run() {
    for (int round = 0; round < kMaxRounds; ++round) {
      // What failed may work now that other things are fixed.
      tried_.clear();
      const int accepted = accepted_;
      std::vector<Key> todo;
      for (const Finding& f : state_.report.findings) {
        if (f.waived.empty() && Severity(f.consequence) >= Severity(options_.at_least)) {
          todo.push_back(KeyOf(f, *state_.editor));
        }
      }
      if (todo.empty()) break;
      // Signs first: other repairs depend on the type.
      if (round == 0) TrySigns();
      TryGroup(todo);
      if (accepted_ == accepted) break;
    }
    return Result();
  }

 private:
  const Finding* Find(const State& state, const Key& key) const {
    for (const Finding& f : state.report.findings) {
      if (KeyOf(f, *state.editor) == key) return &f;
    }
    return nullptr;
  }

  std::vector<Proposal> ProposalsFor(const State& state, const Finding& finding) const {
    std::vector<Proposal> proposals;
    const Case c{finding, *state.editor, options_.rounding};
    for (const Repair repair : Repairs()) repair(c, proposals);
    return proposals;
  }

  // All computed tensors of a signed type at once: half of a graph in another sign has no rows.
  void TrySigns() {
    for (const Dtype dtype : {Dtype::kSfixedPoint8, Dtype::kSfixedPoint16}) {
      State next{state_.editor->Clone(), {}};
      const Proposal proposal = AllInOtherSign(dtype);
      if (!proposal.apply(*next.editor).ok() || !next.editor->changed()) continue;
      next.report = check_(next.editor->model());
      Follow(next);
      // What follows may have turned all of it back: then other repairs say it better.
      const auto& recoded = next.editor->recoded();
      const bool stays = std::any_of(recoded.begin(), recoded.end(), [](const auto& one) {
        return one.second.from.dtype != one.second.to.dtype;
      });
      if (!stays || IsBetter(next, {}) != std::nullopt) continue;
      Accept(std::move(next), proposal.what);
    }
  }

  // Applies the first proposal that can be; what it was, or why there is none.
  struct Applied {
    std::optional<Proposal> proposal;
    std::string reason;
  };
  static Applied ApplyFirst(std::vector<Proposal> proposals, size_t first, Editor& editor) {
    Applied applied;
    for (size_t i = first; i < proposals.size(); ++i) {
      const absl::Status status = proposals[i].apply(editor);
      if (status.ok()) {
        applied.proposal = std::move(proposals[i]);
        return applied;
      }
      // The first one is what the finding asks for: its reason says most.
      if (applied.reason.empty() && !proposals[i].is_attempt) {
        applied.reason = std::string(status.message());
      }
    }
    return applied;
  }

  // Fixes what the changes have brought about elsewhere: the other end of a tie.
  void Follow(State& next) const {
    std::set<Key> known = KeysOf(state_.report, *state_.editor);
    for (int step = 0; step < kMaxFollowing; ++step) {
      bool changed = false;
      for (const Finding& f : next.report.findings) {
        if (Severity(f.consequence) < Severity(Consequence::kUndocumented)) continue;
        if (!known.insert(KeyOf(f, *next.editor)).second) continue;
        changed |= ApplyFirst(ProposalsFor(next, f), 0, *next.editor).proposal.has_value();
      }
      if (!changed) return;
      next.report = check_(next.editor->model());
    }
  }

  // nullopt where `next` is better than the state: the findings `gone` are gone, nothing as severe
  // has come and no node is worse off. Else why not.
  std::optional<std::string> IsBetter(const State& next, const std::vector<Key>& gone) const {
    const std::set<Key> now = KeysOf(next.report, *next.editor);
    int fixed = Severity(Consequence::kRejected);
    for (const Key& key : gone) {
      const Finding* old = Find(state_, key);
      if (old != nullptr) fixed = std::min(fixed, Severity(old->consequence));
      if (now.contains(key)) return "the check finds it after the edit too";
    }
    std::map<int32_t, int> verdicts;
    int64_t sum = 0, next_sum = 0;
    for (size_t n = 0; n < state_.report.nodes.size(); ++n) {
      const int severity = Severity(state_.report.nodes[n].verdict);
      verdicts[state_.editor->OriginOf(n)] = severity;
      sum += severity;
    }
    for (size_t n = 0; n < next.report.nodes.size(); ++n) {
      const NodeReport& node = next.report.nodes[n];
      const int severity = Severity(node.verdict);
      const int32_t origin = next.editor->OriginOf(n);
      const int old = origin < 0 ? Severity(Consequence::kUndocumented) : verdicts[origin];
      next_sum += severity;
      // Advice on a neighbour is no price for it.
      if (severity > old && severity > Severity(Consequence::kAdvice)) {
        return fmt::format("the edit would make \"{}\" {}", node.name,
                           ConsequenceName(node.verdict));
      }
    }
    // What a finding hid may show now: a node in float that becomes a unit. It must
    // be less than what is gone.
    const auto count = [](const Report& report, int at_least) {
      return std::count_if(report.findings.begin(), report.findings.end(),
                           [&](const Finding& f) { return Severity(f.consequence) >= at_least; });
    };
    const std::set<Key> old = KeysOf(state_.report, *state_.editor);
    for (const Finding& f : next.report.findings) {
      const int severity = Severity(f.consequence);
      if (severity < fixed || old.contains(KeyOf(f, *next.editor))) continue;
      if (severity == fixed && count(next.report, fixed) < count(state_.report, fixed)) continue;
      return fmt::format("the edit would lead to {} on \"{}\"", f.rule->code, f.node);
    }
    if (gone.empty() && next_sum >= sum) return "no node is better off";
    return std::nullopt;
  }

  static bool WasAskedFor(const State& next, const Proposal& proposal) {
    if (!proposal.guessed) return true;
    const TensorId id = next.editor->Find(proposal.must_be_asked_for);
    if (id == kNoTensor) return false;
    const absl::StatusOr<Coding> coding = next.editor->CodingOf(id);
    // A scale that no rule asked for is as good as none.
    return coding.ok() && coding->encoding->scales != proposal.guessed->encoding->scales;
  }

  void Accept(State next, const std::string& how) {
    const std::set<Key> now = KeysOf(next.report, *next.editor);
    for (const Finding& f : state_.report.findings) {
      const Key key = KeyOf(f, *state_.editor);
      if (!now.contains(key)) how_.try_emplace(key, how);
    }
    state_ = std::move(next);
    ++accepted_;
  }

  // All at once where that works, else in halves, else one by one with every proposal.
  void TryGroup(const std::vector<Key>& keys) {
    if (keys.size() == 1) return TryOne(keys[0]);
    State next{state_.editor->Clone(), {}};
    std::vector<Key> group;
    std::map<Key, std::string> how;
    for (const Key& key : keys) {
      const Finding* finding = Find(state_, key);
      if (finding == nullptr || tried_.contains(key)) continue;
      // A guess must be checked alone.
      std::vector<Proposal> proposals = ProposalsFor(state_, *finding);
      const bool simple = std::none_of(proposals.begin(), proposals.end(),
                                       [](const Proposal& p) { return p.guessed.has_value(); });
      // Insertions move the nodes that proposals of other findings speak of.
      if (!simple || next.editor->model().nodes.size() != state_.editor->model().nodes.size()) {
        alone_.push_back(key);
        continue;
      }
      Applied applied = ApplyFirst(std::move(proposals), 0, *next.editor);
      if (!applied.proposal) {
        tried_[key] = std::move(applied.reason);
        continue;
      }
      group.push_back(key);
      how[key] = applied.proposal->what;
    }
    if (!group.empty()) {
      next.report = check_(next.editor->model());
      Follow(next);
      if (!IsBetter(next, group)) {
        for (const auto& [key, what] : how) how_.try_emplace(key, what);
        Accept(std::move(next), "follows from the others");
      } else if (group.size() == 1) {
        TryOne(group[0]);
      } else {
        const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
        TryGroup({group.begin(), middle});
        TryGroup({middle, group.end()});
      }
    }
    for (const Key& key : std::exchange(alone_, {})) TryOne(key);
  }

  void TryOne(const Key& key) {
    const Finding* finding = Find(state_, key);
    if (finding == nullptr || tried_.contains(key)) return;
    const std::vector<Proposal> proposals = ProposalsFor(state_, *finding);
    std::string reason;
    for (size_t i = 0; i < proposals.size(); ++i) {
      State next{state_.editor->Clone(), {}};
      Applied applied = ApplyFirst({proposals[i]}, 0, *next.editor);
      std::optional<std::string> problem = std::move(applied.reason);
      if (applied.proposal) {
        next.report = check_(next.editor->model());
        Follow(next);
        problem = IsBetter(next, {key});
        if (!problem && !WasAskedFor(next, proposals[i])) problem = "no encoding of it is known";
      }
      if (!problem) {
        how_[key] = proposals[i].what;
        Accept(std::move(next), proposals[i].what);
        return;
      }
      if (reason.empty() && !proposals[i].is_attempt) reason = *problem;
    }
    tried_[key] = std::move(reason);
  }

  FixResult Result() {
    FixResult result;
    const std::set<Key> now = KeysOf(state_.report, *state_.editor);
    for (const Finding& f : before_.report.findings) {
      const Key key = KeyOf(f, *before_.editor);
      if (now.contains(key)) continue;
      const auto how = how_.find(key);
      result.fixed.push_back({f, how == how_.end() ? "follows from the others" : how->second});
    }
    for (const Finding& f : state_.report.findings) {
      const auto tried = tried_.find(KeyOf(f, *state_.editor));
      const bool has_reason = tried != tried_.end() && !tried->second.empty();
      result.left.push_back(
          {f, has_reason ? tried->second : std::string("no safe edit is known for it")});
    }
    result.before = std::move(before_.report);
    result.after = std::move(state_.report);
    result.editor = std::move(state_.editor);
    return result;
  }

  const Check& check_;
  FixOptions options_;
  State state_, before_;
  std::map<Key, std::string> tried_;  // and why they stay
  std::map<Key, std::string> how_;
  std::vector<Key> alone_;
  int accepted_ = 0;
};

}  // namespace

FixResult FixModel(std::unique_ptr<Editor> editor, const Check& check, const FixOptions& options) {
  return Fixer(std::move(editor), check, options).Run();
}

}  // namespace quantgate::fix
