#pragma once
/// \file
/// Tables of numbers in files: columns with names and units, a row a time, and where it all came from.
///
///     .csv    a line of names, "bob1.x [m]", then a line a row; what read_csv of pandas expects. No provenance.
///     .h5     HDF5: one dataset a column, "/bob1.x" with the attributes unit, kind and index; the provenance as
///             attributes of the root, and all of it as the JSON text "provenance". Root and columns have an attribute
///             checksum, see hdf5.cpp; a file whose checksum is another one is refused.
///     .jsonl  JSON lines: the head {"columns": [...], "provenance": {...}}, then an object a row, {"t": 0, ...}.
///
/// A name without an end, such as that of a pipe, is taken for .csv. Numbers have 17 significant digits in text. What
/// is not finite is nan or inf in .csv, null in .jsonl; where a .csv is read an empty entry is nan, too.

#include <json/json.h>

#include <memory>
#include <string>
#include <vector>

#include "gnomon/base/types.hpp"

namespace gnomon::tables {

/// What a column is, for readers such as plots.
enum class Kind {
  other,
  time,
  position,
  velocity,
  momentum,
  multiplier,
  energy,
  energy_error,
  constraint,  ///< a largest entry of g or of G v + g_t
  invariant,   ///< error of a momentum map or first integral
  output,      ///< of the problem
};
const char* to_string(Kind kind);
/// Kind::other for a name that is none.
Kind kind_named(const std::string& name);

struct Column {
  std::string name, unit;  ///< unit: "" where it is not known, or there is none
  Kind kind = Kind::other;
  /// "bob1.x [m]", or the name alone
  std::string title() const { return unit.empty() ? name : name + " [" + unit + "]"; }
};

struct Head {
  std::vector<Column> columns;
  /// An object, or null: problem, parameters, scheme, options, solver, step or tolerances, versions, command line.
  Json::Value provenance;
  long rows = 0;  ///< how many there will be; 0 where nobody knows

  /// The first column of this name, or -1.
  Index find(const std::string& name) const;
};

/// Writes rows to a file that appears by commit(), with all of them, or not at all: what ends before leaves nothing
/// behind and a file of that name as it was. Memory does not grow with the rows.
class Writer {
 public:
  virtual ~Writer() = default;
  /// One number a column.
  virtual void row(const double* values) = 0;
  /// Throws Error(bad_file) where something could not be written, a row before this included.
  virtual void commit() = 0;
};

/// Opens a table by the end of its name. Columns of equal names are refused with Error(bad_value), a name that ends
/// otherwise too; Error(bad_file) when the file cannot be written. "-" is JSON lines to standard output, and a device
/// or pipe is written directly, neither of which is whole or nothing.
std::unique_ptr<Writer> open_table(const std::string& path, const Head& head);

/// Whether a name ends as those of tables do.
bool is_table_name(const std::string& path);

struct Table {
  Head head;
  Matrix values;  ///< a row a row

  Index rows() const { return values.rows(); }
  /// The values of column j, one a row.
  auto column(Index j) const { return values.col(j); }
};

/// Throws Error(bad_file) with the name, the line where there is one, and what was expected; Error(bad_value) for a
/// name that ends in none of .csv, .h5 and .jsonl. Of a .csv, kinds follow from the names where they can.
Table read_table(const std::string& path);

/// Rows of a .h5 file, some at a time: memory does not grow with the file.
class Reader {
 public:
  virtual ~Reader() = default;
  virtual const Head& head() const = 0;
  virtual Index rows() const = 0;
  /// Provenance and columns have checksums, which are right when all rows have been read in their order.
  virtual bool has_checksums() const = 0;
  /// Rows begin .. begin + count - 1, a row a row. Throws Error(bad_file).
  virtual void read(Index begin, Index count, Matrix& values) = 0;
};

/// Throws Error(bad_file) as read_table does.
std::unique_ptr<Reader> open_rows(const std::string& path);

}  // namespace gnomon::tables
