// A C++ program that uses Gnomon and a serial vector of its own, built with what `pkg-config --cflags --libs gnomon`
// prints.
#include <nvector/nvector_serial.h>

#include <cstdio>
#include <gnomon/gnomon.hpp>

int main() {
  const gnomon::SunContext context;
  const gnomon::SunOwner<N_Vector> x(N_VNew_Serial(3, context));
  N_VConst(2, x.get());
  gnomon::Registry registry;
  gnomon::register_builtin(registry);
  const double product = N_VDotProd(x.get(), x.get());
  std::printf("x . x = %g, %zu schemes\n", product, registry.schemes().size());
  return product == 12 && !registry.schemes().empty() ? 0 : 1;
}
