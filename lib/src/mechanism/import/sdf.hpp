#pragma once
/// \file
/// SDFormat, the description format of Gazebo's simulations, as a model file of bodies and joints.

#include <string>

namespace gnomon::mechanism {

/// The model file that a text in SDFormat is, read by libsdformat in a process of its own, with comments where
/// something was decided and where something has no counterpart. What is static, or joined to the world by a fixed
/// joint, is fixed in space; all else may move. A joint between links that are joined already closes a loop. Throws
/// Error(bad_value) with file and line for what is no SDFormat or no mechanism, Error(bad_file) where the library
/// crashes, and Error(refused) where the module that knows it is missing.
std::string sdf_as_toml(const std::string& xml, const std::string& file, const std::string& folder = "");

}  // namespace gnomon::mechanism
