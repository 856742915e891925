#include "program/run/signals.hpp"

#include <signal.h>

#include <cstddef>
#include <iterator>

namespace gnomon::program {

namespace {

constexpr int watched[] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t caught_signal = 0;  // what a signal handler may set
struct sigaction before[std::size(watched)];

extern "C" void remember_signal(int signal) {
  if (caught_signal != 0) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }
  caught_signal = signal;
}

}  // namespace

Signals::Signals() {
  caught_signal = 0;
  struct sigaction remember = {};
  remember.sa_handler = remember_signal;
  sigemptyset(&remember.sa_mask);
  remember.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < std::size(watched); ++i) {
    sigaction(watched[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) sigaction(watched[i], &remember, nullptr);
  }
}

Signals::~Signals() {
  for (std::size_t i = 0; i < std::size(watched); ++i) sigaction(watched[i], &before[i], nullptr);
}

const volatile std::sig_atomic_t* Signals::caught() {
  return &caught_signal;
}

}  // namespace gnomon::program
