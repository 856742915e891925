#include "tables/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "gnomon/base/error.hpp"

namespace gnomon::tables {

namespace {

Error cannot_write(const std::string& path, const std::string& why) {
  return {ErrorCode::bad_file, "output file \"" + path + "\" cannot be written: " + why};
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) {
    stream_ = std::fopen(path.c_str(), "w");
  } else {
    whole_ = std::make_unique<WholeFile>("output file", path);
    stream_ = fdopen(fcntl(whole_->descriptor(), F_DUPFD_CLOEXEC, 0), "w");
  }
  if (!stream_) throw cannot_write(path, std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (stream_) std::fclose(stream_);
}

void OutputFile::commit() {
  const bool failed = std::ferror(stream_) != 0;
  const bool unflushed = std::fclose(stream_) != 0;
  stream_ = nullptr;
  if (failed || unflushed) throw cannot_write(path_, "not everything could be stored");
  if (whole_) whole_->commit();
}

}  // namespace gnomon::tables
