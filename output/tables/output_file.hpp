#pragma once
/// \file
/// What a user asked to be written.

#include <cstdio>
#include <memory>
#include <string>

#include "gnomon/base/whole_file.hpp"

namespace gnomon::tables {

/// A WholeFile: without commit() nothing is left behind. A target that is no regular file (a device, a pipe) is written
/// directly.
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
  std::string path_;
  std::unique_ptr<WholeFile> whole_;
  std::FILE* stream_ = nullptr;
};

}  // namespace gnomon::tables
