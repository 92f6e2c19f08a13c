// Fields of a file that a reader doesn't know: they are named, not dropped in silence.
#ifndef QUANTGATE_CORE_READERS_UNKNOWN_FIELDS_H_
#define QUANTGATE_CORE_READERS_UNKNOWN_FIELDS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace quantgate {

class UnknownFields {
 public:
  void Add(std::string_view name);
  // Appends one note, nothing where all is known. The first 20 names are reported.
  void AddNote(std::vector<std::string>& notes) const;

 private:
  std::map<std::string, int64_t> counts_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_READERS_UNKNOWN_FIELDS_H_
