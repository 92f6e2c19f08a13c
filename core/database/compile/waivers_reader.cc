#include "core/database/compile/waivers_reader.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/nearest.h"
#include "core/database/compile/op_reader.h"

namespace quantgate::opdefs {

void ReadWaivers(const Node& node, const Reporter& reporter, Ir& ir) {
  MapReader file(node, "waivers.yaml", reporter);
  if (!file.ok()) return;
  file.need("waivers");
  Tree& all = ir.documents["waivers"];
  all.type = opdb::TreeType::kList;
  for (const Node* entry : file.list("waivers")) {
    MapReader map(*entry, "a waiver", reporter);
    if (!map.ok()) continue;
    for (const char* key : {"rule", "reason"}) map.need(key);
    for (const char* key : {"rule", "reason", "op", "port", "node"}) map.text(key);
    const auto backend = map.text("backend");
    if (backend && !ir.backends.contains(*backend)) {
      std::vector<std::string_view> known;
      for (const auto& [id, row] : ir.backends) known.push_back(id);
      reporter.At(*map.find("backend"), absl::StrCat("unknown backend ", Quoted(*backend),
                                                     DidYouMeanOf(*backend, known)));
    }
    map.Finish();
    all.children.push_back(TreeOf(*entry));
  }
  file.Finish();
}

}  // namespace quantgate::opdefs
