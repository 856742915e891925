/// One thread in OpenBLAS, before its initialisation starts one for each core: Gnomon's blocks are small, and where
/// memory is limited the threads do not start and OpenBLAS never ends. Who sets a number of threads gets that number.
#ifdef __linux__
#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstring>

namespace {

/// Runs before the initialisation of any library, which reads the environment of exec: so the program starts again
/// with one variable more. Programs without OpenBLAS go on, and those that a dynamic linker was called with (no
/// AT_BASE).
void start_with_one_thread(int, char** arguments, char** environment) {
  constexpr const char* numbers[] = {"OPENBLAS_NUM_THREADS=", "GOTO_NUM_THREADS=", "OMP_NUM_THREADS="};
  constexpr int most = 4096;
  if (dlsym(RTLD_DEFAULT, "openblas_set_num_threads") == nullptr || getauxval(AT_BASE) == 0) return;
  const char* extended[most + 2];
  int count = 0;
  for (; environment[count] != nullptr; ++count) {
    if (count == most) return;
    for (const char* number : numbers)
      if (std::strncmp(environment[count], number, std::strlen(number)) == 0) return;
    extended[count] = environment[count];
  }
  extended[count] = "OPENBLAS_NUM_THREADS=1";
  extended[count + 1] = nullptr;
  execve(reinterpret_cast<const char*>(getauxval(AT_EXECFN)), arguments, const_cast<char**>(extended));
}

}  // namespace

using Beginning = void (*)(int, char**, char**);
[[gnu::section(".preinit_array"), gnu::used]] const Beginning before_libraries = start_with_one_thread;
#endif
