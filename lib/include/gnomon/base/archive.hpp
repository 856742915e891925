#pragma once
/// \file
/// Archive: values in a fixed order, written to bytes or read back from them bit by bit. One function of a class,
/// serialize(Archive&), says the order once for both directions.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/base/types.hpp"

namespace gnomon {

class GNOMON_EXPORT Archive {
 public:
  /// Writes.
  Archive() = default;
  /// Reads what another one wrote.
  explicit Archive(std::string bytes) : bytes_(std::move(bytes)), reading_(true) {}

  bool reading() const { return reading_; }
  const std::string& bytes() const { return bytes_; }
  /// True when everything was read.
  bool at_end() const { return position_ == bytes_.size(); }
  /// What was read is checked before it is used: bytes may be anything. Throws Error(bad_file) when reading.
  void require(bool holds, const char* sentence) const;

  /// Writes or reads each value in turn. Reading throws Error(bad_file) where the bytes end too early.
  template <class... T>
  void operator()(T&... values) {
    (serialize(values), ...);
  }

 private:
  void raw(void* data, std::size_t size);
  /// A length that what is left of the bytes can hold.
  std::size_t length(std::size_t mine, std::size_t entry_size);

  void serialize(double& x) { raw(&x, sizeof x); }
  void serialize(bool& x);
  void serialize(int& x);
  void serialize(long& x);
  /// As a sum of doubles, which is the same on every machine.
  void serialize(long double& x);
  void serialize(std::string& x);
  void serialize(Vector& x);
  void serialize(Matrix& x);
  template <class A, class B>
  void serialize(std::pair<A, B>& x) {
    serialize(x.first);
    serialize(x.second);
  }
  template <class T>
  void serialize(std::vector<T>& x) {
    x.resize(length(x.size(), 1));
    for (T& entry : x) serialize(entry);
  }
  template <class T>
  void serialize(T& x) {
    x.serialize(*this);
  }

  std::string bytes_;
  std::size_t position_ = 0;
  bool reading_ = false;
};

}  // namespace gnomon
