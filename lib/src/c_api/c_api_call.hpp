#pragma once
/// \file
/// How a CallbackSystem calls a callback.

#include <string>

#include "c_api/c_api_scratch.hpp"
#include "gnomon/base/error.hpp"

namespace gnomon::c_api {

template <class Call>
void CallbackForces::call(const char* name, Call&& callback) const {
  if (failed_for_good()) throw FatalCallback(*fatal_ + ", and no callback is called after that");
  const int flag = callback();
  if (flag > 0) throw CannotEvaluate(std::string(name) + " returned " + std::to_string(flag));
  if (flag == 0) return;
  *fatal_ = std::string(name) + " returned " + std::to_string(flag);
  throw FatalCallback(*fatal_);
}

}  // namespace gnomon::c_api
