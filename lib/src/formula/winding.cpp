#include "gnomon/formula/winding.hpp"

#include <utility>

namespace gnomon {

namespace {

thread_local const std::vector<int>* windings = nullptr;

}  // namespace

Windings::Windings(const std::vector<int>& quarters) : before_(std::exchange(windings, &quarters)) {}
Windings::~Windings() {
  windings = before_;
}
int Windings::of(std::size_t which) {
  return windings != nullptr && which < windings->size() ? (*windings)[which] : 0;
}

}  // namespace gnomon
