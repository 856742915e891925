#pragma once
/// \file
/// The modes as `gnomon linearise` and `gnomon equilibrium --modes` write them: a table, rows of a CSV file, JSON.

#include <json/value.h>

#include <cstdio>
#include <string>
#include <vector>

#include "gnomon/solve/linearisation.hpp"

namespace gnomon::program {

/// resting: the state is one without motion.
void print_modes(std::FILE* out, const System& system, const Linearisation& linear, const std::vector<Mode>& modes,
                 bool resting);

/// A row a mode: its numbers, then the real and the imaginary part of each coordinate. Throws Error(bad_file).
void write_modes(const std::string& path, const System& system, const std::vector<Mode>& modes);

/// {"s": [re, im], "frequency", "damping_ratio", "rigid", "real", "imag"} of each
Json::Value modes_json(const std::vector<Mode>& modes);
/// A row an array.
Json::Value matrix_json(const Matrix& matrix);

}  // namespace gnomon::program
