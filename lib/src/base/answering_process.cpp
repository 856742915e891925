#include "gnomon/base/answering_process.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <utility>

namespace gnomon {

namespace {

bool send_all(int socket, const void* bytes, std::size_t size) {
  for (const char* at = static_cast<const char*>(bytes); size > 0;) {
    const ssize_t count = ::send(socket, at, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool receive_all(int socket, void* bytes, std::size_t size) {
  for (char* at = static_cast<char*>(bytes); size > 0;) {
    const ssize_t count = ::recv(socket, at, size, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

/// A text, and the code of the error if it says what went wrong.
struct Message {
  std::uint64_t error = 0;
  std::string text;

  bool send(int socket) const {
    const std::uint64_t head[2] = {error, text.size()};
    return send_all(socket, head, sizeof head) && send_all(socket, text.data(), text.size());
  }
  bool receive(int socket) {
    std::uint64_t head[2];
    if (!receive_all(socket, head, sizeof head)) return false;
    error = head[0];
    text.resize(head[1]);
    return receive_all(socket, text.data(), text.size());
  }
};

/// Each request has so many seconds of computing, and by the clock.
void limit_time(unsigned seconds) {
  constexpr time_t seconds_of_computing = 60;
  const itimerval limit{{0, 0}, {seconds_of_computing, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
  ::alarm(seconds);
}

void answer_all(int socket, const std::function<AnsweringProcess::Answer()>& begin, unsigned seconds) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF, SIGALRM}) std::signal(signal, SIG_DFL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
  AnsweringProcess::Answer answer;
  for (Message request; request.receive(socket);) {
    limit_time(seconds);
    Message reply;
    try {
      if (!answer) answer = begin();
      reply.text = answer(request.text);
    } catch (const Error& error) {
      reply = {static_cast<std::uint64_t>(error.code()), error.what()};
    } catch (const std::exception& error) {
      reply = {static_cast<std::uint64_t>(ErrorCode::bad_file), error.what()};
    }
    if (!reply.send(socket)) return;
    ::alarm(0);
  }
}

}  // namespace

AnsweringProcess::AnsweringProcess(std::string file, std::string library, const std::function<Answer()>& begin,
                                   unsigned seconds)
    : file_(std::move(file)), library_(std::move(library)) {
  int ends[2];
  const bool connected = ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
  child_ = connected ? ::fork() : -1;
  if (child_ == 0) {
    ::close(ends[0]);
    answer_all(ends[1], begin, seconds);
    ::_exit(0);
  }
  if (connected) ::close(ends[1]);
  if (child_ < 0 && connected) ::close(ends[0]);
  if (child_ < 0) throw Error(ErrorCode::bad_file, file_ + " cannot be read: no process can be started");
  socket_ = ends[0];
}

std::string AnsweringProcess::ask(const std::string& request) {
  Message reply;
  if (child_ > 0 && Message{0, request}.send(socket_) && reply.receive(socket_)) {
    if (reply.error != 0) throw Error(static_cast<ErrorCode>(reply.error), reply.text);
    return std::move(reply.text);
  }
  const int status = end(), signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  const std::string how = signal == SIGPROF   ? "computes for more than a minute"
                          : signal == SIGALRM ? "does not come to an end"
                                              : "crashes";
  throw Error(ErrorCode::bad_file, file_ + " is damaged: the " + library_ + " library " + how + " when it reads it" +
                                       (signal != 0 ? std::string(" (") + strsignal(signal) + ")" : ""));
}

/// The status that the process ended with.
int AnsweringProcess::end() {
  if (child_ < 0) return 0;
  int status = 0;
  ::close(socket_);
  // One that has crashed has its status already, and one that waits for a request has nothing to lose.
  if (::waitpid(child_, &status, WNOHANG) == 0) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, &status, 0);
  }
  child_ = -1;
  return status;
}

}  // namespace gnomon
