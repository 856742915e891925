// malloc and its family, replaced for the whole process by ones that count and forward to the C library. operator new,
// Eigen and SUNDIALS all end up here.
#include "measures/run/counting_malloc.hpp"

#include <cerrno>
#include <cstddef>

#include "gnomon/abi.h"
#include "gnomon/run/integrator.hpp"
#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/scheme.hpp"

#ifdef GNOMON_COUNT_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);
}
#endif

namespace {

bool counting = false;
long counted = 0;

[[maybe_unused]] void count_one() {
  if (counting) ++counted;
}

}  // namespace

#ifdef GNOMON_COUNT_ALLOCATIONS
// Exported, so that the shared libraries call these too.
extern "C" {
GNOMON_EXPORT_BEGIN

void* malloc(std::size_t size) {
  count_one();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  count_one();
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  count_one();
  return __libc_realloc(memory, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  count_one();
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count_one();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  count_one();
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
void free(void* memory) {
  __libc_free(memory);
}

GNOMON_EXPORT_END
}  // extern "C"
#endif

namespace gnomon::validation {

CountAllocations::CountAllocations() {
  counted = 0;
  counting = true;
}
CountAllocations::~CountAllocations() {
  counting = false;
}
bool CountAllocations::available() {
#ifdef GNOMON_COUNT_ALLOCATIONS
  return true;
#else
  return false;
#endif
}
long CountAllocations::count() const {
  return counted;
}

bool makes_matrices_late(Integrator& integrator) {
  StepEquations& equations = integrator.equations();
  for (Index k = 0; k < equations.n_systems(); ++k) {
    NonlinearEquations& system = equations.system(k);
    if (system.size() > ApproximateInverse::few_unknowns && system.simplified_newton()) return true;
  }
  return false;
}

}  // namespace gnomon::validation
