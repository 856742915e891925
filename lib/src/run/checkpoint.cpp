#include "gnomon/run/checkpoint.hpp"

#include <boost/crc.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gnomon/base/archive.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/whole_file.hpp"

namespace gnomon {

namespace {

constexpr char magic[] = "GNOMONCP";
constexpr std::size_t magic_size = sizeof magic - 1;
constexpr std::uint32_t format = 10, byte_order = 0x01020304;

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

  WholeFile out("checkpoint", file);
  out.write(bytes);
  out.commit();
}

Checkpoint read_checkpoint(const std::string& file) {
  const auto refuse = [&](const std::string& why) {
    return Error(ErrorCode::bad_file, "checkpoint \"" + file + "\" cannot be used: " + why);
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) throw refuse("it is a folder");
  if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored))
    throw refuse("it is no regular file");
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
  try {
    content(checkpoint.identity, checkpoint.note, checkpoint.state);
    content.require(content.at_end(), "there is something behind its content");
  } catch (const Error& error) {
    throw refuse(error.what());
  }
  return checkpoint;
}

}  // namespace gnomon
