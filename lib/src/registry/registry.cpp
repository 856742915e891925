#include "gnomon/registry/registry.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <tuple>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/contact/contact.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "registry/module.hpp"

namespace gnomon {

namespace {

template <class T>
using Table = std::map<std::string, std::unique_ptr<T>>;

template <class T>
std::vector<std::string> keys(const Table<T>& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.push_back(entry.first);
  return names;
}

struct Tables : SchemeTable, AlgebraTable {
  const Scheme& scheme(const std::string& name) const override {
    if (!schemes.count(name) && references.count(name))
      throw Error(
          ErrorCode::unknown_name,
          "\"" + name + "\" is a reference, which chooses its own steps, and no scheme: a run is compared with it");
    return look_up(schemes, "scheme", name);
  }
  const AlgebraFactory& algebra(const std::string& name) const override {
    return look_up(algebra_factories, "algebra", name);
  }
  std::vector<std::string> algebras() const override { return keys(algebra_factories); }

  /// By its name or, where no entry has that, by an alias.
  template <class T>
  const T& look_up(const Table<T>& table, const char* kind, const std::string& name) const {
    auto at = table.find(name);
    if (const auto alias = aliases.find(name); at == table.end() && alias != aliases.end())
      at = table.find(alias->second);
    if (at == table.end()) throw unknown_name(kind, name, keys(table));
    return *at->second;
  }

  std::map<std::string, std::string> aliases;
  Table<Scheme> schemes;
  Table<SolverFactory> solvers;
  Table<AlgebraFactory> algebra_factories;
  Table<Problem> problems;
  Table<Reference> references;
};

/// Collects what one registration function adds, so that a failure in the middle leaves nothing behind.
class Staging final : public Registrar {
 public:
  explicit Staging(const Tables& known) : known_(known) {}

  const SchemeTable& schemes() const override { return known_; }
  const AlgebraTable& algebras() const override { return known_; }

  void add(std::unique_ptr<Scheme> scheme) override {
    insert(known_.schemes, staged.schemes, "scheme", std::move(scheme));
  }
  void add(std::unique_ptr<SolverFactory> solver) override {
    insert(known_.solvers, staged.solvers, "solver", std::move(solver));
  }
  void add(std::unique_ptr<AlgebraFactory> algebra) override {
    insert(known_.algebra_factories, staged.algebra_factories, "algebra", std::move(algebra));
  }
  void add(std::unique_ptr<Problem> problem) override {
    insert(known_.problems, staged.problems, "problem", std::move(problem));
  }
  void add(std::unique_ptr<Reference> reference) override {
    insert(known_.references, staged.references, "reference", std::move(reference));
  }
  void add_alias(const std::string& alias, const std::string& name) override { staged.aliases.emplace(alias, name); }

  Tables staged;

 private:
  template <class T>
  void insert(const Table<T>& known, Table<T>& table, const char* kind, std::unique_ptr<T> entry) {
    if (!entry) throw Error(ErrorCode::bad_plugin, std::string("a null ") + kind + " was registered");
    const std::string name = entry->name();
    if (name.empty()) throw Error(ErrorCode::bad_plugin, std::string("a ") + kind + " without a name was registered");
    if (known.count(name) || table.count(name))
      throw Error(ErrorCode::bad_plugin, std::string(kind) + " name \"" + name + "\" is already taken");
    table.emplace(name, std::move(entry));
  }

  const Tables& known_;
};

}  // namespace

void Registrar::add_alias(const std::string&, const std::string&) {}

const SchemeTable& Registrar::schemes() const {
  throw Error(ErrorCode::refused, "this registrar does not keep schemes: a scheme that wraps others needs a Registry");
}

const AlgebraTable& Registrar::algebras() const {
  throw Error(ErrorCode::refused, "this registrar does not keep algebra: a solver that needs it needs a Registry");
}

/// Where the entries of one name came from. There may be one of each kind, from different modules.
class Origin {
 public:
  void add(const char* kind, const std::string& from) {
    if (!text_.empty() && from != first_) different_ = true;
    if (text_.empty()) first_ = from;
    text_ += (text_.empty() ? "" : ", ") + from + " (" + kind + ")";
  }
  const std::string& text() const { return different_ ? text_ : first_; }

 private:
  std::string first_, text_;
  bool different_ = false;
};

struct Registry::Impl : Tables {
  std::map<std::string, Origin> origins;

