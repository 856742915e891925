#include "ensembles/store/part_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "ensembles/store/sweep_table.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/whole_file.hpp"

namespace gnomon::ensembles {

namespace fs = std::filesystem;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_whole(const std::string& what, const std::string& path, const std::string& text) {
  WholeFile file(what, path);
  file.write(text);
  file.commit();
}

std::string random_token() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

/// Whether what is in the folder may be the beginning of a sweep that was killed before it had its definition.
bool hardly_begun(const std::string& folder) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename() != "lock" && entry.path().filename() != "token") return false;
  return true;
}

}  // namespace

PartFolder::PartFolder(const std::string& output, const Json::Value& definition, bool resume) {
  path_ = fs::absolute(output + ".part").lexically_normal().string();
  const bool table = fs::exists(fs::symlink_status(output)), begun = fs::exists(fs::symlink_status(path_));
  if (table && !resume)
    throw Error(ErrorCode::bad_file, fmt::format("output file \"{}\" exists: give --output another name", output));
  if (begun && !fs::is_directory(path_))
    throw Error(ErrorCode::bad_file, fmt::format("\"{}\" is no folder of a sweep", path_));
  if (begun && !resume && !hardly_begun(path_))
    throw Error(
        ErrorCode::bad_file,
        fmt::format("\"{0}.part\" holds a sweep that did not end: --resume goes on with it, and another name for "
                    "--output leaves it as it is",
                    output));
  const std::string definition_file = path_ + "/sweep.json";
  if (table) {
    const Json::Value there = provenance_of(output);
    if (!there.isObject())
      throw Error(ErrorCode::bad_file, fmt::format("output file \"{}\" exists, and does not tell of which sweep it is: "
                                                   "give --output another name",
                                                   output));
    const std::string differs = difference(there, definition);
    if (!differs.empty())
      throw Error(
          ErrorCode::bad_file,
          fmt::format("output file \"{}\" is of another sweep: {}; give --output another name", output, differs));
    finished_ = true;
  } else if (begun && fs::exists(definition_file)) {
    const Json::Value there = object_of(text_of(definition_file), "\"" + definition_file + "\"");
    const std::string differs = difference(there, definition);
    if (!differs.empty())
      throw Error(ErrorCode::bad_file,
                  fmt::format("\"{}.part\" holds another sweep: {}; give --output another name", output, differs));
  } else if (begun && !hardly_begun(path_)) {
    throw Error(ErrorCode::bad_file, fmt::format("\"{}\" is no folder of a sweep", path_));
  }
  if (finished_ && !begun) return;
  std::error_code failed;
  fs::create_directory(path_, failed);
  if (failed)
    throw Error(ErrorCode::bad_file, fmt::format("folder \"{}\" cannot be made: {}", path_, failed.message()));
  lock_ = std::make_unique<OpenFile>(path_ + "/lock", O_RDWR | O_CREAT);
  if (::flock(lock_->descriptor(), LOCK_EX | LOCK_NB) != 0)
    throw Error(ErrorCode::bad_file, fmt::format("another process works on the sweep in \"{}.part\"", output));
  if (finished_) return;
  try {
    new_ = !fs::exists(definition_file);
    if (new_) write_whole("file", definition_file, line_of(definition) + "\n");
    token_ = random_token();
    write_whole("file", path_ + "/token", token_);
  } catch (...) {
    if (new_) remove();
    throw;
  }
}

void PartFolder::remove() {
  std::error_code failed;
  fs::remove_all(path_, failed);
  if (failed)
    throw Error(ErrorCode::bad_file, fmt::format("folder \"{}\" cannot be removed: {}", path_, failed.message()));
}

std::string unseen(const std::string& folder, const std::string& token, int rank, const std::string& host) {
  // A network file system shows a new file late.
  constexpr int attempts = 50;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (text_of(folder + "/token") == token) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return fmt::format(
      "process {} on {} does not see the folder \"{}\" of process 0: the processes need a common file "
      "system, or --shard and sweep merge",
      rank, host, folder);
}

}  // namespace gnomon::ensembles
