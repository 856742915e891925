// Loading of modules: the built-in ones all load by themselves, bad ones are refused with the reason and leave the
// registry as it was.
#include <unistd.h>

#include <boost/algorithm/string/predicate.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gnomon/base/error.hpp"
#include "gnomon/registry/plugin_path.hpp"
#include "gnomon/registry/registry.hpp"
#include "test/plugins/bad_plugins/defective.hpp"

namespace {

using boost::algorithm::contains;
using gnomon::Error;
using gnomon::ErrorCode;
using gnomon::Registry;
namespace fs = std::filesystem;

std::size_t entries(const Registry& registry) {
  return registry.schemes().size() + registry.solvers().size() + registry.problems().size() +
         registry.references().size() + registry.algebras().size();
}

/// A folder that is gone in the end.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("gnomon_test_plugins_" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

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
  BOOST_TEST(contains(refusal(registry, "/dev/null"), "no such file"));
}

BOOST_AUTO_TEST_CASE(a_folder) {
  const Folder folder;
  Registry registry;
  BOOST_TEST(contains(refusal(registry, folder.path.string()), "a folder"));
}

BOOST_AUTO_TEST_CASE(no_module) {
  const Folder folder;
  const std::string path = (folder.path / "module.so").string();
  std::ofstream(path) << "this is a text\n";
  Registry registry;
  BOOST_TEST(contains(refusal(registry, path), "no loadable module"));
  std::ofstream(path, std::ios::trunc);
  BOOST_TEST(contains(refusal(registry, path), "no loadable module"));
}

BOOST_AUTO_TEST_CASE(half_a_module) {
  const Folder folder;
  const std::string path = (folder.path / "module.so").string();
  fs::copy_file(module("bad_problems"), path);
  fs::resize_file(path, fs::file_size(path) / 2);
  Registry registry;
  BOOST_TEST(contains(refusal(registry, path), "no loadable module"));
}

BOOST_AUTO_TEST_CASE(no_permission) {
  if (geteuid() == 0) return;  // root may read everything
  const Folder folder;
  const std::string path = (folder.path / "module.so").string();
  fs::copy_file(module("bad_problems"), path);
  fs::permissions(path, fs::perms::none);
  Registry registry;
  BOOST_TEST(contains(refusal(registry, path), "ermission"));
}

BOOST_AUTO_TEST_CASE(missing_symbol) {
  Registry registry;
  BOOST_TEST(contains(refusal(registry, module("missing_symbol")), "function_of_no_library"));
}

BOOST_AUTO_TEST_CASE(no_plugin) {
  Registry registry;
  for (const char* name : {"no_plugin", "no_entry"})
    BOOST_TEST(contains(refusal(registry, module(name)), "no Gnomon plug-in"));
}

BOOST_AUTO_TEST_CASE(wrong_manifests) {
  Registry registry;
  const std::pair<const char*, const char*> manifests[] = {{"version", "ABI version"},
                                                           {"compiler", "compiler is another compiler"},
                                                           {"standard", "C++ standard"},
                                                           {"scalar", "scalar size"},
                                                           {"index", "index size"},
                                                           {"eigen", "Eigen version"},
                                                           {"alignment", "Eigen alignment"},
                                                           {"sundials", "SUNDIALS version is 5.7.0"},
                                                           {"nameless", "compiler is missing"},
                                                           {"null", "manifest is null"},
                                                           {"throwing", "its manifest is secret"},
                                                           {"throws_number", "manifest threw something"}};
  for (const auto& [wrong, complaint] : manifests) {
    const std::string sentence = refusal(registry, module(std::string("wrong_") + wrong));
    BOOST_TEST(contains(sentence, complaint), sentence);
  }
}

BOOST_AUTO_TEST_CASE(throwing_registration) {
  Registry registry;
  register_builtin(registry);
  BOOST_TEST(contains(refusal(registry, module("throwing")), "its licence has expired"));
  BOOST_CHECK_THROW(registry.problem("half-registered"), Error);
  BOOST_CHECK_THROW(registry.problem("also-registered"), Error);
  BOOST_CHECK_THROW(registry.solver("half-registered-solver"), Error);
  BOOST_CHECK_THROW(registry.origin("half-registered"), Error);
  BOOST_TEST(contains(refusal(registry, module("throws_number")), "no std::exception"));
  // ... and what was there works as before.
  gnomon::Integrator integrator = registry.integrator(registry.build("planar-pendulum"), "energy-momentum", "newton");
  BOOST_TEST(integrator.advance(10, 1e-2).success());
}

BOOST_AUTO_TEST_CASE(bad_entries) {
  Registry registry;
  BOOST_TEST(contains(refusal(registry, module("null_entry")), "null problem"));
  BOOST_TEST(contains(refusal(registry, module("nameless")), "without a name"));
  BOOST_TEST(contains(refusal(registry, module("twice")), "twin"));
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

BOOST_AUTO_TEST_CASE(one_name_of_two_kinds) {
  Registry registry;
  registry.load(GNOMON_MODULES "/newton.so");
  registry.add(
      [](gnomon::Registrar& registrar) {
        registrar.add(std::unique_ptr<gnomon::Problem>(
            std::make_unique<gnomon::test::DefectiveProblem>("newton", gnomon::test::Defect::none)));
      },
      "elsewhere");
  const std::string origin = registry.origin("newton");
  BOOST_TEST(contains(origin, "newton.so (solver)"), origin);
  BOOST_TEST(contains(origin, "elsewhere (problem)"), origin);
}

BOOST_AUTO_TEST_CASE(search_path) {
  const Folder folder;
  const fs::path first = folder.path / "first", second = folder.path / "second";
  for (const fs::path& path : {first, second}) fs::create_directories(path);
  const std::string modules = GNOMON_MODULES "/";
  fs::copy_file(modules + "newton.so", first / "newton.so");
  fs::copy_file(modules + "planar_pendulum.so", second / "planar_pendulum.so");
  fs::create_symlink(first / "newton.so", second / "again.so");
  std::ofstream(second / "notes.txt") << "not a module\n";

  Registry registry;
  load_plugin_path(registry, first.string() + "::" + second.string() + ":" + first.string() + ":");
  BOOST_TEST(entries(registry) == 2u);
  BOOST_TEST(registry.origin("planar-pendulum") == (second / "planar_pendulum.so").string());
  load_plugin_path(registry, second.string());
  load_plugin_path(registry, "");
  BOOST_TEST(entries(registry) == 2u);

  BOOST_CHECK_EXCEPTION(load_plugin_path(registry, (folder.path / "third").string()), Error,
                        [](const Error& error) { return contains(error.what(), "third"); });
  fs::copy_file(module("throwing"), first / "zz_throwing.so");
  BOOST_CHECK_EXCEPTION(load_plugin_path(registry, first.string()), Error,
                        [](const Error& error) { return contains(error.what(), "zz_throwing.so"); });
  BOOST_TEST(entries(registry) == 2u);
}
