// The routes that models of a validator take, looked up once.
#ifndef QUANTGATE_CORE_VALIDATE_ROUTES_H_
#define QUANTGATE_CORE_VALIDATE_ROUTES_H_

#include <array>
#include <string>

#include "core/database/view.h"
#include "quantgate/model.h"
#include "quantgate/target.h"

namespace quantgate {

struct TakenRoute {
  std::string name;
  opdb::Tree document = {};  // null where the database has no such route
};

class Routes {
 public:
  // `asked`: the route of all models; empty = the usual one of each. `database` must outlive the object.
  Routes(const std::string& asked, const Target& target, const opdb::View& database);

  const TakenRoute& For(Dialect dialect, bool with_encodings) const {
    return (with_encodings ? with_encodings_ : alone_)[static_cast<size_t>(dialect)];
  }

 private:
  std::array<TakenRoute, kDialectCount> alone_, with_encodings_;  // by dialect
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_ROUTES_H_
