#include "ensembles/processes/processes.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/registry/plugin_path.hpp"

namespace gnomon::ensembles {

namespace {

constexpr const char* module_name = "libgnomon_mpi.so";

class SingleProcess final : public Processes {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  int on_this_host() const override { return 1; }
  const std::string& host() const override { return host_; }
  void send(int, const std::string&) override {}
  bool receive(int&, std::string&) override { return false; }
  [[noreturn]] void abort(int status) override { ::_exit(status); }

 private:
  std::string host_ = "this machine";
};

/// How many processes were started together, as the one who started them says: 1 where nobody did, 0 where there are
/// several or one, nobody knows.
long announced() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"}) {
    const char* const text = std::getenv(name);
    long size = 0;
    if (text && read_number(text, size) && size > 0) return size;
  }
  return std::getenv("PMIX_RANK") ? 0 : 1;
}

/// Where it is built or installed, beside this program; else where the system looks. The reason in `why` otherwise. It
/// stays loaded: MPI has threads and handlers of its own.
void* load_module(std::string& why) {
  const std::string beside = library_beside_program(std::string("gnomon/mpi/") + module_name);
  void* module = beside.empty() ? nullptr : ::dlopen(beside.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!module) module = ::dlopen(module_name, RTLD_NOW | RTLD_GLOBAL);
  const char* const text = module ? nullptr : ::dlerror();
  if (!module) why = text ? text : "no reason is known";
  return module;
}

}  // namespace

std::unique_ptr<Processes> single_process() {
  return std::make_unique<SingleProcess>();
}

std::unique_ptr<Processes> join_processes() {
  const long size = announced();
  if (size == 1) return single_process();
  const std::string started = size > 1 ? fmt::format("{} processes were started together", size)
                                       : std::string("processes were started together");
  std::string why;
  void* const module = load_module(why);
  if (!module)
    throw Error(ErrorCode::refused,
                fmt::format("{}, and the module {} that lets them share the runs cannot be loaded ({}): build Gnomon "
                            "with -DGNOMON_MPI=ON, or use --shard",
                            started, module_name, why));
  const auto join = reinterpret_cast<JoinFunction>(::dlsym(module, join_function));
  if (!join) throw Error(ErrorCode::refused, fmt::format("{}, and {} has no {}", started, module_name, join_function));
  std::unique_ptr<Processes> processes(join());
  if (size > 1 && processes->size() != size)
    throw Error(ErrorCode::refused, fmt::format("{}, and the MPI of {} knows of {}: they were started by another MPI",
                                                started, module_name, processes->size()));
  return processes;
}

}  // namespace gnomon::ensembles
