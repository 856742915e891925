// Loading of modules: the built-in ones all load by themselves, bad ones are refused with the reason and leave the
// registry as it was.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gnomon/error.hpp"
#include "gnomon/registry.hpp"

namespace {

using gnomon::Error;
using gnomon::ErrorCode;
using gnomon::Registry;

std::size_t entries(const Registry& registry) {
  return registry.schemes().size() + registry.solvers().size() + registry.problems().size() +
         registry.references().size() + registry.algebras().size();
}

/// Loads a module that must be refused and returns the sentence.
std::string refusal(Registry& registry, const std::string& path) {
  const std::size_t before = entries(registry);
  std::string sentence;
  try {
    registry.load(path);
  } catch (const Error& error) {
    BOOST_TEST((error.code() == ErrorCode::bad_plugin));
    sentence = error.what();
  }
  BOOST_TEST(entries(registry) == before);
  BOOST_TEST(sentence.find(path) != std::string::npos, "\"" << sentence << "\" does not name " << path);
  return sentence;
}

std::string module(const std::string& name) {
  return GNOMON_TEST_MODULES "/" + name + ".so";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(builtin_modules_load) {
  Registry together;
  std::istringstream names(GNOMON_MODULE_NAMES);
  std::string name;
  int count = 0;
  while (std::getline(names, name, ',')) {
    const std::string path = GNOMON_MODULES "/" + name + ".so";
    Registry alone;
    BOOST_TEST(entries(alone) == 0u);
    BOOST_CHECK_NO_THROW(alone.load(path));
    BOOST_TEST(entries(alone) >= 1u, name);
    together.load(path);
    ++count;
  }
  BOOST_TEST(count >= 10);

  Registry builtin;
  register_builtin(builtin);
  BOOST_TEST(together.schemes() == builtin.schemes(), boost::test_tools::per_element());
  BOOST_TEST(together.solvers() == builtin.solvers(), boost::test_tools::per_element());
  BOOST_TEST(together.algebras() == builtin.algebras(), boost::test_tools::per_element());
  BOOST_TEST(together.problems() == builtin.problems(), boost::test_tools::per_element());
  BOOST_TEST(together.references() == builtin.references(), boost::test_tools::per_element());
  BOOST_TEST(builtin.origin("energy-momentum") == "built in");
  BOOST_TEST(contains(together.origin("energy-momentum"), "energy_momentum.so"));
}

BOOST_AUTO_TEST_CASE(loaded_module_works) {
  Registry registry;
  for (const char* name : {"energy_momentum", "newton", "algebra_dense", "planar_pendulum"})
    registry.load(std::string(GNOMON_MODULES "/") + name + ".so");
  gnomon::Integrator integrator = registry.integrator(registry.build("planar-pendulum"), "energy-momentum", "newton");
  BOOST_TEST(integrator.advance(10, 1e-2).success());
}

BOOST_AUTO_TEST_CASE(no_such_file) {
  Registry registry;
  BOOST_TEST(contains(refusal(registry, "no/such/module.so"), "no such file"));
}

BOOST_AUTO_TEST_CASE(no_module) {
  const std::string path = (std::filesystem::temp_directory_path() / "gnomon_test_no_module.so").string();
  std::ofstream(path) << "this is a text\n";
  Registry registry;
  BOOST_TEST(contains(refusal(registry, path), "no loadable module"));
  std::filesystem::remove(path);
}

BOOST_AUTO_TEST_CASE(no_plugin) {
  Registry registry;
  BOOST_TEST(contains(refusal(registry, module("no_plugin")), "no Gnomon plug-in"));
}

BOOST_AUTO_TEST_CASE(other_version) {
  Registry registry;
  const std::string sentence = refusal(registry, module("other_version"));
  BOOST_TEST(contains(sentence, "ABI version"));
  BOOST_TEST(contains(sentence, "expected"));
}

BOOST_AUTO_TEST_CASE(throwing_registration) {
  Registry registry;
  BOOST_TEST(contains(refusal(registry, module("throwing")), "its licence has expired"));
  BOOST_CHECK_THROW(registry.problem("half-registered"), Error);
}

BOOST_AUTO_TEST_CASE(taken_name) {
  Registry registry;
  register_builtin(registry);
  BOOST_TEST(contains(refusal(registry, module("taken_name")), "planar-pendulum"));
  BOOST_CHECK_THROW(registry.problem("new-pendulum"), Error);

  Registry empty;
  BOOST_CHECK_NO_THROW(empty.load(module("taken_name")));  // there, the name is free
  BOOST_TEST(entries(empty) == 2u);
}

BOOST_AUTO_TEST_CASE(same_module_twice) {
  Registry registry;
  registry.load(module("bad_problems"));
  BOOST_TEST(contains(refusal(registry, module("bad_problems")), "taken"));
}
