#include "gnomon/base/whole_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>
#include <utility>

#include "gnomon/base/error.hpp"

namespace gnomon {

namespace fs = std::filesystem;

namespace {

constexpr mode_t as_umask_allows = 0666;

/// Calls make(name) with names that are hardly taken, until one of them is not. False with errno.
template <class Make>
bool with_new_name(const std::string& target, std::string& name, Make&& make) {
  std::random_device random;
  for (int attempt = 0; attempt < 100; ++attempt) {
    name = target + "." + std::to_string(random()) + ".part";
    if (make(name.c_str())) return true;
    if (errno != EEXIST) break;
  }
  name.clear();
  return false;
}

/// No signal is delivered while it lives: what is between two names would stay.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

std::string followed(const std::string& path) {
  constexpr int most_links = 40;
  std::error_code failed;
  fs::path at = path;
  for (int links = 0; fs::is_symlink(fs::symlink_status(at, failed)); ++links) {
    if (links == most_links) return path;
    at = at.parent_path() / fs::read_symlink(at, failed);
  }
  const fs::path whole = fs::weakly_canonical(fs::absolute(at, failed), failed);
  return whole.empty() ? at.string() : whole.string();
}

WholeFile::WholeFile(std::string what, const std::string& path)
    : what_(std::move(what)), path_(path), target_(followed(path)) {
  if (path.empty()) fail("the name is empty");
  std::error_code ignored;
  if (fs::is_symlink(fs::symlink_status(target_, ignored))) fail("its symbolic links go round in a circle");
  struct stat old;
  const bool exists = ::stat(target_.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) fail("it is a folder");
  if (exists && !S_ISREG(old.st_mode)) fail("it is no regular file");
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail(std::strerror(errno));
  if (!open_without_name() && !open_with_name()) fail(std::strerror(errno));
  if (exists) ::fchmod(descriptor_, old.st_mode & 07777);
}

WholeFile::~WholeFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void WholeFile::fail(const std::string& why) const {
  throw Error(ErrorCode::bad_file, what_ + " \"" + path_ + "\" cannot be written: " + why);
}

/// False where that is not to be had, which says nothing about files with a name.
bool WholeFile::open_without_name() {
#ifdef O_TMPFILE
  if (::access("/proc/self/fd", X_OK) != 0) return false;  // the way from a descriptor to a name
  const std::string folder = fs::path(target_).parent_path().string();
  descriptor_ = ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, as_umask_allows);
#endif
  return descriptor_ >= 0;
}

bool WholeFile::open_with_name() {
  return with_new_name(target_, temporary_, [this](const char* name) {
    descriptor_ = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, as_umask_allows);
    return descriptor_ >= 0;
  });
}

bool WholeFile::give_name(std::string& name) const {
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor_);
  return with_new_name(target_, name, [&](const char* free) {
    return ::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, free, AT_SYMLINK_FOLLOW) == 0;
  });
}

void WholeFile::write(const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno != EINTR) fail(std::strerror(errno));
    if (count > 0) done += static_cast<std::size_t>(count);
  }
}

void WholeFile::commit() {
  if (::fsync(descriptor_) != 0) fail(std::strerror(errno));
  {
    const NoSignals quiet;
    if (temporary_.empty() && !give_name(temporary_)) fail(std::strerror(errno));
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(std::strerror(errno));
    temporary_.clear();
  }
  // The new name is on disk only when its folder is. Some file systems cannot be asked to do that, and do it anyway.
  const std::string folder = fs::absolute(target_).parent_path().string();
  const int names = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (names < 0) return;
  ::fsync(names);
  ::close(names);
}

}  // namespace gnomon
