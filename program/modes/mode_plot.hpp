#pragma once
/// \file
/// Mode shapes as a picture.

#include <string>
#include <vector>

#include "gnomon/model/problem.hpp"
#include "gnomon/solve/linearisation.hpp"

namespace gnomon::program {

/// Before anything is computed: throws Error(refused) for a problem without curves, and as require_picture.
void require_mode_plot(const ProblemInstance& instance, const std::string& path);

/// The curves of the problem at q in grey, and displaced along the real part of a mode shape to both sides, so far that
/// the points move by a tenth of the size of the drawing at most: a frame for each of the first six modes that
/// oscillate. Displaced positions are projected onto the constraints. Throws Error(refused) where no mode oscillates.
void draw_modes(const ProblemInstance& instance, double t, const Vector& q, const std::vector<Mode>& modes,
                const std::string& title, const std::string& path);

}  // namespace gnomon::program
