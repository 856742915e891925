#pragma once
/// \file
/// Tables of numbers that cases compare with: comma-separated files of validation/data.

#include <string>
#include <vector>

namespace gnomon::validation {

/// Lines that begin with # are comments, the first other line names the columns.
class TableFile {
 public:
  class Row {
   public:
    Row(const std::string& path, const std::string& line);
    std::size_t size() const { return cells_.size(); }
    /// These throw Error(bad_file), naming file and row, where the row has no such column or no number there.
    const std::string& text(std::size_t column) const;
    double number(std::size_t column) const;

   private:
    [[noreturn]] void refuse() const;

    std::string path_, line_;
    std::vector<std::string> cells_;
  };

  /// Throws Error(bad_file) when it cannot be read.
  explicit TableFile(const std::string& path);
  const Row& names() const { return rows_.front(); }
  /// The rows below the names.
  std::vector<Row>::const_iterator begin() const { return rows_.begin() + 1; }
  std::vector<Row>::const_iterator end() const { return rows_.end(); }

 private:
  std::vector<Row> rows_;
};

}  // namespace gnomon::validation
