#pragma once
/// \file
/// Rows of runs in files while a sweep is under way. A record has a fixed size and a place given by its run, so that
/// rows are written in any order and a process that is killed loses at most the one that it is writing.
///
///     rank-K.runs      record i at i * size: the checksum of what follows and of the number of the run, 4 bytes; the
///                      number of its status plus one, 4 bytes; its values, 8 bytes each. Bytes of the machine.
///     rank-K.messages  message i at i * 256: the checksum likewise, the length, the text; there for runs that did not
///                      succeed alone, and elsewhere the file is a hole
///
/// i counts from the first run of the sweep. What has no right checksum is not there.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/ensemble/ensemble.hpp"

namespace gnomon::ensembles {

/// A descriptor that is closed.
class OpenFile {
 public:
  OpenFile(std::string path, int flags);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile();

  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; }
  /// Throws Error(bad_file).
  void write(const void* bytes, std::size_t size, long offset) const;
  /// As many bytes as there are, at most `size`. Throws Error(bad_file).
  std::size_t read(void* bytes, std::size_t size, long offset) const;
  /// The first byte from here on that is not in a hole; -1 at the end.
  long data_from(long offset) const;

 private:
  std::string path_;
  int descriptor_;
};

/// Of one rank.
class RecordWriter {
 public:
  /// Goes on with files that are there. Throws Error(bad_file).
  RecordWriter(const std::string& folder, int rank, long first, std::size_t width);
  void write(const EnsembleRow& row);

 private:
  OpenFile runs_, messages_;
  long first_;
  std::vector<unsigned char> record_;
};

/// Some runs one after the other.
struct RecordBlock {
  long begin = 0;
  std::vector<std::uint32_t> status;  ///< its number plus one; 0: the run is not there
  std::vector<double> values;         ///< a row a run
};

/// The files of all ranks.
class RecordReader {
 public:
  /// The runs [first, end). Throws Error(bad_file).
  RecordReader(const std::string& folder, long first, long end, std::size_t width);
  /// Calls use(block) for all runs, in their order. Memory does not grow with them.
  template <class F>
  void blocks(F&& use) {
    for (long begin = first_; begin < end_; begin += most) {
      fill(begin, std::min(begin + most, end_));
      use(static_cast<const RecordBlock&>(block_));
    }
  }
  /// Of a run that did not succeed; "" where there is none.
  std::string message(long run) const;

 private:
  static constexpr long most = 1024;
  void fill(long begin, long end);

  struct Files {
    OpenFile runs, messages;
    long data;  ///< nothing but a hole lies between the last record that was asked for and this byte
  };
  std::vector<Files> files_;
  long first_, end_;
  std::size_t width_, size_;
  RecordBlock block_;
  std::vector<unsigned char> bytes_;
};

}  // namespace gnomon::ensembles
