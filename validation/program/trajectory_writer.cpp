#include "trajectory_writer.hpp"

namespace gnomon::program {

namespace {

double largest(const Vector& v) {
  return v.size() ? v.lpNorm<Eigen::Infinity>() : 0;
}

}  // namespace

TrajectoryWriter::TrajectoryWriter(const std::string& path, const System& system, const InvariantMonitor& monitor,
                                   long every)
    : file_(path), system_(&system), monitor_(&monitor), every_(every), v_(system.n()), g_(system.m()) {
  header();
}

void TrajectoryWriter::header() {
  std::FILE* out = file_.stream();
  const SystemTraits& traits = system_->traits();
  std::fputs("t", out);
  const Index sizes[] = {traits.n, traits.n, traits.m};
  for (std::size_t block = 0; block < 3; ++block)
    for (Index i = 0; i < sizes[block]; ++i)
      std::fprintf(out, ",%s%ld", traits.state_names[block].c_str(), static_cast<long>(i));
  std::fputs(",energy_error,position_max,velocity_max", out);
  for (Index a = 0; a < traits.n_symmetries; ++a) std::fprintf(out, ",momentum_error%ld", static_cast<long>(a));
  for (Index a = 0; a < traits.n_integrals; ++a) std::fprintf(out, ",integral_error%ld", static_cast<long>(a));
  std::fputs("\n", out);
}

void TrajectoryWriter::values(const Vector& v) {
  for (Index i = 0; i < v.size(); ++i) std::fprintf(file_.stream(), ",%.17g", v[i]);
}

void TrajectoryWriter::row(const State& z) {
  std::FILE* out = file_.stream();
  const Vector &q = z.q.value(), &p = z.p.value();
  std::fprintf(out, "%.17g", z.t);
  values(q);
  values(p);
  values(z.lambda);

  system_->constraints(z.t, q, g_);
  std::fprintf(out, ",%.17g,%.17g", monitor_->energy().last_error(), largest(g_));
  system_->mass().solve(p, v_);
  system_->constraint_velocity(z.t, q, v_, g_);
  std::fprintf(out, ",%.17g", largest(g_));
  for (const auto* drifts : {&monitor_->momentum(), &monitor_->integrals()})
    for (const Drift& drift : *drifts) std::fprintf(out, ",%.17g", drift.last_error());
  std::fputs("\n", out);
}

bool TrajectoryWriter::observe(const State& z, long step) {
  if (step % every_ != 0) return true;
  row(z);
  written_ = step;
  return true;
}

void TrajectoryWriter::finish(const State& last, long step) {
  if (step != written_) row(last);
  file_.commit();
}

}  // namespace gnomon::program
