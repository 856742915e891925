/// \file
/// gnomon-fingerprint: the bits of the state after 100 steps, one line for every (scheme, problem, solver) that bind
/// accepts. Two trees whose lines agree compute the same numbers: it is run before and after code is moved.
///
///     gnomon-fingerprint [--cases FOLDER] [FILTER]          lines "scheme/problem solver steps hash"
///
/// The hash (FNV-1a, 64 bits) is over t, q, p with their compensations, the multipliers and the booked work. A run that
/// stops early shows the steps it took. Problems, parameters and step sizes are those of the conformance cases.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "gnomon/base/error.hpp"
#include "measures/setup.hpp"
#include "measures/solver/strategies.hpp"
#include "report/conformance.hpp"

namespace {

using namespace gnomon;

class Hash {
 public:
  void add(double x) {
    unsigned char bytes[sizeof x];
    std::memcpy(bytes, &x, sizeof x);
    for (const unsigned char byte : bytes) value_ = (value_ ^ byte) * 1099511628211ULL;
  }
  /// As the sum of two doubles: the padding of a long double is no part of its value.
  void add(long double x) {
    const double high = static_cast<double>(x);
    add(high);
    add(static_cast<double>(x - high));
  }
  void add(const Vector& v) {
    for (const double x : v) add(x);
  }
  unsigned long long value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037ULL;
};

unsigned long long hash_of(const State& z) {
  Hash hash;
  hash.add(z.t);
  hash.add(z.t_tail);
  for (const Compensated* part : {&z.q, &z.p}) {
    hash.add(part->value());
    hash.add(part->tail());
  }
  hash.add(z.lambda);
  for (int i = 0; i < Work::terms; ++i) hash.add(z.work.term(i));
  return hash.value();
}

constexpr long steps = 100;

void print(const Registry& registry, const validation::Case& c, const validation::Strategy& strategy) {
  const std::string solver = strategy.label();
  validation::Method method = c.method;
  method.solver = strategy.solver;
  method.solver_options = strategy.options;
  try {
    Integrator integrator = validation::started(registry, validation::build(registry, c), method);
    const StepReport report = integrator.advance(steps, c.step.front());
    std::printf("%s | %s | %ld | %016llx\n", c.name.c_str(), solver.c_str(), report.steps, hash_of(integrator.state()));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::refused) throw;
    std::printf("%s | %s | refused\n", c.name.c_str(), solver.c_str());
  }
  std::fflush(stdout);
}

int fingerprint(const std::string& folder, const std::string& filter) {
  Registry registry;
  register_builtin(registry);
  registry.add_model_folder(GNOMON_MODELS_FOLDER);
  registry.add_model_folder(GNOMON_CASES_FOLDER "/../data");
  for (const validation::Case& c : validation::all_cases(registry, folder, GNOMON_MODELS_FOLDER)) {
    if (c.kind != "conformance" || c.measure != "promises" || c.name.find(filter) == std::string::npos) continue;
    for (const validation::Strategy& strategy : validation::strategies(registry)) print(registry, c, strategy);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  std::string folder = GNOMON_CASES_FOLDER, filter;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--cases" && i + 1 < count)
      folder = arguments[++i];
    else if (argument[0] != '-' && filter.empty())
      filter = argument;
    else {
      std::fprintf(stderr,
                   "gnomon-fingerprint: \"%s\" is not expected; usage: gnomon-fingerprint [--cases FOLDER] "
                   "[FILTER]\n",
                   argument.c_str());
      return 2;
    }
  }
  try {
    return fingerprint(folder, filter);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gnomon-fingerprint: %s\n", error.what());
    return 2;
  }
}
