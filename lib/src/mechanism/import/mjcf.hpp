#pragma once
/// \file
/// MJCF, the model files of MuJoCo, as a model file of bodies and joints.

#include <string>

namespace gnomon::mechanism {

/// The model file that a text in MJCF is, with comments where something was decided and where something has no
/// counterpart. Connections and welds are exact constraints, not soft ones; joints of a body after its first one are at
/// links of 1e-9 of its mass between them. Throws Error(bad_value) with file and line for what is no MJCF or no
/// mechanism, and Error(refused) where the library was built without tinyxml2.
std::string mjcf_as_toml(const std::string& xml, const std::string& file, const std::string& folder = "");

}  // namespace gnomon::mechanism
