#include "gnomon/run/checkpoint.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/crc.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gnomon/base/archive.hpp"
#include "gnomon/base/error.hpp"

namespace gnomon {

namespace {

constexpr char magic[] = "GNOMONCP";
constexpr std::size_t magic_size = sizeof magic - 1;
constexpr std::uint32_t format = 2, byte_order = 0x01020304;

struct Header {
  char magic[magic_size];
  std::uint32_t format, byte_order;
  std::uint64_t content_size;
};
static_assert(sizeof(Header) == 24, "the header has no gaps");

std::uint32_t checksum(const std::string& bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

Error cannot_write(const std::string& file) {
  return {ErrorCode::bad_file, "checkpoint \"" + file + "\" cannot be written: " + std::strerror(errno)};
}

/// Closes it in the end.
class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  bool open() const { return descriptor_ >= 0; }
  bool write(const std::string& bytes) const {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t count = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
      if (count < 0 && errno != EINTR) return false;
      if (count > 0) done += static_cast<std::size_t>(count);
    }
    return true;
  }
  bool sync() const { return ::fsync(descriptor_) == 0; }

 private:
  int descriptor_;
};

}  // namespace

void write_checkpoint(const std::string& file, const Checkpoint& checkpoint) {
  Checkpoint copy = checkpoint;
  Archive content;
  content(copy.identity, copy.note, copy.state);
  Header header;
  std::memcpy(header.magic, magic, magic_size);
  header.format = format;
  header.byte_order = byte_order;
  header.content_size = content.bytes().size();
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes += content.bytes();
  const std::uint32_t sum = checksum(bytes);
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);

  const std::string part = file + ".part";
  {
    const Descriptor out(::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!out.open() || !out.write(bytes) || !out.sync()) {
      const Error error = cannot_write(file);
      if (out.open()) ::unlink(part.c_str());
      throw error;
    }
  }
  if (::rename(part.c_str(), file.c_str()) != 0) {
    const Error error = cannot_write(file);
    ::unlink(part.c_str());
    throw error;
  }
  // The new name is on disk only when its folder is. Some file systems cannot be asked to do that, and do it anyway.
  const auto folder = std::filesystem::absolute(file).parent_path();
  const Descriptor names(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (names.open()) names.sync();
}

Checkpoint read_checkpoint(const std::string& file) {
  const auto refuse = [&](const std::string& why) {
    return Error(ErrorCode::bad_file, "checkpoint \"" + file + "\" cannot be used: " + why);
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) throw refuse("it is a folder");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw refuse(std::strerror(errno));
  std::ostringstream all;
  all << in.rdbuf();
  const std::string bytes = all.str();

  Header header;
  if (bytes.size() < sizeof header || std::memcmp(bytes.data(), magic, magic_size) != 0)
    throw refuse("it is no checkpoint of Gnomon");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.byte_order != byte_order) throw refuse("it was written on a machine with another byte order");
  if (header.format != format)
    throw refuse("it has format " + std::to_string(header.format) + ", and format " + std::to_string(format) +
                 " is expected");
  const std::size_t around = sizeof header + sizeof(std::uint32_t);
  if (bytes.size() < around || bytes.size() - around != header.content_size)
    throw refuse("it has " + std::to_string(bytes.size()) + " bytes where its header announces " +
                 std::to_string(header.content_size) + " and " + std::to_string(around) + " around them");
  std::uint32_t sum;
  std::memcpy(&sum, bytes.data() + bytes.size() - sizeof sum, sizeof sum);
  if (sum != checksum(bytes.substr(0, bytes.size() - sizeof sum)))
    throw refuse("it is damaged, its checksum is not that of its content");
  Checkpoint checkpoint;
  Archive content(bytes.substr(sizeof header, header.content_size));
  content(checkpoint.identity, checkpoint.note, checkpoint.state);
  return checkpoint;
}

}  // namespace gnomon
