#pragma once
/// \file
/// URDF, the Unified Robot Description Format of ROS, as a model file of bodies and joints.

#include <string>

namespace gnomon::mechanism {

/// The model file that a text in URDF is, with comments where something was decided and where something has no
/// counterpart. The root link is fixed in space; links that are fixed to each other are one body; every joint that
/// turns or slides starts at the parameters NAME_start and NAME_speed. Throws Error(bad_value) with file and line for
/// what is no URDF or no mechanism, and Error(refused) where the library was built without tinyxml2.
std::string urdf_as_toml(const std::string& xml, const std::string& file, const std::string& folder = "");

}  // namespace gnomon::mechanism
