#pragma once
/// \file
/// Work that may crash, in a process of its own.

#include <sys/types.h>

#include <functional>
#include <string>

#include "gnomon/base/error.hpp"

namespace gnomon {

/// A process that answers requests. What ends it, a crash of a library, a minute of computing for one answer or some
/// minutes of waiting, as for a lock in memory that a damaged file has overwritten, ends it alone. It has no standard
/// error: what libraries print about a crash helps nobody.
class GNOMON_EXPORT AnsweringProcess {
 public:
  using Answer = std::function<std::string(const std::string& request)>;
  /// `begin` is called in the new process; what it returns answers there. For sentences: what it reads, by which
  /// library, as in "table \"a.h5\"", "HDF5". seconds: the most that an answer may take by the clock.
  AnsweringProcess(std::string file, std::string library, const std::function<Answer()>& begin, unsigned seconds = 300);
  AnsweringProcess(const AnsweringProcess&) = delete;
  AnsweringProcess& operator=(const AnsweringProcess&) = delete;
  ~AnsweringProcess() { end(); }

  /// Throws what begin or the answer throws, as an Error, and Error(bad_file) where the process has ended.
  std::string ask(const std::string& request);

 private:
  int end();

  std::string file_, library_;
  int socket_ = -1;
  pid_t child_ = -1;
};

}  // namespace gnomon
