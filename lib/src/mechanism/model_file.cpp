#include "gnomon/mechanism/model_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/formula/recorded.hpp"
#include "gnomon/model/constraint_sizes.hpp"
#include "gnomon/model/start_velocity.hpp"
#include "gnomon/start/consistency.hpp"
#include "mechanism/bodies/assembly.hpp"
#include "mechanism/formula_angles.hpp"
#include "mechanism/formula_model.hpp"
#include "mechanism/formula_outputs.hpp"
#include "mechanism/import/mjcf.hpp"
#include "mechanism/import/sdf.hpp"
#include "mechanism/import/urdf.hpp"

namespace gnomon {

namespace mechanism {

namespace {

class FormulaProblem final : public Problem {
 public:
  explicit FormulaProblem(ModelText text) : text_(std::make_shared<const ModelText>(std::move(text))) {
    check_ranges();
  }

  std::string name() const override { return text_->name; }
  std::string description() const override { return text_->description.empty() ? "a model file" : text_->description; }
  std::string equations() const override {
    std::string text = text_->equations;
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }
  std::string source() const override { return text_->source; }
  Assignments run_defaults() const override { return text_->run; }

  OptionSpecs parameters() const override {
    constexpr double any = std::numeric_limits<double>::infinity();
    const std::vector<double> values = parameter_values(*text_, {});
    OptionSpecs specs;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const Parameter& p = text_->parameters[k];
      specs.push_back(OptionSpec::real(p.name, values[k], p.minimum.value_or(-any), p.maximum.value_or(any), p.unit,
                                       p.description));
    }
    return specs;
  }

  double value(const Options& options, const std::string& name) const override {
    return values_of(options)[place_of(name)];
  }
  TimeSpan acts(const std::string& name) const override { return text_->parameters[place_of(name)].acts; }

  ProblemInstance build(const Options& options) const override {
    std::vector<double> values = values_of(options);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!has_no_bounds(options, text_->parameters[k].name)) check_range(text_->parameters[k], values[k]);
    std::optional<Poses> poses;
    if (text_->mechanism) {
      poses.emplace(text_->mechanism->bodies, values, text_->assemble);
      for (const BodyFormulas::Constant& constant : text_->mechanism->formulas.constants)
        values.push_back(constant.value(*poses));
    }
    const auto elaborated = std::make_shared<Elaborated>(text_, values);
    elaborated->angles = formula_angles(elaborated);
    if (poses) elaborated->repaired_inertias = poses->repaired();
    const std::shared_ptr<const Elaborated> all = elaborated;

    ProblemInstance instance;
    instance.q0 = filled(*all, all->position);
    Vector v0 = filled(*all, all->velocity);
    if (poses) fill_bodies(*all, *poses, instance.q0);
    const Vector given = instance.q0;
    check_start_values(*all, instance.q0, v0);
    instance.curves = make_curves(all, instance.t0, instance.q0);
    if (poses) instance.solids = make_solids(all, *poses);
    const std::shared_ptr<const System> system =
        with_place(text_->mass.place, [&] { return make_system(all, instance.q0); });
    instance.model = system;
    check_dependence(*all, *system);
    if (poses) fit_bodies(*all, *system, *poses, instance, v0);
    instance.p0 = momenta(*system, instance.q0, v0);
    check_symmetries(*all, *system, instance.q0);
    instance.outputs = formula_outputs(all, instance.q0, v0);
    if (text_->project_start) with_place(text_->start_place, [&] { return project(*all, *system, instance); });
    if (text_->assemble || text_->project_start) {
      Vector v(system->n()), scratch(system->n());
      system->velocity(instance.q0, instance.p0, scratch, v);
      elaborated->moved_start = moved_text(*system, given, v0, instance.q0, v);
    }
    return instance;
  }

