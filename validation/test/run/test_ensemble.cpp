/// Ensembles: the same bits as runs by hand, whatever runs beside and before them; what is kept; what goes wrong.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <map>

#include "gnomon/base/error.hpp"
#include "gnomon/base/interrupt.hpp"
#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"

namespace gnomon {
namespace {

/// Keeps every row.
class Kept : public EnsembleWork {
 public:
  struct Row {
    RunStatus status;
    std::string message;
    std::vector<double> values;
  };

  Kept(const Ensemble& ensemble, int threads, long begin = 0, long end = -1)
      : width_(ensemble.columns().size()), threads_(threads), range_(begin, end < 0 ? ensemble.runs() : end) {}
  bool take(long& begin, long& end) override { return !abandoned_ && range_.take(threads_, begin, end); }
  void done(const EnsembleRow& row) override {
    BOOST_TEST_REQUIRE(rows.emplace(row.run, Row{row.status, row.message, {row.values, row.values + width_}}).second);
  }
  void abandon() override { abandoned_ = true; }

  std::map<long, Row> rows;

 private:
  std::size_t width_;
  int threads_;
  RangeOfRuns range_;
  std::atomic<bool> abandoned_ = false;
};

std::map<long, Kept::Row> rows_of(const Ensemble& ensemble, int threads) {
  Kept kept(ensemble, threads);
  BOOST_TEST(ensemble.run(threads, kept));
  BOOST_TEST(kept.rows.size() == static_cast<std::size_t>(ensemble.runs()));
  return kept.rows;
}

bool same_bits(const Kept::Row& a, const Kept::Row& b) {
  return a.status == b.status && a.message == b.message && a.values.size() == b.values.size() &&
         std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)) == 0;
}

bool same_bits(const std::map<long, Kept::Row>& a, const std::map<long, Kept::Row>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) {
           return x.first == y.first && same_bits(x.second, y.second);
         });
}

EnsembleSetup pendulum() {
  EnsembleSetup setup;
  setup.problem = "double-spherical-pendulum";
  setup.parameters = {{"start", "spatial"}};
  setup.step = 1e-2;
  setup.steps = 50;
  setup.keep = {"max_energy_error", "max_position_error", "max_velocity_error", "steps", "q_end", "v_end"};
  return setup;
}

Variable variable(const std::string& name, const std::string& values) {
  return {name, Distribution(name, values)};
}

bool says(const std::string& sentence, const std::string& part) {
  return sentence.find(part) != std::string::npos;
}

void refused(const EnsembleSetup& setup, const std::vector<Variable>& variables, const std::string& part,
             long samples = 1) {
  BOOST_CHECK_EXCEPTION(Ensemble(registry(), setup, Design(variables, Sampling::random, samples)), Error,
                        [&](const Error& error) {
                          BOOST_TEST_MESSAGE(error.what());
                          BOOST_TEST(says(error.what(), part), error.what());
                          return true;
                        });
}

}  // namespace

