#include "program/pages/report_file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sundials/sundials_config.h>
#include <sys/utsname.h>

#include <Eigen/Core>
#include <ctime>
#include <fstream>
#include <thread>

#include "gnomon/base/error.hpp"
#include "program/pages/commit.hpp"

namespace gnomon::program {

namespace {

bool ends_in(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// The name that the system gives to the processor, or its architecture.
std::string processor(const utsname& system) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return system.machine;
}

}  // namespace

ReportFile::ReportFile(const std::optional<std::string>& path) {
  if (!path) return;
  if (!ends_in(*path, ".html")) throw Error(ErrorCode::bad_value, "--report = \"" + *path + "\" does not end in .html");
  file_ = std::make_unique<tables::OutputFile>(*path);
}

void ReportFile::write(const pages::Page& page) {
  if (!file_) return;
  const std::string html = page.html();
  std::fwrite(html.data(), 1, html.size(), file_->stream());
  file_->commit();
}

pages::Facts surroundings() {
  utsname system{};
  uname(&system);
  return {"Program and machine",
          {{"program", "gnomon " GNOMON_VERSION},
           {"commit", std::string(commit)},
           {"compiler", "C++ " + std::to_string(__cplusplus / 100 % 100) + ", " __VERSION__},
           {"SUNDIALS", SUNDIALS_VERSION},
           {"Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
           {"processor", fmt::format("{}, {} threads", processor(system), std::thread::hardware_concurrency())},
           {"system", fmt::format("{} {}", system.sysname, system.release)},
           {"written", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)))}}};
}

}  // namespace gnomon::program