 private:
  std::size_t place_of(const std::string& parameter) const {
    const auto is_it = [&](const Parameter& one) { return one.name == parameter; };
    const auto& all = text_->parameters;
    return static_cast<std::size_t>(std::find_if(all.begin(), all.end(), is_it) - all.begin());
  }
  std::vector<double> values_of(const Options& options) const {
    std::vector<std::pair<std::size_t, double>> assigned;
    for (std::size_t k = 0; k < text_->parameters.size(); ++k) {
      const std::string& name = text_->parameters[k].name;
      if (options.assigned(name)) assigned.emplace_back(k, options.real(name));
    }
    return parameter_values(*text_, assigned);
  }
  /// What `make` throws, with a place where it has none.
  template <class Make>
  static auto with_place(const Place& place, const Make& make) -> decltype(make()) {
    try {
      return make();
    } catch (const Error& error) {
      const std::string said = error.what();
      if (said.compare(0, place.file.size() + 1, place.file + ":") == 0) throw;
      throw Error(error.code(), to_text(place) + said);
    }
  }
  static void check_dependence(const Elaborated& all, const System& system) {
    const SparsityPattern& pattern = system.constraint_pattern();
    const auto require = [&system] { return require_dependence(system), true; };
    for (const Line& line : all.constraints)
      if (pattern.offsets[line.entry] == pattern.offsets[line.entry + 1]) with_place(line.formula->place, require);
    require();
  }
  /// Whether the caller has taken them away (build_beyond_bounds).
  static bool has_no_bounds(const Options& options, const std::string& name) {
    for (const OptionSpec& spec : options.specs())
      if (spec.name == name) return std::isinf(spec.minimum) && std::isinf(spec.maximum);
    return false;
  }
  static void check_range(const Parameter& p, double value) {
    if ((p.minimum && value < *p.minimum) || (p.maximum && value > *p.maximum))
      throw error_at(p.place, "parameter " + p.name + " is " + number_text(value) + ", expected " +
                                  (p.minimum ? "at least " + number_text(*p.minimum) : "") +
                                  (p.minimum && p.maximum ? " and " : "") +
                                  (p.maximum ? "at most " + number_text(*p.maximum) : ""));
  }
  void check_ranges() const {
    const std::vector<double> values = parameter_values(*text_, {});
    for (std::size_t k = 0; k < values.size(); ++k) check_range(text_->parameters[k], values[k]);
  }

