#pragma once
/// \file
/// What the files of built-in plug-ins say of their methods.

#include <map>
#include <string>

namespace gnomon::program {

/// From the name of a scheme, solver, algebra or reference to the comment at the head of its file, with its equations;
/// generated when the program is built. A module that was loaded has none.
const std::map<std::string, std::string>& heads();

}  // namespace gnomon::program
