#include "ensembles/processes/team.hpp"

#include <chrono>
#include <thread>

#include "gnomon/base/error.hpp"

namespace gnomon::ensembles {

namespace {

/// Before what is waited for.
constexpr char mark = '=';

}  // namespace

void Team::send_all(const std::string& message) {
  for (int rank = 1; rank < size(); ++rank) send(rank, message);
}

bool Team::next(int from, std::string& message) {
  int sender = 0;
  std::string arrived;
  while (processes_->receive(sender, arrived)) boxes_[static_cast<std::size_t>(sender)].push_back(std::move(arrived));
  auto& box = boxes_[static_cast<std::size_t>(from)];
  if (box.empty()) return false;
  message = std::move(box.front());
  box.pop_front();
  return true;
}

std::string Team::wait(int from) {
  std::string message;
  for (;;) {
    if (!next(from, message))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    else if (message.front() == mark)
      return message.substr(1);
  }
}

std::string Team::from_leader(const std::string& text) {
  if (!leads()) return wait(0);
  send_all(mark + text);
  return text;
}

void Team::agree(const std::string& sentence) {
  std::string first = sentence;
  if (leads())
    for (int rank = 1; rank < size(); ++rank) {
      const std::string theirs = wait(rank);
      if (first.empty()) first = theirs;
    }
  else
    send(0, mark + sentence);
  first = from_leader(first);
  if (!first.empty()) throw Error(ErrorCode::refused, first);
}

}  // namespace gnomon::ensembles
