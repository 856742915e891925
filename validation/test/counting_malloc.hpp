#pragma once
/// \file
/// Counts every allocation of the process, of shared libraries too.

namespace gnomon::test {

/// While one exists, counting is on.
class CountAllocations {
 public:
  CountAllocations();
  ~CountAllocations();
  long count() const;
};

}  // namespace gnomon::test
