/// gnomon describe: one scheme, solver, problem or reference in full.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "gnomon/base/error.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "gnomon/model/outputs.hpp"
#include "gnomon/model/overdetermined.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/registry/suited_scheme.hpp"
#include "gnomon/start/consistency.hpp"
#include "program/cli/say.hpp"
#include "program/commands/commands.hpp"
#include "program/commands/momentum_maps.hpp"
#include "program/papers/heads.hpp"
#include "program/papers/papers.hpp"
#include "program/run/run_arguments.hpp"

namespace gnomon::program {

namespace {

/// ", where 8 obstacles touch"; empty for none.
std::string touching(const System& system, const Vector& q) {
  const Obstacles* obstacles = system.parts().obstacles;
  if (!obstacles) return {};
  Vector gaps(obstacles->n_obstacles());
  obstacles->obstacles(q, gaps);
  const auto count = std::count(gaps.begin(), gaps.end(), 0.0);
  return count == 0 ? ""
                    : fmt::format(", where {} touch{}", count == 1 ? "1 obstacle" : fmt::format("{} obstacles", count),
                                  count == 1 ? "es" : "");
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void print_options(const OptionSpecs& specs, const std::string& heading, const std::string& flag) {
  if (specs.empty()) return;
  say("\n{} ({} name=value)\n", heading, flag);
  for (const auto& spec : specs) {
    const std::string unit = spec.unit.empty() ? "" : " " + spec.unit;
    say("  {:22} {}\n", spec.name, spec.help);
    say("  {:22} {}{}; {}\n", "", spec.default_text(), unit, spec.range_text());
  }
}

/// "scheme energy-momentum: description", where it comes from, its source and the papers that the source names.
void print_head(const Registry& registry, const std::string& kind, const std::string& name,
                const std::string& description, const std::string& source) {
  say("{} {}: ", kind, name);
  say_lines(description + "\n");
  if (!source.empty()) say("source: {}\n", source);
  say("origin: {}\n", registry.origin(name));
  for (const Paper& paper : papers_in(description + "; " + source)) say("paper: {}\n", citation(paper));
}

/// The comment at the head of a built-in method's file: its equations, and what is to be known of it.
void print_equations(const Registry& registry, const std::string& name) {
  const auto head = heads().find(name);
  if (registry.origin(name) != "built in" || head == heads().end()) return;
  std::string text = head->second;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  say_lines("\n" + text);
}

/// The papers that a source names; a source that names none known stands as a note.
std::string bibtex_of(const std::string& name, const std::string& text, const std::string& source) {
  std::string out;
  for (const Paper& paper : papers_in(text + "; " + source)) out += bibtex(paper);
  if (out.empty() && !source.empty()) out = "@misc{" + name + ",\n  note = {" + source + "}\n}\n";
  return out;
}

/// What steps of a tolerance take where no scheme is named.
void print_tolerances(const Registry& registry, const ProblemInstance& instance) {
  const System* system = instance.model->mechanical();
  if (!system) return;
  SuitedRun run;
  run.start = instance;
  run.solver = &registry.solver("kinsol-newton");
  run.solver_options = Options("solver kinsol-newton", run.solver->options());
  say("\n--rtol without --scheme takes what is cheapest for the class \"{}\" by the table of gnomon bench tolerance\n"
      "and promises energy, g = 0 and G v + g_t = 0 here; of a scheme that is named without options the cheapest "
      "order\n",
      class_of(*system));
  bool reported = false;
  for (const double relative : {1e-3, 1e-6, 1e-9}) try {
      run.relative = relative;
      const SchemeChoice choice = suited_scheme(registry, run);
      say("  --rtol {:.0e}: {}\n", relative, to_string(choice));
      const Promises promises = registry.integrator(instance, choice.scheme, "newton", choice.options).promises();
      reported = !promises.energy && choice.scheme != "projected-rk";  // which leaves it out where nothing moves
    } catch (const Error& error) {
      if (error.code() != ErrorCode::refused) throw;
      say("  --rtol {:.0e}: {}\n", relative, error.what());
      return;
    }
  if (reported)
    say("No scheme of high order promises the energy here: its error is reported. energy-momentum-ggl, of order 2,\n"
        "keeps it, and takes many steps at small tolerances\n");
}

/// The schemes that take a model with their default options and its own contacts, and what each promises for it.
void print_takers(const Registry& registry, const ProblemInstance& instance, const std::string& file) {
  say("\ntaken by, with the promises that hold here\n");
  std::string refused;
  RunArguments arguments;
  arguments.problem = file;
  take_run_defaults(registry, arguments);
  IntegratorOptions options;
  options.contact = contact_options(arguments.contact);
  for (const auto& name : registry.schemes()) try {
      const Integrator run = registry.integrator(instance, name, "newton", {}, {}, options);
      say("  {:32} {}\n", name, to_string(run.promises()));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::refused) throw;
      refused += (refused.empty() ? "" : ", ") + name;
    }
  if (!refused.empty()) say("refused by {}\n", refused);
}

void describe_problem(const Registry& registry, const std::string& name) {
  const Problem& problem = registry.problem(name);
  print_head(registry, "problem", name, problem.description(), problem.source());
  const ProblemInstance instance = registry.build(name);
  say_lines("\n" + problem.equations() + "\n\n");
  const auto counted = [](Index count, const std::string& what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  const char* closed_form = instance.exact ? ", closed-form solution" : "";
  if (const System* system = instance.model->mechanical()) {
    const SystemTraits& traits = system->traits();
    const Parts& parts = system->parts();
    say("with default parameters: {}, {}, {}{}{}{}\n", counted(traits.n, "coordinate"), counted(traits.m, "constraint"),
        parts.obstacles ? counted(parts.n_obstacles(), "obstacle") + ", " : "",
        counted(parts.n_symmetries(), "momentum map"), parts.friction || parts.coulomb ? ", friction" : "",
        closed_form);
    const auto degree = [](int found) {
      return found == SystemTraits::not_polynomial ? std::string("not polynomial") : fmt::format("of degree {}", found);
    };
    say("  U {}{}{}{}\n", degree(traits.potential_degree),
        traits.m > 0 ? ", g " + degree(traits.constraint_degree) : "", parts.mass ? ", mass M(q)" : ", constant mass",
        parts.time_dependence ? ", depends on time" : "");
    if (const Index r = parts.n_velocity_constraints(); r > 0)
      say("  {} of velocities, A(q,t) v + b(q,t) = 0\n", counted(r, "constraint"));
    if (!traits.branches.empty()) say("  branches on a value, dense derivatives: {}\n", traits.branches);
    if (traits.m > 0) {
      const ConstraintRank rank = constraint_rank(*system, instance.t0, instance.q0);
      say("  {} of freedom at the start{}\n",
          traits.n - rank.rank == 1 ? "1 degree" : fmt::format("{} degrees", traits.n - rank.rank),
          touching(*system, instance.q0));
      for (const Index i : rank.dependent)
        say("  constraint \"{}\" repeats others: handled\n", constraint_name(*system, i));
    }
    for (Index a = 0; a < parts.n_symmetries(); ++a) say("  momentum map: {}\n", parts.symmetries->symmetry_name(a));
    if (parts.n_symmetries() == 0)
      for (const std::string& map : momentum_maps(instance)) say("  keeps {}\n", map);
    for (Index a = 0; a < parts.n_integrals(); ++a) say("  first integral: {}\n", parts.integrals->integral_name(a));
  } else {
    const OverdeterminedTraits& traits = instance.model->overdetermined()->traits();
    say("overdetermined DAE, with default parameters: {} unknowns {}, {} {}, {}, {}{}\n", traits.ny,
        traits.state_names[0], traits.nz, traits.state_names[1], counted(traits.m, "constraint"),
        traits.has_energy ? "an energy" : "no energy", closed_form);
  }
  if (instance.outputs)
    for (const Output& output : instance.outputs->outputs())
      say("  output: {}{}\n", output.name, output.unit.empty() ? "" : ", " + output.unit);
  if (is_model_file(name)) print_takers(registry, instance, name);
  print_tolerances(registry, instance);
  print_options(problem.parameters(), "parameters", "--set");
}

Error no_such_name(const Registry& registry, const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(name, ignored)) registry.problem(name);  // says which files are models
  std::vector<std::string> known;
  for (const auto& names :
       {registry.schemes(), registry.solvers(), registry.algebras(), registry.problems(), registry.references()})
    known.insert(known.end(), names.begin(), names.end());
  return unknown_name("name", name, known);
}

int describe(const Registry& registry, const std::string& name) {
  bool found = false;
  const auto separate = [&found] {
    if (found) say("\n");
    found = true;
  };
  if (has(registry.schemes(), name)) {
    separate();
    const Scheme& scheme = registry.scheme(name);
    print_head(registry, "scheme", name, scheme.description(), scheme.source());
    say("promises, at best: {}\n", to_string(scheme.promises()));
    print_equations(registry, name);
    print_options(scheme.options(), "options", "--option");
  }
  if (has(registry.solvers(), name)) {
    separate();
    print_head(registry, "solver", name, registry.solver(name).description(), "");
    print_equations(registry, name);
    print_options(registry.solver(name).options(), "options", "--solver-option");
  }
  if (has(registry.algebras(), name)) {
    separate();
    print_head(registry, "algebra", name, registry.algebra(name).description(), "");
    print_equations(registry, name);
    print_options(registry.algebra(name).options(), "options", "--solver-option algebra=" + name + " algebra.");
  }
  if (has(registry.problems(), name) || is_model_file(name)) {
    separate();
    describe_problem(registry, name);
  }
  if (has(registry.references(), name)) {
    separate();
    print_head(registry, "reference", name, registry.reference(name).description(), "");
    print_equations(registry, name);
    print_options(registry.reference(name).options(), "options", "--reference-option");
  }
  if (found) return success;
  throw no_such_name(registry, name);
}

int describe_papers(const Registry& registry, const std::string& name) {
  if (name.empty()) {
    say_lines(own_bibtex());
    return success;
  }
  bool found = false;
  std::set<std::string> entries;
  const auto add = [&](const std::string& text, const std::string& source) {
    found = true;
    entries.insert(bibtex_of(name, text, source));
  };
  if (has(registry.schemes(), name)) add(registry.scheme(name).description(), registry.scheme(name).source());
  if (has(registry.solvers(), name)) add(registry.solver(name).description(), "");
  if (has(registry.algebras(), name)) add(registry.algebra(name).description(), "");
  if (has(registry.problems(), name) || is_model_file(name))
    add(registry.problem(name).description(), registry.problem(name).source());
  if (has(registry.references(), name)) add(registry.reference(name).description(), "");
  if (!found) throw no_such_name(registry, name);
  for (const std::string& entry : entries) say_lines(entry);
  if (entries.size() == 1 && entries.begin()->empty())
    throw Error(ErrorCode::bad_value, "\"" + name + "\" names no paper that it rests on");
  return success;
}

}  // namespace

void add_describe(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("describe", "one of them in full: equations, source, options with units and ranges");
  auto name = std::make_shared<std::string>();
  auto bibliography = std::make_shared<bool>(false);
  command->add_option("NAME", *name, "of a scheme, solver, algebra, problem or reference, or a model file")
      ->type_name("");
  command->add_flag("--bibtex", *bibliography, "the papers it rests on, as BibTeX; without a name, that of Gnomon");
  command->callback([&invocation, name, bibliography] {
    invocation.action = [name, bibliography](const Registry& registry) {
      if (*bibliography) return describe_papers(registry, *name);
      if (name->empty()) throw Error(ErrorCode::bad_value, "describe: NAME is missing: gnomon list has all of them");
      return describe(registry, *name);
    };
  });
}

}  // namespace gnomon::program
