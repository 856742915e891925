#pragma once
/// \file
/// Rows of numbers that grow by one at a time and become an array of NumPy without a copy.

#include <algorithm>
#include <cstdlib>
#include <new>

#include "core.hpp"

namespace gnomon::python {

class Rows {
 public:
  explicit Rows(std::size_t width) : width_(width) {}
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  ~Rows() { std::free(data_); }

  std::size_t size() const { return size_; }
  std::size_t width() const { return width_; }
  /// A new row, not initialised. Large blocks grow by moving pages, not by copying them.
  double* add() {
    if (size_ == capacity_) reserve(capacity_ ? 2 * capacity_ : 64);
    return data_ + width_ * size_++;
  }
  void drop_last() { --size_; }
  const double* last() const { return data_ + width_ * (size_ - 1); }
  void reserve(std::size_t rows) {
    if (rows <= capacity_ || width_ == 0) return;
    void* const moved = std::realloc(data_, rows * width_ * sizeof(double));
    if (!moved) throw std::bad_alloc();
    data_ = static_cast<double*>(moved);
    capacity_ = rows;
  }

  /// width x size, a column a row of this one; NumPy owns it from now on.
  py::array_t<double> take_columns() {
    const auto rows = static_cast<py::ssize_t>(size_), width = static_cast<py::ssize_t>(width_);
    double* const data = release();
    const py::capsule owner(data, std::free);
    constexpr py::ssize_t one = sizeof(double);
    return py::array_t<double>({width, rows}, {one, width * one}, data, owner);
  }
  /// Of width 1: a vector.
  py::array_t<double> take_vector() {
    const auto rows = static_cast<py::ssize_t>(size_);
    double* const data = release();
    return py::array_t<double>({rows}, {static_cast<py::ssize_t>(sizeof(double))}, data, py::capsule(data, std::free));
  }

 private:
  /// What is left over goes back to the system. Never null: a capsule holds no null.
  double* release() {
    const std::size_t bytes = std::max<std::size_t>(size_ * width_, 1) * sizeof(double);
    void* const fitted = std::realloc(data_, bytes);
    if (!fitted) throw std::bad_alloc();
    data_ = nullptr;
    size_ = capacity_ = 0;
    return static_cast<double*>(fitted);
  }

  std::size_t width_, size_ = 0, capacity_ = 0;
  double* data_ = nullptr;
};

}  // namespace gnomon::python
