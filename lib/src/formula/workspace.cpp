#include "gnomon/formula/workspace.hpp"

#include <memory>

namespace gnomon {

void* thread_workspace(std::size_t bytes) {
  struct Buffer {
    std::unique_ptr<std::max_align_t[]> memory;
    std::size_t size = 0;
  };
  thread_local Buffer buffer;
  if (buffer.size < bytes) {
    const std::size_t count = bytes / sizeof(std::max_align_t) + 1;
    buffer.memory.reset();
    buffer.size = 0;
    buffer.memory = std::make_unique<std::max_align_t[]>(count);
    buffer.size = count * sizeof(std::max_align_t);
  }
  return buffer.memory.get();
}

}  // namespace gnomon
