#include "gnomon/mechanism/model_file.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "gnomon/model/start_velocity.hpp"
#include "gnomon/start/consistency.hpp"
#include "mechanism/formula_model.hpp"

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
    constexpr long any_integer = 1000000000000000;
    const std::vector<double> values = parameter_values(*text_, {});
    OptionSpecs specs;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const Parameter& p = text_->parameters[k];
      if (p.integer) {
        specs.push_back(OptionSpec::integer(
            p.name, static_cast<long>(values[k]), p.minimum ? static_cast<long>(std::ceil(*p.minimum)) : -any_integer,
            p.maximum ? static_cast<long>(std::floor(*p.maximum)) : any_integer, p.description));
        specs.back().unit = p.unit;
      } else {
        specs.push_back(OptionSpec::real(p.name, values[k], p.minimum.value_or(-any), p.maximum.value_or(any), p.unit,
                                         p.description));
      }
    }
    return specs;
  }

  ProblemInstance build(const Options& options) const override {
    std::vector<std::pair<std::size_t, double>> assigned;
    for (std::size_t k = 0; k < text_->parameters.size(); ++k) {
      const Parameter& p = text_->parameters[k];
      if (!options.assigned(p.name)) continue;
      assigned.emplace_back(k, p.integer ? static_cast<double>(options.integer(p.name)) : options.real(p.name));
    }
    const std::vector<double> values = parameter_values(*text_, assigned);
    for (std::size_t k = 0; k < values.size(); ++k) check_range(text_->parameters[k], values[k]);
    const auto all = std::make_shared<const Elaborated>(text_, values);

    ProblemInstance instance;
    instance.q0 = filled(*all, all->position);
    const Vector v0 = filled(*all, all->velocity);
    check_start_values(*all, instance.q0, v0);
    const std::shared_ptr<const System> system =
        with_place(text_->mass.place, [&] { return make_system(all, instance.q0); });
    instance.model = system;
    instance.p0 = momenta(*system, instance.q0, v0);
    instance.dependent_constraints = text_->dependent_constraints;
    if (text_->project_start)
      with_place(text_->start_place, [&] {
        project_start(*system, instance.t0, instance.q0, instance.p0, instance.dependent_constraints);
        return true;
      });
    return instance;
  }

 private:
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
    const double t = 0;
    DefinitionValues<double> definitions(all.values);
    for (const auto* lines :
         {&all.potential, &all.invariants, &all.constraints, &all.obstacles, &all.slips, &all.mass, &all.force})
      for (const Line& line : *lines) {
        const double value =
            Evaluation<double>(all.values, {&t, q.data(), v.data(), nullptr}, line.slots, &definitions)(*line.formula);
        if (!std::isfinite(value))
          throw error_at(line.formula->place,
                         "the formula \"" + line.formula->text + "\" is " + finite_text(value) + " at the start");
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

bool is_model_file(const std::string& name) {
  constexpr std::string_view ending = ".toml";
  return name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
}

std::unique_ptr<const Problem> read_model_text(const std::string& toml, const std::string& file) {
  mechanism::ModelText text = mechanism::read_model_text(toml, file);
  if (text.name.empty()) text.name = std::filesystem::path(file).stem().string();
  return std::make_unique<mechanism::FormulaProblem>(std::move(text));
}

std::unique_ptr<const Problem> read_model_file(const std::string& file) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::bad_file, "the model file \"" + file + "\" cannot be read: " + why);
  };
  if (std::filesystem::is_directory(file)) refuse("it is a folder");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(std::strerror(errno));
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad()) refuse(std::strerror(errno));
  return read_model_text(text.str(), file);
}

}  // namespace gnomon
