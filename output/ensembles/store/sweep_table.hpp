#pragma once
/// \file
/// The table of a sweep: the columns run, the variables, status, the figures that are kept; a row a run, in their
/// order.
///
/// Its provenance is the definition (see definition.hpp) and
///
///     counts     {status: how many runs}
///     failures   [{run, status, message}], the first 1000 runs that did not succeed
///
/// so that it depends on the definition alone: tables of one sweep are equal byte for byte, whatever number of
/// processes and threads wrote them, and however often it was resumed. (One that keeps `seconds` is not, nor one with a
/// time limit that is reached.) The status is its number in `statuses`; of a list of words the place in `words`.

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "ensembles/definition.hpp"
#include "ensembles/store/column_figures.hpp"
#include "ensembles/store/row_sample.hpp"
#include "tables/table.hpp"

namespace gnomon::ensembles {

struct FailedRun {
  long run;
  RunStatus status;
  std::string message;
};

/// The message about a table.
struct SweepSummary {
  long runs = 0;
  std::vector<long> counts;            ///< by number of the status
  std::vector<std::string> names;      ///< of the columns of a row, the variables first
  std::vector<ColumnFigures> figures;  ///< one a column, of the runs that succeeded
  std::vector<FailedRun> failures;     ///< the first
  RowSample sample;                    ///< of all runs
};

/// One row, see Ensemble::columns.
using UseRow = std::function<void(long run, RunStatus status, const double* values)>;
/// Calls it with all rows, in the order of runs. Called twice.
using Rows = std::function<void(const UseRow&)>;

/// Throws Error(bad_value) for an output that is no name of a table, and names of columns that are equal.
tables::Head table_head(const std::string& output, const Json::Value& definition);
/// The message about rows whose columns and variables are those of a definition. message(run): of a run that did not
/// succeed. Calls `rows` once.
SweepSummary summarise(const Json::Value& definition, const Rows& rows,
                       const std::function<std::string(long)>& message);
/// Writes the table, whole or not at all. message(run): of a run that did not succeed.
SweepSummary write_table(const std::string& output, const Json::Value& definition, const Rows& rows,
                         const std::function<std::string(long)>& message);

/// The provenance of a finished table, null where the file has none. Throws Error(bad_file).
Json::Value provenance_of(const std::string& table);

/// Puts the tables of all shards of a sweep together. Throws Error(bad_file | bad_value) for files that are no .h5,
/// that are not shards of one sweep, and where one is missing or there twice; nothing is overwritten.
SweepSummary merge_shards(const std::string& output, const std::vector<std::string>& files);

/// Of a finished table, an .h5. Throws Error(bad_file).
SweepSummary summary_of(const std::string& table);

}  // namespace gnomon::ensembles