  /// Where bodies and particles are at the start.
  static void fill_bodies(const Elaborated& all, const Poses& poses, Vector& q) {
    const std::vector<BodyFormulas::Coordinate>& coordinates = all.text->mechanism->formulas.coordinates;
    for (const auto* lines : {&all.position, &all.velocity})
      for (const Line& line : *lines)
        if (line.entry < static_cast<Index>(coordinates.size()))
          throw error_at(line.formula->place,
                         "this coordinate is that of a body or particle, whose table says where it starts");
    for (std::size_t j = 0; j < coordinates.size(); ++j) {
      const auto at = static_cast<Index>(j);
      q[at] = coordinates[j].position(poses);
    }
  }
  /// Positions, unless they are assembled already, and momenta.
  bool project(const Elaborated& all, const System& system, ProblemInstance& instance) const {
    const PositionMetric metric{system.mass().diagonal_entries(), held_coordinates(all)};
    if (!text_->mechanism) project_positions(system, instance.t0, instance.q0, all.held.empty() ? nullptr : &metric);
    project_momenta(system, instance.t0, instance.q0, instance.p0);
    return true;
  }
  std::vector<bool> held_coordinates(const Elaborated& all) const {
    std::vector<bool> held(static_cast<std::size_t>(all.n), false);
    if (text_->mechanism)
      for (std::size_t j = 0; j < text_->mechanism->formulas.coordinates.size(); ++j)
        held[j] = text_->mechanism->formulas.coordinates[j].held;
    for (const Line& line : all.held) held[static_cast<std::size_t>(line.entry)] = true;
    return held;
  }
  /// Changes weigh as lengths, whatever the masses: one for points, the square of a length for axes. Those of formulas
  /// beside them weigh as their masses do beside the mean mass.
  Vector assembly_weights(const Elaborated& all, const System& system, const Poses& poses) const {
    const std::vector<BodyFormulas::Coordinate>& coordinates = text_->mechanism->formulas.coordinates;
    const auto bodies = static_cast<Index>(coordinates.size());
    Vector weights(all.n);
    for (Index j = 0; j < bodies; ++j) weights[j] = coordinates[static_cast<std::size_t>(j)].weight(poses);
    const Vector& mass = system.mass().diagonal_entries();
    const double mean = mass.head(bodies).cwiseQuotient(weights.head(bodies)).mean();
    weights.tail(all.n - bodies) = mass.tail(all.n - bodies) / mean;
    return weights;
  }
  void assemble(const Elaborated& all, const System& system, const Poses& poses, ProblemInstance& instance) const {
    const Vector given = instance.q0;
    const PositionMetric metric{assembly_weights(all, system, poses), held_coordinates(all)};
    try {
      if (text_->holds.empty())
        project_positions(system, instance.t0, instance.q0, &metric);
      else
        project_positions(*with(text_->holds, all, given).second, instance.t0, instance.q0, &metric);
    } catch (const Error& error) {
      std::string why = error.what();
      // The constraint that is violated most where the projection has got to is often one that keeps a body rigid.
      if (const auto misfit = largest_misfit(system, instance.t0, given);
          misfit && error.code() == ErrorCode::inconsistent_start)
        why = "no positions that fit were found from the given ones, where constraint " +
              all.constraint_names[static_cast<std::size_t>(misfit->constraint)] + " is " + number_text(misfit->value) +
              ", expected 0";
      throw Error(error.code(),
                  to_text(text_->start_place) + "the joints cannot be assembled" + held_text() + ": " + why);
    }
  }
  /// The model with further constraints, those of joints that are held or start somewhere.
  std::pair<std::shared_ptr<const Elaborated>, std::shared_ptr<const System>> with(const std::vector<Entry>& further,
                                                                                   const Elaborated& all,
                                                                                   const Vector& q0) const {
    const auto text = std::make_shared<ModelText>(*text_);
    text->constraints.insert(text->constraints.end(), further.begin(), further.end());
    text->obstacles.clear();
    text->friction.clear();  // multipliers have other numbers here
    text->outputs.clear();
    const auto elaborated = std::make_shared<Elaborated>(text, all.values.parameters);
    elaborated->angles = formula_angles(elaborated);
    return {elaborated, make_system(elaborated, q0)};
  }
  /// " with crank and joint A held", and with joints that start somewhere.
  std::string held_text() const {
    const Bodies& bodies = text_->mechanism->bodies;
    std::vector<std::string> held;
    for (const Joint& one : bodies.joints)
      if (one.start) held.push_back("the start of joint " + one.name);
    for (const Particle& one : bodies.particles)
      if (one.held) held.push_back(one.name);
    for (const Body& one : bodies.bodies)
      if (one.held) held.push_back(one.name);
    for (const Joint& one : bodies.joints)
      if (one.held) held.push_back("joint " + one.name);
    for (const Entry& one : text_->held) held.push_back(one.target.name);
    std::string out;
    for (std::size_t k = 0; k < held.size(); ++k)
      out += (k == 0 ? " with " : k + 1 == held.size() ? " and " : ", ") + held[k];
    return out.empty() ? out : out + " held";
  }
  /// Positions fit, or are moved to where they do; velocities are assembled.
  void fit_bodies(const Elaborated& all, const System& system, const Poses& poses, ProblemInstance& instance,
                  Vector& v0) const {
    if (text_->assemble || text_->project_start) assemble(all, system, poses, instance);
    check_assembled(all, system, instance.t0, instance.q0);
    const std::vector<BodyFormulas::Coordinate>& coordinates = text_->mechanism->formulas.coordinates;
    std::vector<bool> given(static_cast<std::size_t>(all.n), true);
    for (std::size_t j = 0; j < coordinates.size(); ++j) {
      given[j] = static_cast<bool>(coordinates[j].velocity);
      v0[static_cast<Index>(j)] = given[j] ? coordinates[j].velocity(poses, instance.q0) : 0;
    }
    if (text_->speeds.empty()) return assemble_velocity(all, system, instance.t0, instance.q0, given, v0);
    const auto [elaborated, with_speeds] = with(text_->speeds, all, instance.q0);
    assemble_velocity(*elaborated, *with_speeds, instance.t0, instance.q0, given, v0);
  }

