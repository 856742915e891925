#pragma once
/// \file
/// A file that appears whole or not at all.

#include <string>

#include "gnomon/abi.h"

namespace gnomon {

/// The file that a path leads to, by whatever symbolic links, whether it exists or not; the path itself where they go
/// round in a circle.
GNOMON_EXPORT std::string followed(const std::string& path);

/// Writes to a file without a name in the folder of the target; commit() stores it to disk and gives it the name. What
/// ends before that, a signal too, leaves nothing behind and the target as it was. Where the file system has no files
/// without a name, it is one beside the target that nobody else has, and a killed process leaves it.
/// A target that is a symbolic link is what it points to; one that exists keeps its permissions.
class GNOMON_EXPORT WholeFile {
 public:
  /// `what` is what sentences call it, "output file". Throws Error(bad_file) when it cannot be written, or exists and
  /// is no regular file.
  WholeFile(std::string what, const std::string& path);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  /// To write to; its own.
  int descriptor() const { return descriptor_; }
  /// Throws Error(bad_file); then nothing has changed.
  void write(const std::string& bytes);
  void commit();

 private:
  [[noreturn]] void fail(const std::string& why) const;
  bool open_without_name();
  bool open_with_name();
  bool give_name(std::string& name) const;

  std::string what_, path_, target_, temporary_;  // temporary_: "" while the file has no name
  int descriptor_ = -1;
};

}  // namespace gnomon
