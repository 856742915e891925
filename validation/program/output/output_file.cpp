#include "program/output/output_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "gnomon/base/error.hpp"

namespace gnomon::program {

namespace {

Error cannot_write(const std::string& path, const std::string& why) {
  return {ErrorCode::bad_file, "output file \"" + path + "\" cannot be written: " + why};
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (path.empty()) throw cannot_write(path, "the name is empty");
  if (fs::is_directory(status)) throw cannot_write(path, "it is a folder");
  if (fs::exists(status) && access(path.c_str(), W_OK) != 0) throw cannot_write(path, std::strerror(errno));
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    stream_ = std::fopen(path.c_str(), "w");
    if (!stream_) throw cannot_write(path, std::strerror(errno));
    return;
  }
  std::string pattern = path + ".XXXXXX";
  const int descriptor = mkstemp(pattern.data());
  if (descriptor < 0) throw cannot_write(path, std::strerror(errno));
  temporary_ = pattern;
  stream_ = fdopen(descriptor, "w");
}

OutputFile::~OutputFile() {
  if (stream_) std::fclose(stream_);
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void OutputFile::commit() {
  const bool failed = std::ferror(stream_) != 0;
  const bool unflushed = std::fclose(stream_) != 0;
  stream_ = nullptr;
  if (failed || unflushed) throw cannot_write(path_, "not everything could be stored");
  if (temporary_.empty()) return;
  // mkstemp makes the file private; the target gets what a plain open would give.
  namespace fs = std::filesystem;
  const mode_t mask = umask(0);
  umask(mask);
  std::error_code failure;
  fs::permissions(temporary_, static_cast<fs::perms>(0666 & ~mask), failure);
  fs::rename(temporary_, path_, failure);
  if (failure) throw cannot_write(path_, failure.message());
  temporary_.clear();
}

}  // namespace gnomon::program
