#pragma once
/// \file
/// Checkpoint files: what Integrator::save writes.
///
///     "GNOMONCP" | format | byte order | length of the content | content | CRC-32 of everything before
///     content = identity (name and value: version, system, sizes, scheme, solver, options) | note | state

#include <string>
#include <utility>
#include <vector>

#include "gnomon/abi.h"

namespace gnomon {

struct Checkpoint {
  /// What must agree between who wrote the file and who reads it, as (what, value).
  using Identity = std::vector<std::pair<std::string, std::string>>;
  Identity identity;
  std::string note;   ///< the caller's own text
  std::string state;  ///< bytes of an Archive
};

/// As a WholeFile: it is there completely or as it was before, whatever happens. Throws Error(bad_file), also for what
/// exists and is no regular file.
GNOMON_EXPORT void write_checkpoint(const std::string& file, const Checkpoint& checkpoint);

/// Throws Error(bad_file) for a file that is missing, no checkpoint, of another format, truncated or damaged.
GNOMON_EXPORT Checkpoint read_checkpoint(const std::string& file);

}  // namespace gnomon
