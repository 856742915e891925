#include "program/output/gnuplot.hpp"

#include <stdio.h>

#include <cstdlib>

#include "gnomon/base/error.hpp"

namespace gnomon::program {

void require_gnuplot() {
  if (std::system("command -v gnuplot >/dev/null 2>&1") != 0)
    throw Error(ErrorCode::bad_file,
                "--plot needs the program gnuplot (Debian package gnuplot-nox), which was not found");
}

void draw(const std::string& script) {
  std::FILE* pipe = popen("gnuplot", "w");
  const bool written = pipe && std::fwrite(script.data(), 1, script.size(), pipe) == script.size();
  if (!pipe || pclose(pipe) != 0 || !written) throw Error(ErrorCode::bad_file, "gnuplot could not draw the plot");
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

}  // namespace gnomon::program
