#pragma once
/// \file
/// Counts every allocation of the process, of shared libraries too.

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

}  // namespace gnomon::validation