  /// A model file, read again where it has changed; what was read before lives on, since it may be in use.
  const Problem& model_file(const std::string& name) const {
    const std::lock_guard<std::mutex> lock(reading);
    if (const auto given = texts.find(name); given != texts.end()) return *given->second;
    const std::string file = found(name);
    std::error_code ignored;
    const auto size = std::filesystem::file_size(file, ignored);
    const auto time = std::filesystem::last_write_time(file, ignored);
    auto& problem = files[{file, static_cast<std::uintmax_t>(size), time}];
    if (!problem) problem = read_model_file(file);
    return *problem;
  }
  void add_model_text(const std::string& name, const std::string& toml) {
    std::unique_ptr<const Problem> problem = read_model_text(toml, name);
    const std::lock_guard<std::mutex> lock(reading);
    std::unique_ptr<const Problem>& place = texts[name];
    if (place) replaced.push_back(std::move(place));
    place = std::move(problem);
  }
  std::vector<std::string> model_folders;

 private:
  /// The file itself, or the first of that name in a folder of models.
  std::string found(const std::string& file) const {
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) return file;
    for (const std::string& folder : model_folders)
      if (const auto path = std::filesystem::path(folder) / file; std::filesystem::exists(path, ignored))
        return path.string();
    return file;
  }
  mutable std::mutex reading;
  using Version = std::tuple<std::string, std::uintmax_t, std::filesystem::file_time_type>;
  mutable std::map<Version, std::unique_ptr<const Problem>> files;
  std::map<std::string, std::unique_ptr<const Problem>> texts;
  std::vector<std::unique_ptr<const Problem>> replaced;
};

Registry::Registry() : impl_(std::make_unique<Impl>()) {}
Registry::~Registry() = default;
Registry::Registry(Registry&&) noexcept = default;

void Registry::add(RegisterFunction function, const std::string& origin) {
  Staging staging(*impl_);
  function(staging);
  const auto commit = [&](const char* kind, auto& from, auto& to) {
    for (const auto& entry : from) impl_->origins[entry.first].add(kind, origin);
    to.merge(from);
  };
  commit("scheme", staging.staged.schemes, impl_->schemes);
  commit("solver", staging.staged.solvers, impl_->solvers);
  commit("algebra", staging.staged.algebra_factories, impl_->algebra_factories);
  commit("problem", staging.staged.problems, impl_->problems);
  commit("reference", staging.staged.references, impl_->references);
  impl_->aliases.merge(staging.staged.aliases);
}

void Registry::load(const std::string& path) {
  const RegisterFunction enter = open_module(path);
  std::string failure;
  try {
    add(enter, path);
    return;
  } catch (const std::exception& error) {
    failure = error.what();
  } catch (...) {
    failure = "its registration threw something that is no std::exception";
  }
  throw refused_module(path, failure);
}

const Scheme& Registry::scheme(const std::string& name) const {
  return impl_->scheme(name);
}
const SolverFactory& Registry::solver(const std::string& name) const {
  return impl_->look_up(impl_->solvers, "solver", name);
}
const AlgebraFactory& Registry::algebra(const std::string& name) const {
  return impl_->algebra(name);
}
const AlgebraTable& Registry::algebra_table() const {
  return *impl_;
}
const Problem& Registry::problem(const std::string& name) const {
  if (is_model_file(name)) return impl_->model_file(name);
  std::error_code ignored;
  if (impl_->problems.count(name) == 0 && std::filesystem::is_regular_file(name, ignored))
    throw Error(ErrorCode::bad_file,
                "\"" + name +
                    "\" is a file, expected a problem's name, or a model file that ends in .toml, .urdf, .sdf or .xml");
  if (impl_->problems.count(name) == 0 && name.find_first_of("./") != std::string::npos)
    throw Error(ErrorCode::bad_file, "\"" + name +
                                         "\" is neither a file nor a problem: model files end in .toml, .urdf, .sdf or "
                                         ".xml, and `gnomon list problems` has the names of the problems");
  return impl_->look_up(impl_->problems, "problem", name);
}
const Reference& Registry::reference(const std::string& name) const {
  return impl_->look_up(impl_->references, "reference", name);
}

