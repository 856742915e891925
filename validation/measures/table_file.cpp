#include "measures/table_file.hpp"

#include <algorithm>
#include <fstream>

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"

namespace gnomon::validation {

TableFile::Row::Row(const std::string& path, const std::string& line) : path_(path), line_(line) {
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t comma = std::min(line.find(',', from), line.size());
    cells_.push_back(line.substr(from, comma - from));
    from = comma + 1;
  }
}

void TableFile::Row::refuse() const {
  throw Error(ErrorCode::bad_file, "table \"" + path_ + "\" has the unreadable row \"" + line_ + "\"");
}

const std::string& TableFile::Row::text(std::size_t column) const {
  if (column >= cells_.size()) refuse();
  return cells_[column];
}

double TableFile::Row::number(std::size_t column) const {
  double value = 0;
  if (!read_number(text(column), value)) refuse();
  return value;
}

TableFile::TableFile(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line))
    if (!line.empty() && line[0] != '#') rows_.emplace_back(path, line);
  if (rows_.empty()) throw Error(ErrorCode::bad_file, "table \"" + path + "\" cannot be read");
}

}  // namespace gnomon::validation
