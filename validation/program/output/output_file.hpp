#pragma once
/// \file
/// A file that appears whole or not at all.

#include <cstdio>
#include <memory>
#include <string>

namespace gnomon::program {

/// Writes to a temporary beside the target; commit() renames it over the target. Without commit nothing is left behind.
/// A target that is no regular file (a device, a pipe) is written directly.
class OutputFile {
 public:
  /// Throws Error(bad_file) when the target cannot be written.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::FILE* stream() const { return stream_; }
  /// Throws Error(bad_file) when something could not be written (disk full).
  void commit();

 private:
  std::string path_, temporary_;
  std::FILE* stream_ = nullptr;
};

}  // namespace gnomon::program
