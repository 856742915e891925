#include "report/tally.hpp"

namespace gnomon::validation {

void Tally::count(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      ++pass;
      break;
    case Verdict::fail:
      ++fail;
      break;
    case Verdict::known_failure:
      ++known_failure;
      break;
    case Verdict::unexpected_pass:
      ++unexpected_pass;
      break;
    case Verdict::better:
      ++better;
      break;
    case Verdict::information:
      ++information;
      break;
  }
}

}  // namespace gnomon::validation
