#pragma once
/// \file
/// The folder OUTPUT.part beside the table, in which a sweep lives while it is under way:
///
///     sweep.json                  its definition, see definition.hpp
///     rank-K.runs rank-K.messages its rows, see records.hpp
///     lock                        held by the process that leads
///     token                       what the other processes must see, to know that they have the same folder
///
/// It goes when the table is written.

#include <json/json.h>

#include <memory>
#include <string>

#include "ensembles/store/records.hpp"

namespace gnomon::ensembles {

class PartFolder {
 public:
  /// Begins a sweep or, with `resume`, goes on with one. Throws Error(bad_file), having changed nothing: where the
  /// table or the folder is there and `resume` is not said, where they are of another sweep, and where another process
  /// works on it.
  PartFolder(const std::string& output, const Json::Value& definition, bool resume);

  /// The table is there already, and of this sweep: nothing is left to do.
  bool finished() const { return finished_; }
  /// It was not there before.
  bool is_new() const { return new_; }
  /// With its full path.
  const std::string& path() const { return path_; }
  const std::string& token() const { return token_; }
  /// Removes it, with everything in it.
  void remove();

 private:
  std::string path_, token_;
  std::unique_ptr<OpenFile> lock_;
  bool finished_ = false, new_ = false;
};

/// "" where this process sees the token in the folder that rank 0 named, or a sentence with the rank and its machine.
std::string unseen(const std::string& folder, const std::string& token, int rank, const std::string& host);

}  // namespace gnomon::ensembles
