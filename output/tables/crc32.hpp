#pragma once
/// \file
/// CRC-32 as zlib has it, eight bytes at a time: files are written as fast as without it.

#include <cstddef>
#include <cstdint>

namespace gnomon::tables {

class Crc32 {
 public:
  void add(const void* bytes, std::size_t size);
  std::uint32_t value() const { return ~state_; }

 private:
  std::uint32_t state_ = ~0U;
};

}  // namespace gnomon::tables
