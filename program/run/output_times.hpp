#pragma once
/// \file
/// Times at which a run writes its states.

#include <string>
#include <vector>

namespace gnomon::program {

/// "0:0.01:10" is 0, 0.01, ... up to 10, which is among them where the interval fits; "0,1,2.5" are those. They ascend,
/// and lie between the start and the end of the run. Throws Error(bad_value) that names --times and its value.
std::vector<double> parse_times(const std::string& text, double start, double end);

}  // namespace gnomon::program
