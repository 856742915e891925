#pragma once
/// \file
/// Where the case files are.

#include <string>

namespace gnomon::program {

/// `given` if not empty; else the source tree's folder while it exists; else share/gnomon/cases beside the program's
/// own folder. Throws Error(bad_file) when there is none.
std::string case_folder(const std::string& given);

}  // namespace gnomon::program
