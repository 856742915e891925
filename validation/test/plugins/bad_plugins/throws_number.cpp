// A plug-in that registers nothing but throws something that is no exception.
#include <gnomon/registry/plugin.hpp>

GNOMON_PLUGIN(throws_number) {
  static_cast<void>(registrar);
  throw 42;
}
