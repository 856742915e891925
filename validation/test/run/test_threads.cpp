// Integrators in threads of their own: bit-identical to each one alone. Also the test that ThreadSanitizer runs (preset
// tsan), which is why it loads the few modules it needs.
#include <boost/test/unit_test.hpp>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "gnomon/registry/registry.hpp"

namespace {

using namespace gnomon;

struct Job {
  const char *problem, *scheme, *solver;
  Assignments parameters, options;
  double h;
  int steps;
};

const std::vector<Job> jobs = {
    {"double-spherical-pendulum", "energy-momentum", "kinsol-newton", {}, {}, 1e-2, 2000},
    {"double-spherical-pendulum", "hbvm", "kinsol-newton", {}, {}, 2e-2, 1000},
    {"chain",
     "energy-momentum",
     "kinsol-newton",
     {{"links", "30"}, {"start", "spatial"}},
     {},
     1e-3,
     300},  // block-tree
    {"chain", "rattle", "newton", {{"links", "4"}}, {}, 1e-3, 2000},
    {"double-spherical-pendulum", "energy-momentum", "newton", {{"start", "collinear"}}, {}, 1e-2, 2000},
};

Registry loaded() {
  Registry registry;
  for (const char* name : {"double_spherical_pendulum", "chain", "energy_momentum", "hbvm", "rattle", "kinsol_newton",
                           "newton", "algebra_dense", "algebra_block_tree", "algebra_klu", "ida_index1"})
    registry.load(std::string(GNOMON_MODULES "/") + name + ".so");
  return registry;
}

/// Everything a run leaves: state with its compensation, multipliers, history, what the monitor saw.
std::vector<double> result(const Registry& registry, const Job& job) {
  Integrator integrator =
      registry.integrator(registry.build(job.problem, job.parameters), job.scheme, job.solver, job.options);
  const StepReport report = integrator.advance(job.steps, job.h);
  std::vector<double> all = {static_cast<double>(report.steps), static_cast<double>(integrator.counters().iterations),
                             integrator.monitor().energy().max_abs_error(), integrator.monitor().energy().slope(),
                             integrator.monitor().position_max()};
  const State& z = integrator.state();
  for (const Vector* v : {&z.q.value(), &z.q.tail(), &z.p.value(), &z.p.tail(), &z.lambda})
    all.insert(all.end(), v->begin(), v->end());
  for (Index age = 0; age < z.history.count(); ++age) {
    const Vector x = z.history.at(age);
    all.insert(all.end(), x.begin(), x.end());
  }
  return all;
}

/// The reference integrator at two times.
std::vector<double> reference(const Registry& registry) {
  const Reference& ida = registry.reference("ida-index1");
  const auto solution = ida.start(registry.build("double-spherical-pendulum"), Options("ida-index1", ida.options()));
  std::vector<double> all;
  for (const double t : {.5, 1.0}) {
    const ReferenceReport report = solution->advance_to(t);
    BOOST_REQUIRE(report.success);
    for (const Vector* v : {&report.q, &report.p, &report.lambda}) all.insert(all.end(), v->begin(), v->end());
  }
  return all;
}

/// Runs every function in a thread of its own, all at the same time.
std::vector<std::vector<double>> together(const std::vector<std::function<std::vector<double>()>>& runs) {
  std::vector<std::vector<double>> results(runs.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < runs.size(); ++i) threads.emplace_back([&, i] { results[i] = runs[i](); });
  for (auto& thread : threads) thread.join();
  return results;
}

}  // namespace

BOOST_AUTO_TEST_CASE(same_as_alone) {
  const Registry registry = loaded();
  std::vector<std::function<std::vector<double>()>> runs;
  for (const Job& job : jobs) runs.emplace_back([&registry, &job] { return result(registry, job); });
  runs.emplace_back([&registry] { return reference(registry); });

  std::vector<std::vector<double>> alone;
  for (const auto& run : runs) alone.push_back(run());
  for (std::size_t i = 0; i < jobs.size(); ++i) BOOST_TEST(alone[i].front() == jobs[i].steps);
  const auto threaded = together(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    BOOST_TEST_REQUIRE(threaded[i].size() == alone[i].size());
    BOOST_TEST(threaded[i] == alone[i], boost::test_tools::per_element());  // ==: to the last bit
  }
}

BOOST_AUTO_TEST_CASE(the_same_job_twice) {
  const Registry registry = loaded();
  const auto run = [&registry] { return result(registry, jobs.front()); };
  const auto results = together({run, run, run});
  const std::vector<double> alone = run();
  for (const auto& one : results) BOOST_TEST(one == alone, boost::test_tools::per_element());
}

// A registry for each thread, modules loaded at the same time.
BOOST_AUTO_TEST_CASE(registries_in_threads) {
  const auto run = [] {
    const Registry registry = loaded();
    return result(registry, jobs.front());
  };
  const auto results = together({run, run});
  BOOST_TEST(results[0] == results[1], boost::test_tools::per_element());
}
