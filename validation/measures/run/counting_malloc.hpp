#pragma once
/// \file
/// Counts every allocation of the process, of shared libraries too.

namespace gnomon {
class Integrator;
}

namespace gnomon::validation {

/// While one exists, counting is on.
class CountAllocations {
 public:
  CountAllocations();
  ~CountAllocations();
  long count() const;
  /// False in builds whose malloc belongs to somebody else (sanitizers): count() is zero there.
  static bool available();
};

/// Whether a matrix of many unknowns that steps rarely take is made, and allocates, where it is first needed: beside
/// the simplified one of a scheme, see JacobianSystem::attach.
bool makes_matrices_late(Integrator& integrator);

}  // namespace gnomon::validation