std::vector<std::string> Registry::schemes() const {
  return keys(impl_->schemes);
}
std::vector<std::string> Registry::solvers() const {
  return keys(impl_->solvers);
}
std::vector<std::string> Registry::algebras() const {
  return impl_->algebras();
}
std::vector<std::string> Registry::problems() const {
  return keys(impl_->problems);
}
std::vector<std::string> Registry::references() const {
  return keys(impl_->references);
}

void Registry::add_model_folder(const std::string& folder) {
  impl_->model_folders.push_back(folder);
}

void Registry::add_model_text(const std::string& name, const std::string& toml) {
  if (!is_model_file(name) || is_robot_file(name))
    throw Error(ErrorCode::bad_value, "the name of a model is \"" + name + "\", expected one that ends in .toml");
  impl_->add_model_text(name, toml);
}

const std::string& Registry::origin(const std::string& name) const {
  if (is_model_file(name)) return name;
  const auto at = impl_->origins.find(name);
  if (at == impl_->origins.end()) throw unknown_name("entry", name, {});
  return at->second.text();
}

ProblemInstance Registry::build(const std::string& name, const Assignments& parameters) const {
  const Problem& chosen = problem(name);
  return chosen.build(Options("problem " + name, chosen.parameters(), parameters));
}

namespace {

/// The names as "a, b, c and 2 others".
std::string listed(const std::vector<std::pair<int, std::string>>& names, std::size_t most) {
  std::string text;
  const std::size_t shown = std::min(most, names.size()), left = names.size() - shown;
  for (std::size_t k = 0; k < shown; ++k)
    text += (k == 0 ? "" : k + 1 == shown && left == 0 ? " and " : ", ") + names[k].second;
  if (left > 0) text += " and " + std::to_string(left) + (left == 1 ? " other" : " others");
  return text;
}

}  // namespace

Integrator Registry::new_integrator(const ProblemInstance& instance, const std::string& scheme_name,
                                    const SolverFactory& factory, const Assignments& scheme_options,
                                    const Assignments& solver_options, IntegratorOptions options) const {
  if (!options.event_driver) options.event_driver = contact_driver;
  if (!options.algebras) options.algebras = &algebra_table();
  const Scheme& chosen = scheme(scheme_name);
  const Options for_scheme("scheme " + scheme_name, chosen.options(), scheme_options);
  const Options for_solver("solver " + factory.name(), factory.options(), solver_options);
  const auto make = [&](const Scheme& scheme, const Options& own) {
    return Integrator(instance.model, scheme, own, factory, for_solver, options);
  };
  // Who is refused by one scheme is told which others take the model, those that promise most first.
  const auto advice = [&] {
    std::vector<std::pair<int, std::string>> takers;
    for (const std::string& name : schemes()) {
      if (name == scheme_name) continue;
      try {
        const Scheme& other = scheme(name);
        const Promises p = make(other, Options("scheme " + name, other.options())).promises();
        takers.emplace_back(-(4 * p.energy + 2 * p.hidden + p.position), name);
      } catch (...) {  // whatever another scheme finds wrong, it is not what was asked
      }
    }
    std::sort(takers.begin(), takers.end());
    return takers.empty() ? std::string("; no scheme takes it") : "; it is taken by " + listed(takers, 3);
  };
  // Asked for later: it refers to nothing of this function.
  options.estimators = [tables = impl_.get(), model = instance.model, &factory, for_solver, bare = options] {
    std::vector<std::string> names;
    for (const auto& [name, entry] : tables->schemes) {
      try {
        const Scheme& other = *entry;
        Integrator(model, other, Options("scheme " + name, other.options()), factory, for_solver, bare)
            .set_tolerances(Tolerances(thresholds::tried_tolerance));
        names.push_back(name);
      } catch (...) {  // as above
      }
    }
    return names;
  };
  try {
    return make(chosen, for_scheme);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::refused) throw;
    throw Error(ErrorCode::refused, error.what() + advice());
  }
}

Integrator Registry::integrator(const ProblemInstance& instance, const std::string& scheme, const std::string& solver,
                                const Assignments& scheme_options, const Assignments& solver_options,
                                const IntegratorOptions& options) const {
  Integrator integrator =
      new_integrator(instance, scheme, this->solver(solver), scheme_options, solver_options, options);
  integrator.start(instance.t0, instance.q0, instance.p0);
  return integrator;
}

}  // namespace gnomon
