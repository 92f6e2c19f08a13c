#include "core/validate/routes.h"

#include "core/lower/route/route.h"

namespace quantgate {

Routes::Routes(const std::string& asked, const Target& target, const opdb::View& database) {
  for (size_t i = 0; i < kDialectCount; ++i) {
    for (const bool with_encodings : {false, true}) {
      TakenRoute& route = (with_encodings ? with_encodings_ : alone_)[i];
      route.name = asked.empty() ? UsualRouteOf(static_cast<Dialect>(i), target, with_encodings, database) : asked;
      route.document = DocumentOf(route.name, database);
    }
  }
}

}  // namespace quantgate