BOOST_AUTO_TEST_CASE(rows_are_those_of_runs_by_hand) {
  const Ensemble ensemble(registry(), pendulum(), Design({variable("mass2", "uniform(.5,2)")}, Sampling::sobol, 16, 3));
  const auto rows = rows_of(ensemble, 2);
  for (const auto& [run, row] : rows) {
    Assignments parameters = pendulum().parameters;
    const Assignments varied = ensemble.assignments(run);
    parameters.insert(parameters.end(), varied.begin(), varied.end());
    const ProblemInstance instance = registry().build("double-spherical-pendulum", parameters);
    Integrator integrator = registry().integrator(instance, "energy-momentum", "kinsol-newton");
    integrator.start(instance.t0, instance.q0, instance.p0);
    BOOST_TEST(integrator.advance(50, 1e-2).success());
    BOOST_TEST((row.status == RunStatus::success));
    BOOST_TEST(row.values[1] == integrator.monitor().relative_energy_error());
    BOOST_TEST(row.values[1] < integrator.monitor().energy_gate());
    BOOST_TEST(row.values[4] == 50);
    for (Index i = 0; i < 6; ++i)
      BOOST_TEST(row.values[static_cast<std::size_t>(5 + i)] == integrator.state().q.value()[i]);
  }
  BOOST_TEST(ensemble.columns()[5] == "bob1.x");
  BOOST_TEST(ensemble.columns()[11] == "der(bob1.x)");
  BOOST_TEST(rows.at(0).values != rows.at(1).values);
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads_nor_on_runs_before) {
  // Every scheme that takes the model: what one leaves behind from run to run would be seen.
  for (const std::string& scheme : registry().schemes()) {
    EnsembleSetup setup = pendulum();
    setup.scheme = scheme;
    setup.steps = 12;
    std::unique_ptr<Ensemble> ensemble;
    try {
      ensemble = std::make_unique<Ensemble>(
          registry(), setup, Design({variable("start.der(bob1.z)", "normal(1,.2)")}, Sampling::random, 12, 5));
    } catch (const Error&) {
      continue;
    }
    BOOST_TEST_CONTEXT(scheme) {
      const auto one = rows_of(*ensemble, 1);
      BOOST_TEST(same_bits(one, rows_of(*ensemble, 2)));
      BOOST_TEST(same_bits(one, rows_of(*ensemble, 4)));
      for (long run = 0; run < ensemble->runs(); ++run) {
        Kept alone(*ensemble, 1, run, run + 1);
        BOOST_TEST(ensemble->run(1, alone));
        BOOST_TEST(same_bits(one.at(run), alone.rows.at(run)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_them_with_a_tolerance) {
  EnsembleSetup setup = pendulum();
  setup.scheme = "line-integral-ggl";
  setup.step = 0;
  setup.steps = 0;
  setup.until = 0.5;
  setup.tolerances = Tolerances(1e-6);
  const Ensemble ensemble(
      registry(), setup,
      Design({variable("rtol", "log-grid(1e-8,1e-4,3)"), variable("start.bob2.y", "uniform(-.3,.3)")}, Sampling::random,
             6, 5));
  BOOST_TEST(ensemble.runs() == 18);
  const auto one = rows_of(ensemble, 1);
  BOOST_TEST(same_bits(one, rows_of(ensemble, 3)));
  for (const auto& [run, row] : one) BOOST_TEST((row.status == RunStatus::success), row.message);
  BOOST_TEST(one.at(0).values[5] > one.at(17).values[5]);  // steps
}

BOOST_AUTO_TEST_CASE(starts_are_replaced_and_projected) {
  EnsembleSetup setup = pendulum();
  setup.scheme = "energy-momentum-ggl";
  setup.steps = 1;
  setup.step = 1e-6;
  setup.keep = {"bob1.x", "bob1.z", "der(bob1.y)", "max_position_error", "max_velocity_error"};
  const Ensemble ensemble(registry(), setup,
                          Design({variable("start.bob1.x", "list(1.1)"), variable("start.bob1.z", "grid(-.4,.4,3)"),
                                  variable("start.der(bob1.y)", "list(2,3)")}));
  BOOST_TEST(ensemble.runs() == 6);
  for (const auto& [run, row] : rows_of(ensemble, 1)) {
    BOOST_TEST((row.status == RunStatus::success), row.message);
    // The rod of length 1 along (1.1, 0, z): the projection in the mass metric moves bob 2 too, by less.
    BOOST_TEST(std::abs(row.values[4] - row.values[1]) < 0.15);
    BOOST_TEST(std::abs(row.values[5] - row.values[2]) < 0.05);
    BOOST_TEST(row.values[6] < 1e-14);
    BOOST_TEST(row.values[7] < 1e-13);
  }
}

BOOST_AUTO_TEST_CASE(methods_vary) {
  EnsembleSetup setup = pendulum();
  setup.steps = 0;
  setup.step = 0;
  setup.until = 0.1;
  setup.keep = {"steps", "max_energy_error"};
  const Ensemble ensemble(
      registry(), setup,
      Design({variable("scheme", "list(energy-momentum,rattle)"), variable("step", "list(1e-2,5e-3)"),
              variable("solver", "list(newton,kinsol-newton)")}));
  const auto rows = rows_of(ensemble, 2);
  BOOST_TEST(ensemble.runs() == 8);
  for (const auto& [run, row] : rows) {
    BOOST_TEST((row.status == RunStatus::success), row.message);
    BOOST_TEST(row.values[0] == run / 4);
    BOOST_TEST(row.values[3] == (run / 2 % 2 == 0 ? 10 : 20));
    if (run < 4)
      BOOST_TEST(row.values[4] < 1e-13);
    else
      BOOST_TEST(row.values[4] > 1e-8);
  }
  const Assignments last = ensemble.assignments(7);
  BOOST_TEST(last[0].second == "rattle");
  BOOST_TEST(last[1].second == "0.005");
  setup.step = 1e-2;
  const Ensemble stages(
      registry(),
      [&] {
        EnsembleSetup other = setup;
        other.scheme = "hbvm";
        return other;
      }(),
      Design({variable("option.k", "list(2,4,30000)")}));
  const auto of_k = rows_of(stages, 1);
  BOOST_TEST((of_k.at(0).status == RunStatus::success));
  BOOST_TEST((of_k.at(2).status == RunStatus::refused));
  BOOST_TEST(says(of_k.at(2).message, "30000"), of_k.at(2).message);
}

BOOST_AUTO_TEST_CASE(figures_over_the_states_of_a_run) {
  EnsembleSetup setup = pendulum();
  setup.keep = {"max(bob2.y)", "min(bob2.y)", "mean(bob2.y)", "max(der(bob1.z))", "t_end", "max_momentum_error"};
  const Ensemble ensemble(registry(), setup, Design({variable("gravity", "list(9.81)")}));
  const auto rows = rows_of(ensemble, 1);
  const ProblemInstance instance =
      registry().build("double-spherical-pendulum", {{"start", "spatial"}, {"gravity", "9.81"}});
  Integrator integrator = registry().integrator(instance, "energy-momentum", "kinsol-newton");
  integrator.start(instance.t0, instance.q0, instance.p0);
  const double mass1 = 1;
  double high = integrator.state().q.value()[4], low = high, area = 0,
         fastest = integrator.state().p.value()[2] / mass1;
  for (int k = 0; k < 50; ++k) {
    const double before = integrator.state().q.value()[4];
    integrator.step(1e-2);
    const double now = integrator.state().q.value()[4];
    high = std::max(high, now);
    low = std::min(low, now);
    area += 1e-2 * (before + now) / 2;
    fastest = std::max(fastest, integrator.state().p.value()[2] / mass1);
  }
  const std::vector<double>& values = rows.at(0).values;
  BOOST_TEST(values[1] == high);
  BOOST_TEST(values[2] == low);
  BOOST_TEST(std::abs(values[3] - area / 0.5) < 1e-13);
  BOOST_TEST(std::abs(values[4] - fastest) < 1e-13);
  BOOST_TEST(std::abs(values[5] - 0.5) < 1e-15);
  BOOST_TEST(values[6] < 1e-13);
}

BOOST_AUTO_TEST_CASE(one_bad_run_does_not_spoil_the_rest) {
  EnsembleSetup setup = pendulum();
  setup.keep = {"max_energy_error", "steps", "t_end", "bob1.x"};
  const Ensemble ensemble(registry(), setup,
                          Design({variable("mass2", "list(-1,1,0,2)"), variable("step", "list(1e-2,1e9)")}));
  // The step of the setup is replaced.
  const auto rows = rows_of(ensemble, 2);
  for (const long run : {0L, 1L, 4L, 5L}) {
    BOOST_TEST((rows.at(run).status == RunStatus::refused));
    BOOST_TEST(says(rows.at(run).message, "mass2"), rows.at(run).message);
    BOOST_TEST(std::isnan(rows.at(run).values[3]));
  }
  for (const long run : {2L, 6L}) BOOST_TEST((rows.at(run).status == RunStatus::success));
  for (const long run : {3L, 7L}) {
    BOOST_TEST((rows.at(run).status != RunStatus::success));
    BOOST_TEST(!rows.at(run).message.empty());
    BOOST_TEST(rows.at(run).values[0] == (run == 3 ? 1 : 2));
  }
}

BOOST_AUTO_TEST_CASE(a_time_limit_ends_one_run) {
  EnsembleSetup setup = pendulum();
  setup.steps = 0;
  setup.time_limit = 1;
  setup.keep = {"t_end", "bob1.x"};
  const Ensemble ensemble(registry(), setup, Design({variable("until", "list(.1,1e6,.2)")}));
  const auto rows = rows_of(ensemble, 2);
  BOOST_TEST((rows.at(0).status == RunStatus::success));
  BOOST_TEST((rows.at(2).status == RunStatus::success));
  const Kept::Row& limited = rows.at(1);
  BOOST_TEST((limited.status == RunStatus::time_limit));
  BOOST_TEST(says(limited.message, "time limit of 1 s"), limited.message);
  BOOST_TEST(limited.values[1] > 0);
  BOOST_TEST(std::isnan(limited.values[2]));
}

BOOST_AUTO_TEST_CASE(an_interrupt_ends_all) {
  volatile std::sig_atomic_t flag = 0;
  EnsembleSetup setup = pendulum();
  setup.steps = 0;
  setup.integrator.interrupt = &flag;
  // The second run never ends by itself.
  const Ensemble ensemble(registry(), setup, Design({variable("until", "list(.1,1e9,.1)")}));
  class Interrupting : public Kept {
   public:
    Interrupting(const Ensemble& e, volatile std::sig_atomic_t& flag) : Kept(e, 1), flag_(flag) {}
    void done(const EnsembleRow& row) override {
      Kept::done(row);
      one_ended_ = true;
    }
    void tick() override {
      if (one_ended_) set_flag(flag_, 1);
    }

   private:
    volatile std::sig_atomic_t& flag_;
    std::atomic<bool> one_ended_ = false;
  } kept(ensemble, flag);
  BOOST_TEST(!ensemble.run(1, kept));
  BOOST_TEST(kept.rows.count(0) == 1U);
  BOOST_TEST(kept.rows.count(1) == 0U);
}

BOOST_AUTO_TEST_CASE(what_the_work_throws_comes_out) {
  const Ensemble ensemble(registry(), pendulum(), Design({variable("mass2", "uniform(1,2)")}, Sampling::random, 100));
  class Full : public Kept {
   public:
    using Kept::Kept;
    void done(const EnsembleRow& row) override {
      if (row.run == 7) throw Error(ErrorCode::bad_file, "the disk is full");
    }
  } full(ensemble, 2);
  BOOST_CHECK_EXCEPTION(ensemble.run(2, full), Error,
                        [](const Error& error) { return std::string(error.what()) == "the disk is full"; });
}

BOOST_AUTO_TEST_CASE(sizes_that_change_are_refused_where_columns_would_mix) {
  EnsembleSetup setup;
  setup.problem = "chain";
  setup.step = 1e-2;
  setup.steps = 2;
  setup.keep = {"q_end"};
  const Ensemble ensemble(registry(), setup, Design({variable("links", "list(3,4)")}));
  const auto rows = rows_of(ensemble, 1);
  BOOST_TEST((rows.at(0).status == RunStatus::success), rows.at(0).message);
  BOOST_TEST((rows.at(1).status == RunStatus::refused));
  BOOST_TEST(says(rows.at(1).message, "coordinates"), rows.at(1).message);
}

BOOST_AUTO_TEST_CASE(overdetermined_daes_too) {
  EnsembleSetup setup;
  setup.problem = "odae-test";
  setup.scheme = "symplectic-euler-natural";
  setup.step = 1e-2;
  setup.steps = 10;
  setup.keep = {"q_end", "steps"};
  const auto parameters = registry().problem("odae-test").parameters();
  const Ensemble ensemble(registry(), setup, Design({variable("step", "list(1e-2,2e-2)")}));
  for (const auto& [run, row] : rows_of(ensemble, 1)) BOOST_TEST((row.status == RunStatus::success), row.message);
}

BOOST_AUTO_TEST_CASE(misuse_is_said_before_the_first_run) {
  refused(pendulum(), {variable("mas2", "uniform(1,2)")}, "did you mean \"mass2\"");
  refused(pendulum(), {variable("start.bob1.w", "uniform(1,2)")}, "bob1.x");
  refused(pendulum(), {variable("scheme", "list(energy-momentum,ratle)")}, "did you mean \"rattle\"");
  refused(pendulum(), {variable("mass2", "list(-1,-2)")}, "mass2");
  EnsembleSetup figure = pendulum();
  figure.keep = {"max_enrgy_error"};
  refused(figure, {variable("mass2", "uniform(1,2)")}, "did you mean \"max_energy_error\"");
  figure.keep = {"steps", "steps"};
  refused(figure, {variable("mass2", "uniform(1,2)")}, "kept twice");
  EnsembleSetup both = pendulum();
  both.tolerances = Tolerances(1e-6);
  refused(both, {variable("mass2", "uniform(1,2)")}, "both a step and a tolerance");
  both = pendulum();
  both.until = 1;
  refused(both, {variable("mass2", "uniform(1,2)")}, "both an end time and a number of steps");
  EnsembleSetup none = pendulum();
  none.steps = 0;
  refused(none, {variable("mass2", "uniform(1,2)")}, "neither an end time");
  none = pendulum();
  none.step = 0;
  refused(none, {variable("mass2", "uniform(1,2)")}, "neither a step");
  EnsembleSetup limit = pendulum();
  limit.time_limit = -1;
  refused(limit, {variable("mass2", "uniform(1,2)")}, "time limit");
  EnsembleSetup problem = pendulum();
  problem.problem = "doble-pendulum";
  refused(problem, {variable("mass2", "uniform(1,2)")}, "double-spherical-pendulum");
}

}  // namespace gnomon
