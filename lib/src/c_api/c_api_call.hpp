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

template <class Function, class... Arguments>
bool CallbackForces::filled(const char* name, Function function, Derivative& derivative, VectorRef values,
                            Arguments... arguments) const {
  if (!function) return false;
  call(name, [&] { return function(arguments..., derivative.matrix.cleared(), calls_.user_data); });
  derivative.matrix.values(values);
  return true;
}

}  // namespace gnomon::c_api
