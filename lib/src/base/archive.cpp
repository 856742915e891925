#include "gnomon/base/archive.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "gnomon/base/error.hpp"

namespace gnomon {

static_assert(sizeof(long) == sizeof(std::int64_t) && sizeof(Index) == sizeof(std::int64_t),
              "checkpoints hold whole numbers of 64 bits");

namespace {

[[noreturn]] void too_short() {
  throw Error(ErrorCode::bad_file, "its content ends too early");
}

}  // namespace

void Archive::require(bool holds, const char* sentence) const {
  if (reading_ && !holds) throw Error(ErrorCode::bad_file, sentence);
}

void Archive::raw(void* data, std::size_t size) {
  if (size == 0) return;  // what is empty may have no address, which memcpy must not see
  if (!reading_) {
    bytes_.append(static_cast<const char*>(data), size);
    return;
  }
  if (size > bytes_.size() - position_) too_short();
  std::memcpy(data, bytes_.data() + position_, size);
  position_ += size;
}

std::size_t Archive::length(std::size_t mine, std::size_t entry_size) {
  std::uint64_t count = mine;
  raw(&count, sizeof count);
  if (reading_ && count > (bytes_.size() - position_) / entry_size) too_short();
  return count;
}

void Archive::serialize(bool& x) {
  char byte = x ? 1 : 0;
  raw(&byte, 1);
  require(byte == 0 || byte == 1, "a byte is no truth value");
  x = byte != 0;
}

void Archive::serialize(int& x) {
  long wide = x;
  serialize(wide);
  require(wide >= std::numeric_limits<int>::min() && wide <= std::numeric_limits<int>::max(),
          "a whole number is too large");
  x = static_cast<int>(wide);
}

void Archive::serialize(long& x) {
  raw(&x, sizeof x);
}

void Archive::serialize(long double& x) {
  // Three doubles hold the 113 bits of the longest format there is.
  double parts[3];
  long double rest = x;
  for (double& part : parts) {
    part = static_cast<double>(rest);
    rest -= part;
  }
  for (double& part : parts) serialize(part);
  x = static_cast<long double>(parts[0]) + (static_cast<long double>(parts[1]) + parts[2]);
}

void Archive::serialize(std::string& x) {
  x.resize(length(x.size(), 1));
  raw(x.data(), x.size());
}

void Archive::serialize(Vector& x) {
  x.resize(static_cast<Index>(length(static_cast<std::size_t>(x.size()), sizeof(double))));
  raw(x.data(), sizeof(double) * static_cast<std::size_t>(x.size()));
}

void Archive::serialize(Matrix& x) {
  long rows = x.rows(), cols = x.cols();
  serialize(rows);
  serialize(cols);
  const std::size_t size = length(static_cast<std::size_t>(x.size()), sizeof(double));
  const auto most = static_cast<long>(std::max<std::size_t>(size, 1L << 31));  // the product stays a number
  require(rows >= 0 && cols >= 0 && rows <= most && cols <= most &&
              static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) == size,
          "the sizes of a matrix do not fit its entries");
  x.resize(rows, cols);
  raw(x.data(), sizeof(double) * size);
}

}  // namespace gnomon
