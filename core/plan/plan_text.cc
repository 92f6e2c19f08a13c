// The plan for a terminal: what is not as wished, and what it costs.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "quantgate/plan.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

constexpr size_t kMostNames = 4;
constexpr size_t kMostGroups = 30;

Style StyleOf(PlanFit fit) {
  switch (fit) {
    case PlanFit::kAsWished:
      return Style::kGreen;
    case PlanFit::kNearest:
      return Style::kYellow;
    case PlanFit::kFloat:
      return Style::kMagenta;
    case PlanFit::kRefused:
      return Style::kRed;
    default:
      return Style::kGrey;
  }
}

std::string_view Words(PlanFit fit) {
  switch (fit) {
    case PlanFit::kPlain:
      return "with nothing to quantize";
    case PlanFit::kAsWished:
      return "as wished";
    case PlanFit::kNearest:
      return "in the nearest precision";
    case PlanFit::kFloat:
      return "in float";
    case PlanFit::kRefused:
      return "refused in every precision";
    case PlanFit::kUnchecked:
      return "unchecked";
  }
  return "";
}

std::string PrecisionsOf(const PlannedNode& node) {
  std::string text;
  for (const PlannedOp& op : node.ops) {
    if (op.precision.empty() || text.find(op.precision.view()) != std::string::npos) continue;
    text += (text.empty() ? "" : " + ") + op.precision.str();
  }
  return text;
}

// Nodes that are not as wished for one reason.
struct Group {
  std::vector<const PlannedNode*> nodes;
};

class Page {
 public:
  Page(const Plan& plan, bool color, size_t width) : plan_(plan), paint_(color), width_(width) {}

  std::string Print() && {
    Head();
    Groups();
    Converts();
    Summary();
    return std::move(text_);
  }

 private:
  void Head() {
    text_ += paint_(Style::kBold, Printable(plan_.model)) + "  " + plan_.backend + " · SDK " +
             plan_.sdk + " · " + plan_.arch + (plan_.soc.empty() ? "" : " · " + plan_.soc) +
             " · route " + plan_.route + "\n";
    std::string wish = "wish: " + plan_.precision;
    if (!plan_.weights.empty()) wish += ", weights " + plan_.weights;
    text_ += paint_(Style::kGrey, wish) + "\n";
    for (const std::string& note : plan_.notes)
      Wrapped("note: " + Printable(note), 2, Style::kGrey);
    text_ += "\n";
  }

  void Wrapped(const std::string& words, size_t indent, Style style) {
    for (const std::string& line : Wrap(words, width_ - indent)) {
      text_ += std::string(indent, ' ') + paint_(style, line) + "\n";
    }
  }

  void Groups() {
    std::map<std::tuple<int, std::string, std::string, std::string>, Group> groups;
    for (const PlannedNode& node : plan_.nodes) {
      if (node.fit < PlanFit::kNearest || !node.into.empty()) continue;
      groups[{-static_cast<int>(node.fit), node.op.str(), PrecisionsOf(node), node.reason.str()}]
          .nodes.push_back(&node);
    }
    size_t left = groups.size();
    for (const auto& [key, group] : groups) {
      if (groups.size() - left == kMostGroups) {
        text_ += fmt::format("… and {} more reasons (--format json has all)\n\n", left);
        break;
      }
      --left;
      const PlannedNode& first = *group.nodes[0];
      const std::string precision = std::get<2>(key);
      std::string head = std::get<1>(key) + " " +
                         (precision.empty() || first.fit == PlanFit::kFloat
                              ? std::string(Words(first.fit))
                              : fmt::format("as {} instead of {}", precision, first.wished.view()));
      if (group.nodes.size() > 1) head += fmt::format(", {} nodes", group.nodes.size());
      text_ += paint_(StyleOf(first.fit), Printable(head), true) + "\n";
      std::string names = "at ";
      for (size_t i = 0; i < std::min(kMostNames, group.nodes.size()); ++i) {
        names += (i > 0 ? ", " : "") + Printable(group.nodes[i]->name);
      }
      Wrapped(names + (group.nodes.size() > kMostNames ? " …" : ""), 2, Style::kPlain);
      std::string reason =
          Printable(first.reason.empty() ? "no row is nearer" : first.reason.view());
      Wrapped(reason, 2, Style::kPlain);
      if (!first.constraint.empty()) {
        Wrapped(fmt::format("{} {}", first.rule.view(), Printable(first.constraint)), 2,
                Style::kGrey);
      }
      text_ += "\n";
    }
  }

  void Converts() {
    std::map<std::tuple<std::string, std::string, std::string>, std::pair<int, std::string>> kinds;
    for (const PlannedConvert& convert : plan_.converts) {
      auto& [count, example] =
          kinds[{std::string(DtypeShortName(convert.from)), std::string(DtypeShortName(convert.to)),
                 convert.reason.str()}];
      if (count++ == 0) {
        example = fmt::format("\"{}\" for {}", Printable(convert.tensor), Printable(convert.node));
      }
    }
    size_t shown = 0;
    for (const auto& [key, what] : kinds) {
      if (shown++ == kMostGroups) break;
      const auto& [from, to, reason] = key;
      Wrapped(fmt::format("Convert {} -> {}{}: {}: {}", from, to,
                          what.first > 1 ? fmt::format(" ({}x)", what.first) : "", what.second,
                          Printable(reason)),
              0, Style::kPlain);
    }
    if (!kinds.empty()) text_ += "\n";
  }

  void Summary() {
    std::string line;
    for (int i = 0; i < kPlanFitCount; ++i) {
      const auto fit = static_cast<PlanFit>(i);
      const int64_t count = plan_.count(fit);
      if (count == 0) continue;
      line += (line.empty() ? "" : ", ") +
              paint_(StyleOf(fit), fmt::format("{} {}", count, Words(fit)));
    }
    text_ += fmt::format("{} nodes: {}; {} Converts\n", plan_.nodes.size(),
                         line.empty() ? "nothing to quantize" : line, plan_.converts.size());
  }

  const Plan& plan_;
  const Painter paint_;
  const size_t width_;
  std::string text_;
};

}  // namespace

std::string PlanText(const Plan& plan, bool color, size_t width) {
  return Page(plan, color, std::max<size_t>(width, 40)).Print();
}

}  // namespace quantgate
