#include "tools/quantgate/import/opdef_page.h"

#include <fmt/format.h>
#include <libxml/HTMLparser.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <regex>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace quantgate::cli {
namespace {

constexpr std::string_view kTitle = " Backend Op Definition Supplement";
constexpr size_t kMaxSentence = 300;  // longer ones are prose that no pattern has

std::string Squeezed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (absl::ascii_isspace(c)) {
      if (!out.empty() && out.back() != ' ') out += ' ';
    } else {
      out += c;
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string TextOf(const xmlNode* node) {
  const std::unique_ptr<xmlChar, decltype(xmlFree)> text(xmlNodeGetContent(node), xmlFree);
  if (!text) return "";
  std::string out = Squeezed(reinterpret_cast<const char*>(text.get()));
  if (const size_t link = out.find("\u00B6"); link != out.npos) out.resize(link);  // headings'
  return Squeezed(out);
}

bool Is(const xmlNode* node, std::string_view name) {
  return node->type == XML_ELEMENT_NODE && reinterpret_cast<const char*>(node->name) == name;
}

// Elements called `name` below `node`, in the order of the page; not those within one another.
void Find(const xmlNode* node, std::string_view name, std::vector<const xmlNode*>& out) {
  for (const xmlNode* child = node->children; child != nullptr; child = child->next) {
    if (Is(child, name)) {
      out.push_back(child);
    } else {
      Find(child, name, out);
    }
  }
}

// One per innermost list entry; a cell without a list is one sentence.
void Sentences(const xmlNode* cell, std::vector<std::string>& out) {
  std::vector<const xmlNode*> items;
  Find(cell, "li", items);
  if (items.empty()) {
    if (std::string text = TextOf(cell); !text.empty()) out.push_back(std::move(text));
    return;
  }
  for (const xmlNode* item : items) Sentences(item, out);
}

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string(text) + ",") {
    if (c != ',' && c != ' ') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, ""));
    }
  }
  return words;
}

class Reader {
 public:
  absl::StatusOr<OpDefPage> Read(const xmlNode* root) {
    Walk(root);
    if (page_.backend.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("no page with the title \"<BACKEND>", kTitle.data(), "\""));
    }
    if (page_.ops.empty()) return absl::InvalidArgumentError("the page has no op with a table");
    return std::move(page_);
  }

 private:
  void Walk(const xmlNode* node) {
    for (const xmlNode* child = node->children; child != nullptr; child = child->next) {
      if (Is(child, "h1")) {
        const std::string title = TextOf(child);
        if (title.ends_with(kTitle)) {
          page_.backend = absl::AsciiStrToLower(title.substr(0, title.size() - kTitle.size()));
        }
      } else if (Is(child, "h2")) {
        op_ = TextOf(child);
        section_.clear();
      } else if (Is(child, "h3")) {
        section_ = TextOf(child);
      } else if (Is(child, "table")) {
        if (!page_.backend.empty() && !op_.empty()) Table(child);
      } else {
        Walk(child);
      }
    }
  }

  OpDefPage::Op& Current() {
    if (page_.ops.empty() || page_.ops.back().name != op_) page_.ops.push_back({op_, {}, {}});
    return page_.ops.back();
  }

  void Table(const xmlNode* table) {
    std::vector<const xmlNode*> rows;
    Find(table, "tr", rows);
    std::vector<std::string> ports;
    for (const xmlNode* row : rows) {
      std::vector<const xmlNode*> heads, cells;
      Find(row, "th", heads);
      Find(row, "td", cells);
      if (ports.empty()) {
        for (const xmlNode* head : heads) ports.push_back(TextOf(head));
        if (ports.empty() || ports[0] != "Configuration") return;  // another table
        continue;
      }
      if (cells.empty() || cells.size() > ports.size()) continue;
      const std::string group = TextOf(cells[0]);
      if (section_ == "Datatypes") {
        OpDefPage::Row out{group, {}};
        for (size_t i = 1; i < cells.size(); ++i) {
          if (auto words = Words(TextOf(cells[i])); !words.empty()) {
            out.dtypes[ports[i]] = std::move(words);
          }
        }
        Current().rows.push_back(std::move(out));
      } else if (section_ == "Constraints") {
        for (size_t i = 1; i < cells.size(); ++i) {
          std::vector<std::string> said;
          Sentences(cells[i], said);
          for (std::string& text : said) {
            Current().sentences.push_back({group, ports[i], std::move(text)});
          }
        }
      }
    }
  }

  OpDefPage page_;
  std::string op_, section_;
};

