/// Processes of MPI. The program does not link MPI: this is a module of its own, loaded where mpirun or srun started
/// it.
#include <mpi.h>

#include <cstdlib>
#include <list>
#include <utility>

#include "ensembles/processes/processes.hpp"

namespace gnomon::ensembles {

namespace {

constexpr int tag = 1;

class MpiProcesses final : public Processes {
 public:
  MpiProcesses() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm host = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &on_this_host_);
    MPI_Comm_free(&host);
    char name[MPI_MAX_PROCESSOR_NAME + 1] = {};
    int length = 0;
    MPI_Get_processor_name(name, &length);
    host_.assign(name, static_cast<std::size_t>(length));
  }
  MpiProcesses(const MpiProcesses&) = delete;
  MpiProcesses& operator=(const MpiProcesses&) = delete;
  ~MpiProcesses() override {
    for (Sent& one : sent_) MPI_Wait(&one.request, MPI_STATUS_IGNORE);
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int on_this_host() const override { return on_this_host_; }
  const std::string& host() const override { return host_; }

  void send(int to, const std::string& message) override {
    release();
    sent_.push_back({message, MPI_REQUEST_NULL});
    Sent& one = sent_.back();
    MPI_Isend(one.bytes.data(), static_cast<int>(one.bytes.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD, &one.request);
  }

  bool receive(int& from, std::string& message) override {
    release();
    int there = 0, size = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status);
    if (there == 0) return false;
    MPI_Get_count(&status, MPI_BYTE, &size);
    from = status.MPI_SOURCE;
    message.resize(static_cast<std::size_t>(size));
    MPI_Recv(message.data(), size, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return true;
  }

  [[noreturn]] void abort(int status) override {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
  }

 private:
  struct Sent {
    std::string bytes;
    MPI_Request request;
  };
  /// Forgets the messages that have left.
  void release() {
    for (auto one = sent_.begin(); one != sent_.end();) {
      int left = 0;
      MPI_Test(&one->request, &left, MPI_STATUS_IGNORE);
      one = left != 0 ? sent_.erase(one) : std::next(one);
    }
  }

  int rank_ = 0, size_ = 1, on_this_host_ = 1;
  std::string host_;
  std::list<Sent> sent_;
};

}  // namespace

}  // namespace gnomon::ensembles

extern "C" __attribute__((visibility("default"))) gnomon::ensembles::Processes* gnomon_join_processes() {
  return new gnomon::ensembles::MpiProcesses();
}
