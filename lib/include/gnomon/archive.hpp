#pragma once
/// \file
/// Archive: values in a fixed order, written to bytes or read back from them bit by bit. One function of a class,
/// exchange(Archive&), says the order once for both directions.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/types.hpp"

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

  /// Writes or reads each value in turn. Reading throws Error(bad_file) where the bytes end too early.
  template <class... T>
  void operator()(T&... values) {
    (exchange(values), ...);
  }

 private:
  void raw(void* data, std::size_t size);
  /// A length that what is left of the bytes can hold.
  std::size_t length(std::size_t mine, std::size_t entry_size);

  void exchange(double& x) { raw(&x, sizeof x); }
  void exchange(bool& x);
  void exchange(int& x);
  void exchange(long& x);
  /// As a sum of doubles, which is the same on every machine.
  void exchange(long double& x);
  void exchange(std::string& x);
  void exchange(Vector& x);
  void exchange(Matrix& x);
  template <class A, class B>
  void exchange(std::pair<A, B>& x) {
    exchange(x.first);
    exchange(x.second);
  }
  template <class T>
  void exchange(std::vector<T>& x) {
    x.resize(length(x.size(), 1));
    for (T& entry : x) exchange(entry);
  }
  template <class T>
  void exchange(T& x) {
    x.exchange(*this);
  }

  std::string bytes_;
  std::size_t position_ = 0;
  bool reading_ = false;
};

}  // namespace gnomon
