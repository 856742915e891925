/// A run that is saved after half of its steps and goes on from the file in another integrator ends in the same state,
/// with the same statistics, bit by bit, as the run that was not interrupted.
#include "gnomon/run/checkpoint.hpp"

#include <unistd.h>

#include <filesystem>

#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

namespace {

/// A file name that no other process uses; removed in the end.
struct TemporaryFile {
  std::string path =
      (std::filesystem::temp_directory_path() / ("gnomon-" + std::to_string(getpid()) + ".gcp")).string();
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

std::string bytes_of(const Integrator& integrator, const TemporaryFile& file) {
  integrator.save(file.path);
  return read_checkpoint(file.path).state;
}

}  // namespace

Quantities measure_checkpoint(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const double h = c.step.front();
  const long half = c.steps / 2;
  const TemporaryFile file;

  Integrator whole = started(registry, instance, c.method);
  advance(whole, half, h);
  whole.save(file.path);
  const std::string middle = read_checkpoint(file.path).state;
  Integrator second = started(registry, instance, c.method);
  second.load(file.path);
  advance(whole, c.steps - half, h);
  advance(second, c.steps - half, h);

  const std::string expected = bytes_of(whole, file), found = bytes_of(second, file);
  double differing = 0;
  for (std::size_t i = 0; i < std::max(expected.size(), found.size()); ++i)
    differing += i >= expected.size() || i >= found.size() || expected[i] != found[i];
  return {{"different-bytes", differing, "of " + std::to_string(expected.size()), Gate::at_most(0)},
          {"moved-bytes", expected == middle ? 0.0 : 1.0, "the second half changed the state", Gate::at_least(1)}};
}

}  // namespace gnomon::validation
