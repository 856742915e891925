#pragma once
/// \file
/// `gnomon compare a.h5 b.csv`: two trajectories, column by column.

#include <optional>
#include <string>

namespace gnomon::program {

struct ComparedOutput {
  bool json = false;
  std::optional<std::string> report, plot;
};

/// Prints the largest differences at the times that both have, and what each keeps of its invariants. The status of the
/// program: bad_verdict where a number of one table is none in the other. Throws Error(bad_file | bad_value) where the
/// tables cannot be compared.
int compare_tables(const std::string& first, const std::string& second, const ComparedOutput& wanted);

}  // namespace gnomon::program