struct Pattern {
  const char* form;  // of the whole sentence, lower case
  const char* yaml;  // {0}, {1}: what the groups matched
};

// Only whole sentences count: what a pattern leaves over might be a condition.
constexpr Pattern kPatterns[] = {
    {R"((?:max(?:imum)? supported (?:input |output )?rank is|rank ?<=) ?(\d))",
     "rank: ..{0}"},
    {R"((?:supports (?:input|output) of )?rank (?:is )?between (\d) and (\d))",
     "rank: {0}..{1}"},
    {R"(rank ?>= ?(\d))", "rank: {0}.."},
    {R"((?:rank ?==?|rank must be|only rank) ?(\d)(?: is supported)?)",
     "rank: {0}..{0}"},
    {R"((?:must (?:have|be) the |must be )?same data ?type as ((?:in|out)\[\d\]))",
     "same_dtype: {0}"},
    {R"((?:must (?:have|be) the |must be )?same rank as ((?:in|out)\[\d\]))",
     "same_rank: {0}"},
    {R"((?:must (?:have|be) the |must be )?same shape as ((?:in|out)\[\d\]))",
     "same_shape: {0}"},
    {R"((?:must have the )?same (?:quantization )?encodings? as ((?:in|out)\[\d\]))",
     "same_encoding: {0}"},
    {R"((?:dynamic (?:dimensions?|shapes?|input|output)(?: dimensions?)? (?:are|is) not supported))",
     "dynamic_dims: false"},
    {R"((?:only )?(?:the )?default value (?:only )?(?:is )?supported)", "default_only: ~"},
    {R"((?:the )?(?:tensor |input )?must be (?:a )?static(?: tensor)?)", "static: ~"},
    {R"((?:must be )?symmetric(?:ally quantized)?)", "symmetric: ~"},
    {R"((?:is |this (?:input|output|parameter) is )?not supported)", "port_unsupported: ~"},
};

}  // namespace

absl::StatusOr<OpDefPage> ReadOpDefPage(std::string_view html) {
  if (html.size() > INT_MAX) return absl::InvalidArgumentError("too large");
  const std::unique_ptr<xmlDoc, decltype(&xmlFreeDoc)> doc(
      htmlReadMemory(
          html.data(), static_cast<int>(html.size()), "page.html", "UTF-8",
          HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET),
      xmlFreeDoc);
  const xmlNode* root = doc ? xmlDocGetRootElement(doc.get()) : nullptr;
  if (root == nullptr) return absl::InvalidArgumentError("is no HTML");
  return Reader().Read(root);
}

std::string ConstraintOf(std::string_view sentence) {
  if (sentence.size() > kMaxSentence) return "";
  std::string text = absl::AsciiStrToLower(absl::string_view(sentence.data(), sentence.size()));
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
  for (const std::string_view topic : {"shape:", "datatype:", "value:", "quantization:"}) {
    if (text.starts_with(topic)) text = Squeezed(text.substr(topic.size()));
  }
  for (const Pattern& pattern : kPatterns) {
    std::smatch found;
    if (!std::regex_match(text, found, std::regex(pattern.form))) continue;
    std::string first = found.size() > 1 ? found[1].str() : "";
    std::erase_if(first, [](char c) { return c == '[' || c == ']'; });  // in[0] is written in0
    const std::string second = found.size() > 2 ? found[2].str() : "";
    return fmt::format(fmt::runtime(pattern.yaml), first, second);
  }
  return "";
}

}  // namespace quantgate::cli
