#include "tables/crc32.hpp"

#include <array>

namespace gnomon::tables {

namespace {

/// What a byte makes of the sum, with 0 to 7 bytes after it.
using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr CrcTables crc_tables() {
  CrcTables t{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1U ^ (sum % 2 != 0 ? 0xedb88320U : 0U);
    t[0][byte] = sum;
  }
  for (std::size_t after = 1; after < t.size(); ++after)
    for (std::size_t byte = 0; byte < 256; ++byte)
      t[after][byte] = t[after - 1][byte] >> 8U ^ t[0][t[after - 1][byte] & 0xffU];
  return t;
}

constexpr CrcTables crc_table = crc_tables();

}  // namespace

void Crc32::add(const void* bytes, std::size_t size) {
  const auto* p = static_cast<const unsigned char*>(bytes);
  std::uint32_t sum = state_;
  for (; size >= 8; p += 8, size -= 8)
    sum = crc_table[7][(p[0] ^ sum) & 0xffU] ^ crc_table[6][(p[1] ^ sum >> 8U) & 0xffU] ^
          crc_table[5][(p[2] ^ sum >> 16U) & 0xffU] ^ crc_table[4][p[3] ^ sum >> 24U] ^ crc_table[3][p[4]] ^
          crc_table[2][p[5]] ^ crc_table[1][p[6]] ^ crc_table[0][p[7]];
  for (; size > 0; ++p, --size) sum = sum >> 8U ^ crc_table[0][(*p ^ sum) & 0xffU];
  state_ = sum;
}

}  // namespace gnomon::tables