  static Vector filled(const Elaborated& all, const std::vector<Line>& lines) {
    Vector out = Vector::Zero(all.n);
    DefinitionValues<double> definitions(all.values);
    for (const Line& line : lines) {
      out[line.entry] = Evaluation<double>(all.values, {}, line.slots, &definitions)(*line.formula);
      if (!std::isfinite(out[line.entry]))
        throw error_at(line.formula->place, "the start is " + finite_text(out[line.entry]) + " here");
    }
    return out;
  }
  /// Formulas that give no number at the start are named with their places.
  static void check_start_values(const Elaborated& all, const Vector& q, const Vector& v) {
    if (const auto found = not_finite_formula(all, 0, q, v); found && !found->derivative)
      throw error_at(found->formula->place,
                     "the formula \"" + found->formula->text + "\" is " + finite_text(found->value) + " at the start");
  }
  /// The derivative of the lines along v.
  static Vector along(const Elaborated& all, const std::vector<Line>& lines, const Vector& q, const Vector& v) {
    std::vector<Dual1> x(static_cast<std::size_t>(all.n));
    for (Index j = 0; j < all.n; ++j) {
      x[static_cast<std::size_t>(j)] = Dual1(q[j]);
      x[static_cast<std::size_t>(j)].grad[0] = v[j];
    }
    DefinitionValues<Dual1> definitions(all.values);
    Vector out = Vector::Zero(all.n);
    for (const Line& line : lines)
      out[line.entry] =
          Evaluation<Dual1>(all.values, {nullptr, x.data(), nullptr, nullptr}, line.slots, &definitions)(*line.formula)
              .grad[0];
    return out;
  }
  /// A generator xi leaves U, g and T as they are: grad U . xi = 0 and p . (D xi v) = 0, near the start; G xi = 0 where
  /// g = 0, at a start that is there (rows of g may turn into each other).
  static void check_symmetries(const Elaborated& all, const System& system, const Vector& q0) {
    const Index n = all.n;
    const Vector v = ordinary_point(n).x;
    const double size = q0.cwiseAbs().maxCoeff();
    const Vector q = q0 + 0.1 * (size > 0 ? size : 1) * (v.array() - 0.5).matrix();
    const Vector p = momenta(system, q, v);
    Vector gradient(n), g(system.constraint_pattern().nonzeros()), rows(system.m());
    system.potential_gradient(0, q, gradient);
    system.constraint_jacobian(0, q0, g);
    system.constraints(0, q0, rows);
    Vector sizes(system.m());
    constraint_sizes(system.constraint_pattern(), g, system.mass().diagonal_entries(), q0, sizes);
    const bool on_constraints = (rows.array().abs() <= thresholds::on_constraints * sizes.array()).all();
    const auto generator = [&](std::size_t a, const Vector& at) {
      Vector xi(n);
      system.parts().symmetries->symmetry_generator(static_cast<Index>(a), at, xi);
      return xi;
    };
    for (std::size_t a = 0; a < all.symmetries.size(); ++a) {
      const Vector xi = generator(a, q), at_start = generator(a, q0);
      const auto refuse = [&](const std::string& what) {
        const std::vector<Line>& lines = all.symmetries[a];
        throw error_at(lines.empty() ? all.text->start_place : lines.front().formula->place,
                       "\"" + all.text->symmetries[a].name + "\" is no symmetry: it changes " + what);
      };
      if (std::abs(gradient.dot(xi)) > thresholds::symmetry * gradient.norm() * xi.norm()) refuse("the potential");
      const SparsityPattern& pattern = system.constraint_pattern();
      for (Index i = 0; on_constraints && i < pattern.rows; ++i) {
        double sum = 0, size = 0;
        for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) {
          sum += g[k] * at_start[pattern.indices[k]];
          size += std::abs(g[k] * at_start[pattern.indices[k]]);
        }
        if (std::abs(sum) > thresholds::symmetry * size)
          refuse("constraint " + all.constraint_names[static_cast<std::size_t>(i)]);
      }
      const Vector turn = along(all, all.symmetries[a], q, v);
      // With M(q) the derivative of M along xi counts too: it is left to `gnomon check`.
      if (!all.mass_depends_on_positions && std::abs(p.dot(turn)) > thresholds::symmetry * p.norm() * turn.norm())
        refuse("the kinetic energy");
    }
  }
  static std::shared_ptr<const System> make_system(const std::shared_ptr<const Elaborated>& all, const Vector& q0) {
    if (all->friction_coefficients.empty())
      return std::make_shared<AutodiffSystem<FormulaModel>>(FormulaModel(all, q0), q0);
    return std::make_shared<AutodiffSystem<SlippingModel>>(SlippingModel(all, q0), q0);
  }

