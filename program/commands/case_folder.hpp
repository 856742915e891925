#pragma once
/// \file
/// Where the case files and the models of the gallery are.

#include <string>
#include <vector>

namespace gnomon::program {

/// `given` if not empty; else the source tree's folder while it exists; else share/gnomon/cases beside the program's
/// own folder. Throws Error(bad_file) when there is none.
std::string case_folder(const std::string& given);

/// Where "gallery/NAME.toml" and the validation's "models/NAME.toml" are: in the source tree while that exists, else in
/// share/gnomon.
std::vector<std::string> model_folders();

/// The file of a model, by itself or in one of these folders; "" for a problem that is none.
std::string model_path(const std::string& problem);

}  // namespace gnomon::program
