#pragma once
/// \file
/// The methods that a mechanism is run by: Gnomon's own in this process, those of other programs through their drivers.

#include <unistd.h>

#include <Eigen/Core>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "bench/peers/peers.hpp"
#include "gnomon/base/error.hpp"

namespace gnomon::bench {

using Centres = std::vector<Eigen::Vector3d>;

/// The result of one run.
struct Outcome {
  double seconds = 0, energy = 0, gap = 0;
  Centres centres;
  std::string failure;
};

/// A method of a program on one mechanism.
class Method {
 public:
  Method(std::string program, std::string name, std::vector<double> settings)
      : program(std::move(program)), name(std::move(name)), settings(std::move(settings)) {}
  virtual ~Method() = default;
  /// `watch`: energy and joints are looked at.
  virtual Outcome run(double until, double setting, double limit, bool watch) const = 0;

  const std::string program, name;
  const std::vector<double> settings;  ///< coarse ones first
};

/// A text in a file that lives as long as it.
class TextFile {
 public:
  explicit TextFile(const std::string& text) {
    const std::string folder = std::filesystem::temp_directory_path();
    path_ = folder + "/gnomon-peers-XXXXXX";
    const int file = mkstemp(path_.data());
    if (file < 0) throw Error(ErrorCode::bad_file, "no file for a mechanism can be made in " + folder);
    close(file);
    std::ofstream(path_) << text;
  }
  ~TextFile() { std::remove(path_.c_str()); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// All of them, those of one program one after the other, Gnomon by a tolerance alone first. The arguments outlive
/// them.
std::vector<std::unique_ptr<Method>> methods_of(const Registry& registry, const ProblemInstance& instance,
                                                const RigidMechanism& mechanism, const TextFile& text,
                                                const std::string& drivers);

}  // namespace gnomon::bench
