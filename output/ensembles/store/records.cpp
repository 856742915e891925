#include "ensembles/store/records.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "gnomon/base/error.hpp"

namespace gnomon::ensembles {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t head_bytes = 2 * sizeof(std::uint32_t);
constexpr std::size_t message_bytes = 256;
constexpr mode_t as_umask_allows = 0666;

std::uint32_t checksum(long run, const unsigned char* bytes, std::size_t size) {
  boost::crc_32_type crc;
  crc.process_bytes(&run, sizeof run);
  crc.process_bytes(bytes, size);
  return crc.checksum();
}

/// At most `most` bytes, with no letter cut in two.
std::string cut(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

std::string name_of(const std::string& folder, int rank, const char* kind) {
  return fmt::format("{}/rank-{}.{}", folder, rank, kind);
}

}  // namespace

OpenFile::OpenFile(std::string path, int flags)
    : path_(std::move(path)), descriptor_(::open(path_.c_str(), flags | O_CLOEXEC, as_umask_allows)) {
  if (descriptor_ < 0)
    throw Error(ErrorCode::bad_file, fmt::format("file \"{}\" cannot be opened: {}", path_, std::strerror(errno)));
}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OpenFile::write(const void* bytes, std::size_t size, long offset) const {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::pwrite(descriptor_, at, size, offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      throw Error(ErrorCode::bad_file, fmt::format("file \"{}\" cannot be written: {}", path_, std::strerror(errno)));
    at += written;
    offset += written;
    size -= static_cast<std::size_t>(written);
  }
}

std::size_t OpenFile::read(void* bytes, std::size_t size, long offset) const {
  char* at = static_cast<char*>(bytes);
  std::size_t total = 0;
  while (total < size) {
    const ssize_t got = ::pread(descriptor_, at + total, size - total, offset + static_cast<long>(total));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw Error(ErrorCode::bad_file, fmt::format("file \"{}\" cannot be read: {}", path_, std::strerror(errno)));
    if (got == 0) break;
    total += static_cast<std::size_t>(got);
  }
  return total;
}

long OpenFile::data_from(long offset) const {
  const off_t found = ::lseek(descriptor_, offset, SEEK_DATA);
  if (found >= 0) return found;
  return errno == ENXIO ? -1 : offset;  // a file system without holes: everything is data
}

RecordWriter::RecordWriter(const std::string& folder, int rank, long first, std::size_t width)
    : runs_(name_of(folder, rank, "runs"), O_WRONLY | O_CREAT),
      messages_(name_of(folder, rank, "messages"), O_WRONLY | O_CREAT),
      first_(first),
      record_(head_bytes + width * sizeof(double)) {}

void RecordWriter::write(const EnsembleRow& row) {
  if (row.status != RunStatus::success) {
    unsigned char bytes[message_bytes] = {};
    const std::string text = cut(row.message, message_bytes - head_bytes);
    const auto length = static_cast<std::uint32_t>(text.size());
    std::memcpy(bytes + sizeof length, &length, sizeof length);
    std::memcpy(bytes + head_bytes, text.data(), text.size());
    const std::uint32_t sum = checksum(row.run, bytes + sizeof sum, message_bytes - sizeof sum);
    std::memcpy(bytes, &sum, sizeof sum);
    messages_.write(bytes, message_bytes, (row.run - first_) * static_cast<long>(message_bytes));
  }
  const auto status = static_cast<std::uint32_t>(row.status) + 1;
  std::memcpy(record_.data() + sizeof status, &status, sizeof status);
  std::memcpy(record_.data() + head_bytes, row.values, record_.size() - head_bytes);
  const std::uint32_t sum = checksum(row.run, record_.data() + sizeof sum, record_.size() - sizeof sum);
  std::memcpy(record_.data(), &sum, sizeof sum);
  runs_.write(record_.data(), record_.size(), (row.run - first_) * static_cast<long>(record_.size()));
}

RecordReader::RecordReader(const std::string& folder, long first, long end, std::size_t width)
    : first_(first), end_(end), width_(width), size_(head_bytes + width * sizeof(double)) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".runs")
      names.push_back((entry.path().parent_path() / entry.path().stem()).string());
  std::sort(names.begin(), names.end());
  for (const std::string& name : names)
    files_.push_back({OpenFile(name + ".runs", O_RDONLY), OpenFile(name + ".messages", O_RDONLY | O_CREAT), 0});
}

void RecordReader::fill(long begin, long end) {
  const auto count = static_cast<std::size_t>(end - begin);
  block_.begin = begin;
  block_.status.assign(count, 0);
  block_.values.resize(count * width_);
  bytes_.resize(count * size_);
  const auto statuses = static_cast<std::uint32_t>(run_statuses().size());
  const long from = (begin - first_) * static_cast<long>(size_), to = from + static_cast<long>(bytes_.size());
  for (Files& file : files_) {
    if (begin == first_ || (file.data >= 0 && file.data < from)) file.data = file.runs.data_from(from);
    if (file.data < 0 || file.data >= to) continue;
    const std::size_t there = file.runs.read(bytes_.data(), bytes_.size(), from);
    for (std::size_t i = 0; (i + 1) * size_ <= there; ++i) {
      const unsigned char* const record = bytes_.data() + i * size_;
      std::uint32_t sum = 0, status = 0;
      std::memcpy(&sum, record, sizeof sum);
      std::memcpy(&status, record + sizeof sum, sizeof status);
      if (status == 0 || block_.status[i] != 0 || status > statuses) continue;
      if (checksum(begin + static_cast<long>(i), record + sizeof sum, size_ - sizeof sum) != sum) continue;
      block_.status[i] = status;
      if (width_ > 0) std::memcpy(&block_.values[i * width_], record + head_bytes, width_ * sizeof(double));
    }
  }
}

std::string RecordReader::message(long run) const {
  for (const Files& file : files_) {
    unsigned char bytes[message_bytes];
    if (file.messages.read(bytes, message_bytes, (run - first_) * static_cast<long>(message_bytes)) < message_bytes)
      continue;
    std::uint32_t sum = 0, length = 0;
    std::memcpy(&sum, bytes, sizeof sum);
    std::memcpy(&length, bytes + sizeof sum, sizeof length);
    if (length > message_bytes - head_bytes || checksum(run, bytes + sizeof sum, message_bytes - sizeof sum) != sum)
      continue;
    return {reinterpret_cast<const char*>(bytes) + head_bytes, length};
  }
  return {};
}

}  // namespace gnomon::ensembles
