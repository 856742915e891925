#pragma once
/// \file
/// A flag that ends a computation: set by a signal handler or by another thread, read by the one that computes.

#include <csignal>

namespace gnomon {

inline void set_flag(volatile std::sig_atomic_t& flag, std::sig_atomic_t value) {
  __atomic_store_n(&flag, value, __ATOMIC_RELAXED);
}
/// False for a null pointer: there is none.
inline bool flag_is_set(const volatile std::sig_atomic_t* flag) {
  return flag != nullptr && __atomic_load_n(flag, __ATOMIC_RELAXED) != 0;
}

}  // namespace gnomon
