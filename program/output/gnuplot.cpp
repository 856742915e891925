#include "program/output/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "gnomon/base/error.hpp"
#include "gnomon/base/visible_text.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

namespace {

std::string suffix(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

/// The environment without the variables that gnuplot reads scripts and settings from.
std::vector<char*> plain_environment() {
  std::vector<char*> out;
  for (char** one = environ; *one; ++one)
    if (std::strncmp(*one, "GNUPLOT", 7) != 0 && std::strncmp(*one, "GNUTERM", 7) != 0) out.push_back(*one);
  out.push_back(nullptr);
  return out;
}

std::string all_of(int descriptor) {
  std::string text;
  std::array<char, 1 << 16> block{};
  for (;;) {
    const ssize_t count = ::read(descriptor, block.data(), block.size());
    if (count > 0)
      text.append(block.data(), static_cast<std::size_t>(count));
    else if (count == 0 || errno != EINTR)
      return text;
  }
}

/// What gnuplot writes to its standard output for a script, with the settings that it has by itself; none where it
/// fails. Throws Error(bad_file) where it is not there.
std::optional<std::string> drawn_by_gnuplot(const std::string& script) {
  const int input = memfd_create("gnomon", MFD_CLOEXEC);
  int ends[2];
  if (input < 0 || pipe2(ends, O_CLOEXEC) != 0) throw Error(ErrorCode::bad_file, "gnuplot could not be started");
  bool good = true;
  for (std::size_t done = 0; good && done < script.size();) {
    const ssize_t count = ::pwrite(input, script.data() + done, script.size() - done, static_cast<off_t>(done));
    good = count > 0;
    if (good) done += static_cast<std::size_t>(count);
  }
  char name[] = "gnuplot", plain[] = "--default-settings";
  char* const arguments[] = {name, plain, nullptr};
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_adddup2(&streams, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&streams, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&streams, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const bool found = posix_spawnp(&child, name, &streams, nullptr, arguments, plain_environment().data()) == 0;
  posix_spawn_file_actions_destroy(&streams);
  ::close(input);
  ::close(ends[1]);
  std::string picture = all_of(ends[0]);
  ::close(ends[0]);
  if (!found)
    throw Error(ErrorCode::bad_file,
                "--plot needs the program gnuplot (Debian package gnuplot-nox), which was not found");
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0 || !good) return std::nullopt;
  return picture;
}

}  // namespace

void require_picture(const std::string& path) {
  const std::string end = suffix(path);
  if (end != ".svg" && end != ".png" && end != ".pdf")
    throw Error(ErrorCode::bad_value, "--plot = \"" + path + "\" does not end in .svg, .png or .pdf");
  const tables::OutputFile probe(path);
  const bool draws = drawn_by_gnuplot(end == ".pdf" ? "set terminal pdfcairo\n" : "").has_value();
  if (!draws && end == ".pdf")
    throw Error(ErrorCode::bad_file,
                "--plot = \"" + path + "\": this gnuplot was built without its PDF terminal, expected .svg or .png");
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

void draw(const std::string& script, const std::string& path) {
  tables::OutputFile file(path);
  const std::optional<std::string> picture = drawn_by_gnuplot(script);
  if (!picture || picture->empty())
    throw Error(ErrorCode::bad_file, "gnuplot could not draw the plot \"" + path + "\"");
  std::fwrite(picture->data(), 1, picture->size(), file.stream());
  file.commit();
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
  constexpr std::size_t most = 400;
  std::string shown = visible(text);
  if (shown.size() > most) {
    std::size_t end = most;
    while ((static_cast<unsigned char>(shown[end]) & 0xc0U) == 0x80) --end;  // no character is cut in two
    shown = shown.substr(0, end) + "...";
  }
  // The end of a section of XML, which gnuplot writes to .svg as it is.
  for (std::size_t at = 0; (at = shown.find("]]>", at)) != std::string::npos; at += 3) shown.insert(at + 2, 1, ' ');
  // Within quotation marks gnuplot reads octal numbers, which digits after them would make longer, substitutes what
  // stands in backquotes, and loses count of quotes that follow each other.
  const std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ _.,:()[]=+-/|",
                         digits = "0123456789";
  std::string out;
  bool in_octal = false;
  for (const char c : shown) {
    in_octal = plain.find(c) == std::string_view::npos && (in_octal || digits.find(c) == std::string_view::npos);
    out += in_octal ? fmt::format("\\{:03o}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return '"' + out + '"';
}

void PlotCommand::add(const std::string& data, const std::string& style) {
  const std::string name = fmt::format("$data{}", ++count_);
  blocks_ += name + " << END\n" + data + "END\n";
  entry(name + " " + style);
}

}  // namespace gnomon::program
