#pragma once
/// \file
/// A problem from a model file: coordinates, mass, potential, constraints and what else a model has, as formulas.
///
///     const auto problem = read_model_file("pendulum.toml");
///     ProblemInstance instance = problem->build(Options("problem pendulum", problem->parameters(), {{"l", "2"}}));
///
/// Everything that takes the name of a problem takes such a file too: Registry::problem("pendulum.toml"). What a file
/// contains is described in the manual (manual/models/formulas.md and mechanisms.md). A formula becomes a tape
/// (tape.hpp), as a C++ model does; degrees, sparsity and the use of time are found.

#include <memory>
#include <string>

#include "gnomon/model/problem.hpp"

namespace gnomon {

/// Whether a name is that of a model file: it ends in ".toml", or is that of a robot file.
GNOMON_EXPORT bool is_model_file(const std::string& name);
/// Whether it is that of a robot in another format, of which a model file is made: it ends in ".urdf", ".sdf" or
/// ".xml", which is MuJoCo's.
GNOMON_EXPORT bool is_robot_file(const std::string& name);

/// The text of a model file, or the one that a robot file is, with paths of meshes relative to `folder`, which is
/// absolute, or absolute without one. Throws Error(bad_file) for a file that cannot be read,
/// and Error(bad_value) "file:line:1: sentence" for what is wrong in a robot file.
GNOMON_EXPORT std::string model_file_text(const std::string& file, const std::string& folder = "");

/// Throws Error(bad_file) for a file that cannot be read, and Error(bad_value) "file:line:column: sentence" for what is
/// wrong in it. build() throws the same for what only the values of parameters show.
GNOMON_EXPORT std::unique_ptr<const Problem> read_model_file(const std::string& file);

/// The same from the text of a file; `file` is its name in sentences.
GNOMON_EXPORT std::unique_ptr<const Problem> read_model_text(const std::string& toml, const std::string& file);

/// The names that `assemble` or `project` in the file moved for the start to fit, each with its largest change of a
/// coordinate: "crank by 0.12 and rocker by 0.03". Empty where neither is asked for, and of other models.
GNOMON_EXPORT std::string moved_start(const Model& model);

/// The bodies whose inertia no body has and `repair = true` replaced, with their principal moments before and after.
/// Empty where there are none, and of other models.
GNOMON_EXPORT std::string repaired_inertias(const Model& model);

}  // namespace gnomon
