// The Markdown of rule explanations, made readable in a terminal.
#ifndef QUANTGATE_TOOLS_QUANTGATE_SHOW_MARKDOWN_H_
#define QUANTGATE_TOOLS_QUANTGATE_SHOW_MARKDOWN_H_

#include <string>
#include <string_view>

namespace quantgate::cli {

// Headings, paragraphs, lists, fenced code and `inline code`; anything else stays as it is.
std::string RenderMarkdown(std::string_view markdown, bool color, size_t width);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_SHOW_MARKDOWN_H_
