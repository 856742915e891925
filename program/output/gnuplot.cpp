#include "program/output/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include "gnomon/base/error.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

namespace {

std::string suffix(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

}  // namespace

void require_picture(const std::string& path) {
  const std::string end = suffix(path);
  if (end != ".svg" && end != ".png" && end != ".pdf")
    throw Error(ErrorCode::bad_value, "--plot = \"" + path + "\" does not end in .svg, .png or .pdf");
}

std::string terminal(const std::string& path, std::size_t width, std::size_t height) {
  // Builds of gnuplot without cairo have a simpler PNG terminal.
  if (suffix(path) == ".png")
    return fmt::format(
        "if (strstrt(GPVAL_TERMINALS, 'pngcairo')) {{ set terminal pngcairo size {0},{1} background 'white' enhanced "
        "font 'sans,12' }} else {{ set terminal png size {0},{1} enhanced }}\n",
        width, height);
  if (suffix(path) == ".pdf")
    return fmt::format("set terminal pdfcairo size {:.2f}in,{:.2f}in background 'white' enhanced font 'sans,10'\n",
                       static_cast<double>(width) / 121, static_cast<double>(height) / 121);
  return fmt::format("set terminal svg size {},{} background 'white' enhanced font 'sans,14'\n", width, height);
}

void require_gnuplot(const std::string& path) {
  if (std::system("command -v gnuplot >/dev/null 2>&1") != 0)
    throw Error(ErrorCode::bad_file,
                "--plot needs the program gnuplot (Debian package gnuplot-nox), which was not found");
  if (suffix(path) == ".pdf" && std::system("gnuplot -e 'set terminal pdfcairo' >/dev/null 2>&1") != 0)
    throw Error(ErrorCode::bad_file,
                "--plot = \"" + path + "\": this gnuplot was built without its PDF terminal, expected .svg or .png");
}

void draw(const std::string& script, const std::string& path) {
  tables::OutputFile picture(path);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(ErrorCode::bad_file, "gnuplot could not be started");
  char name[] = "gnuplot";
  char* const arguments[] = {name, nullptr};
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_adddup2(&streams, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&streams, fileno(picture.stream()), STDOUT_FILENO);
  pid_t child = 0;
  const bool started = posix_spawnp(&child, name, &streams, nullptr, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&streams);
  close(ends[0]);
  std::FILE* const pipe = fdopen(ends[1], "w");
  bool drawn = started && pipe != nullptr && std::fwrite(script.data(), 1, script.size(), pipe) == script.size();
  drawn = (pipe != nullptr && std::fclose(pipe) == 0) && drawn;
  int status = 0;
  if (started) drawn = waitpid(child, &status, 0) == child && status == 0 && drawn;
  if (!drawn) throw Error(ErrorCode::bad_file, "gnuplot could not draw the plot \"" + path + "\"");
  picture.commit();
}

namespace {
constexpr const char* palette[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};
}

const char* colour(int number) {
  return palette[number % number_of_colours()];
}

int number_of_colours() {
  return static_cast<int>(std::size(palette));
}

std::string gnuplot_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

}  // namespace gnomon::program