  std::shared_ptr<const ModelText> text_;
};

}  // namespace

}  // namespace mechanism

namespace {

bool ends_with(const std::string& name, std::string_view ending) {
  return name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
}

/// The function that makes a model file of a robot file of such a name; null for other names.
using RobotReader = std::string (*)(const std::string& xml, const std::string& file, const std::string& folder);
RobotReader robot_reader(const std::string& name) {
  return ends_with(name, ".urdf")  ? &mechanism::urdf_as_toml
         : ends_with(name, ".sdf") ? &mechanism::sdf_as_toml
         : ends_with(name, ".xml") ? &mechanism::mjcf_as_toml
                                   : nullptr;
}

}  // namespace

bool is_robot_file(const std::string& name) {
  return robot_reader(name) != nullptr;
}
bool is_model_file(const std::string& name) {
  return ends_with(name, ".toml") || is_robot_file(name);
}

namespace {

/// The elaborated model file; null for other models.
const mechanism::Elaborated* elaborated_of(const Model& model) {
  using namespace mechanism;
  if (const auto* formulas = dynamic_cast<const AutodiffSystem<FormulaModel>*>(&model))
    return formulas->model().all.get();
  const auto* slipping = dynamic_cast<const AutodiffSystem<SlippingModel>*>(&model);
  return slipping != nullptr ? slipping->model().all.get() : nullptr;
}

}  // namespace

std::string moved_start(const Model& model) {
  const mechanism::Elaborated* all = elaborated_of(model);
  return all != nullptr ? all->moved_start : "";
}

std::string repaired_inertias(const Model& model) {
  const mechanism::Elaborated* all = elaborated_of(model);
  return all != nullptr ? all->repaired_inertias : "";
}

std::unique_ptr<const Problem> read_model_text(const std::string& toml, const std::string& file) {
  mechanism::ModelText text = mechanism::read_model_text(toml, file);
  if (text.name.empty()) text.name = std::filesystem::path(file).stem().string();
  return std::make_unique<mechanism::FormulaProblem>(std::move(text));
}

std::string model_file_text(const std::string& file, const std::string& folder) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::bad_file, "the model file \"" + file + "\" cannot be read: " + why);
  };
  if (std::filesystem::is_directory(file)) refuse("it is a folder");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(std::strerror(errno));
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad()) refuse(std::strerror(errno));
  const RobotReader reader = robot_reader(file);
  return reader ? reader(text.str(), file, folder) : text.str();
}

std::unique_ptr<const Problem> read_model_file(const std::string& file) {
  return read_model_text(model_file_text(file), is_robot_file(file) ? file + ", as `gnomon import` writes it" : file);
}

}  // namespace gnomon
