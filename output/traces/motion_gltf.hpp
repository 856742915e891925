#pragma once
/// \file
/// The motion of bodies as glTF, for programs that show and render scenes.

#include <string>

#include "traces/run_trace.hpp"

namespace gnomon::traces {

/// The bodies of a run in space with their motion, an animation with one channel of translation and one of rotation a
/// body, as the bytes of a .glb file, in which y is upwards. Throws Error(refused) for a model without bodies in space,
/// and where the program was built without tinygltf.
std::string motion_gltf(const RunTrace& run);

}  // namespace gnomon::traces
