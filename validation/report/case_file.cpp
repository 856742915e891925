#include "report/case_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "gnomon/base/error.hpp"
#include "gnomon/base/visible_text.hpp"
#include "measures/measure.hpp"
#include "report/sweep.hpp"
#include "report/toml_reader.hpp"

namespace gnomon::validation {

namespace {

const std::vector<std::string> kinds{"conformance", "published", "reference", "solver"};

/// What the head of a file may say for all of its cases.
const std::vector<std::string> shared_keys{"tier", "measure", "problem", "scheme"};

template <class T>
bool contains(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

Tier tier_of(TomlReader& reader) {
  const std::string text = reader.text("tier");
  try {
    return tier_named(text);
  } catch (const Error& error) {
    reader.refuse("tier", std::string("names an ") + error.what());
  }
}

Method method_of(TomlReader& reader) {
  Method method;
  method.scheme = reader.text("scheme", method.scheme);
  method.options = reader.assignments("options");
  method.solver = reader.text("solver", method.solver);
  method.solver_options = reader.assignments("solver-options");
  method.contact = reader.assignments("contact");
  return method;
}

Gate gate_of(const toml::node& node, const std::string& name, const TomlReader& parent) {
  if (!node.is_table()) parent.refuse("gates." + name, "is not a table { min, max } or { near, within }");
  TomlReader reader(*node.as_table(), parent.where() + ", gate " + name);
  Gate gate;
  if (reader.has("min")) gate.min = reader.number("min");
  if (reader.has("max")) gate.max = reader.number("max");
  if (reader.has("near")) {
    gate.near = reader.number("near");
    gate.within = reader.number("within");
  }
  if (reader.has("better")) {
    const std::string side = reader.text("better");
    if (side != "below" && side != "above") reader.refuse("better", "is \"" + side + "\", expected below or above");
    gate.better = side == "above" ? Gate::Better::above : Gate::Better::below;
    if (!gate.near && !(side == "above" ? gate.max : gate.min))
      reader.refuse("better", "is \"" + side + "\", but the gate has no end on that side");
  }
  reader.finish();
  if (!gate.min && !gate.max && !gate.near) parent.refuse("gates." + name, "has neither min, max nor near");
  return gate;
}

/// The failure of a whole run, or an error, says with which message: another one is another failure.
KnownFailure known_failure_of(TomlReader& reader, const std::string& quantity) {
  KnownFailure known{visible(reader.text("reason")), reader.text("message", "")};
  if (known.reason.empty()) reader.refuse("reason", "is empty");
  const bool whole = quantity == "run" || quantity == "error";
  if (whole && known.message.empty()) reader.refuse("message", "is missing: what the message of the failure contains");
  if (!whole && !known.message.empty()) reader.refuse("message", "belongs to the known failure of a run or an error");
  return known;
}

/// known-failure.QUANTITY = "reason", or { reason, message }.
void read_known_failures(TomlReader& reader, Case& c) {
  const toml::table* table = reader.table("known-failure");
  if (!table) return;
  for (const auto& [key, node] : *table) {
    const std::string quantity(key.str());
    toml::table plain;
    if (node.is_string()) plain.insert("reason", node.as_string()->get());
    if (!node.is_string() && !node.is_table())
      reader.refuse("known-failure." + quantity, "is not a reason or a table { reason, message }");
    TomlReader known(node.is_table() ? *node.as_table() : plain, reader.where() + ", known-failure." + quantity);
    c.known_failures[quantity] = known_failure_of(known, quantity);
    known.finish();
  }
}

std::map<std::string, Assignments> reference_options_of(TomlReader& reader, const Case& c) {
  std::map<std::string, Assignments> result;
  const toml::table* table = reader.table("reference-options");
  if (!table) return result;
  TomlReader options(*table, reader.where() + ", reference-options");
  for (const auto& reference : c.references) result[reference] = options.assignments(reference);
  options.finish();
  return result;
}

/// The keys that belong to the measure: read when declared, refused otherwise by finish().
void read_measure_keys(TomlReader& reader, const Measure& measure, Case& c) {
  for (std::string key : measure.keys) {
    const bool optional = key.back() == '?';
    if (optional) key.pop_back();
    if (!optional && !reader.has(key)) reader.refuse(key, "is missing: measure " + measure.name + " needs it");
    if (key == "step")
      c.step = reader.numbers(key);
    else if (key == "steps")
      c.steps = reader.count(key, 0);
    else if (key == "until")
      c.until = reader.number(key, 0);
    else if (key == "references")
      c.references = reader.texts(key);
    else if (key == "tolerances")
      c.tolerances = reader.numbers(key);
    else if (key == "start")
      c.start = reader.assignments(key);
    else if (key == "equilibrium")
      c.equilibrium = reader.assignments(key);
    else if (key == "mu")
      c.mu = reader.numbers(key);
    else if (key == "reference-options")
      c.reference_options = reference_options_of(reader, c);
    else if (key == "order-until")
      c.order_until = reader.number(key, 0);
    else if (key == "symplectic-step")
      c.symplectic_step = reader.number(key, 0);
    else if (key == "other" && reader.has(key)) {
      TomlReader other(*reader.table(key), reader.where() + ", other");
      c.other = method_of(other);
      other.finish();
    } else if (key == "table" && reader.has(key)) {
      TomlReader table(*reader.table(key), reader.where() + ", table");
      c.table = {table.text("file"), table.text("name")};
      table.finish();
    }
  }
}

Case case_of(const toml::table& table, const std::string& file, const std::string& kind, std::size_t number) {
  const std::string name = table["name"].value_or(std::string());
  TomlReader reader(table, file + ", case " + (name.empty() ? std::to_string(number) : "\"" + name + "\""));
  Case c;
  c.file = file;
  c.kind = kind;
  c.name = visible(reader.text("name"));
  c.formerly = reader.text("formerly", "");
  c.tier = tier_of(reader);
  c.measure = reader.text("measure");
  c.note = visible(reader.text("note", ""));
  c.problem = reader.text("problem");
  c.set = reader.assignments("set");
  c.method = method_of(reader);
  try {
    read_measure_keys(reader, find_measure(c.measure), c);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unknown_name) throw;
    reader.refuse("measure", std::string("names an ") + error.what());
  }
  for (const double h : c.step)
    if (!(h > 0)) reader.refuse("step", "is not above zero");
  if (const toml::table* gates = reader.table("gates"))
    for (const auto& [quantity, node] : *gates)
      c.gates[std::string(quantity.str())] = gate_of(node, std::string(quantity.str()), reader);
  read_known_failures(reader, c);
  for (const auto& [quantity, reason] : reader.assignments("better")) c.better[quantity] = reason;
  if (const toml::table* table = reader.table("printed")) {
    TomlReader printed(*table, reader.where() + ", printed");
    for (const auto& [quantity, node] : *table)
      c.printed[std::string(quantity.str())] = printed.number(std::string(quantity.str()));
  }
  reader.finish();
  return c;
}

ConformanceStart start_of(const toml::table& table, const std::string& file) {
  TomlReader reader(table, file + ", start of \"" + table["problem"].value_or(std::string()) + "\"");
  ConformanceStart start;
  start.file = file;
  start.problem = reader.text("problem");
  start.label = reader.text("label", "");
  start.set = reader.assignments("set");
  start.step = reader.number("step", start.step);
  start.steps = reader.count("steps", start.steps);
  start.order_until = reader.number("order-until", start.order_until);
  start.symplectic_step = reader.number("symplectic-step", start.symplectic_step);
  if (reader.has("tier")) start.tier = tier_of(reader);
  reader.finish();
  return start;
}

ConformanceVariant variant_of(const toml::table& table, const std::string& file) {
  TomlReader reader(table, file + ", variant of \"" + table["scheme"].value_or(std::string()) + "\"");
  ConformanceVariant variant;
  variant.file = file;
  variant.scheme = reader.text("scheme");
  variant.options = reader.assignments("options");
  variant.steps = reader.count("steps", variant.steps);
  reader.finish();
  return variant;
}

/// One for each of the schemes.
std::vector<ConformanceFailure> failures_of(const toml::table& table, const std::string& file, bool better) {
  TomlReader reader(table, file + (better ? ", better" : ", known-failure"));
  const std::string problem = reader.text("problem"), quantity = reader.text("quantity");
  const std::string in_its_case = quantity.rfind("long-", 0) == 0 ? quantity.substr(5) : quantity;
  const KnownFailure known = known_failure_of(reader, in_its_case);
  std::vector<std::string> schemes = reader.texts("schemes");
  if (schemes.empty()) schemes.push_back(reader.text("scheme"));
  reader.finish();
  std::vector<ConformanceFailure> failures;
  for (const std::string& scheme : schemes) failures.push_back({scheme, problem, quantity, known, better, file});
  return failures;
}

NoReference no_reference_of(const toml::table& table, const std::string& file) {
  TomlReader reader(table, file + ", no-reference");
  NoReference none{reader.text("problem", ""), reader.text("scheme", ""), reader.text("reason"), file};
  if (none.problem.empty() == none.scheme.empty()) reader.refuse("problem", "or scheme: one of them is expected");
  if (none.reason.empty()) reader.refuse("reason", "is empty");
  reader.finish();
  return none;
}

/// Calls f(table, number) for each element of the array of tables `key`.
template <class F>
void for_each_table(const toml::table& document, const std::string& key, const std::string& file, F f) {
  const toml::node* node = document.get(key);
  if (!node) return;
  if (!node->is_array_of_tables())
    throw Error(ErrorCode::bad_file, file + ": \"" + key + "\" is not written [[" + key + "]]");
  std::size_t number = 0;
  for (const auto& element : *node->as_array()) f(*element.as_table(), ++number);
}

/// The folder `data` beside one of the folders that hold the file; the nearest one.
std::string data_folder_of(const std::filesystem::path& path) {
  std::error_code ignored;
  for (std::filesystem::path folder = path.parent_path(); folder != folder.parent_path(); folder = folder.parent_path())
    if (std::filesystem::is_directory(folder.parent_path() / "data", ignored))
      return (folder.parent_path() / "data").string();
  return (path.parent_path().parent_path() / "data").string();
}

/// `file`: how messages name it.
void read_file(const std::filesystem::path& path, const std::string& file, CaseFiles& out) {
  toml::table document;
  try {
    document = read_toml(path.string());
  } catch (const toml::parse_error& error) {
    throw Error(ErrorCode::bad_file,
                fmt::format("{}, line {}: {}", path.string(), static_cast<unsigned>(error.source().begin.line),
                            error.description()));
  }
  TomlReader reader(document, file);
  const std::string kind = reader.text("kind");
  if (!contains(kinds, kind))
    reader.refuse("kind", "is \"" + kind + "\", expected conformance, published, reference or solver");
  for (const auto& [key, node] : document) {
    const std::string name(key.str());
    const bool known = name == "kind" || name == "case" || contains(shared_keys, name) ||
                       (kind == "published" && name == "source") || (kind == "reference" && name == "no-reference") ||
                       (kind == "conformance" &&
                        (name == "start" || name == "variant" || name == "known-failure" || name == "better"));
    if (!known) reader.refuse(name, "is not known here");
  }
  const std::string data_folder = data_folder_of(path), source = reader.text("source", "");
  for_each_table(document, "case", file, [&](const toml::table& declared, std::size_t number) {
    toml::table complete = declared;
    for (const std::string& key : shared_keys)
      if (const toml::node* shared = document.get(key)) complete.insert(key, *shared);  // unless the case has its own
    for (const toml::table& table : expand_sweep(std::move(complete), file, number)) {
      out.cases.push_back(case_of(table, file, kind, number));
      out.cases.back().data_folder = data_folder;
      out.cases.back().source = source;
    }
  });
  for_each_table(document, "start", file,
                 [&](const toml::table& table, std::size_t) { out.starts.push_back(start_of(table, file)); });
  for_each_table(document, "variant", file,
                 [&](const toml::table& table, std::size_t) { out.variants.push_back(variant_of(table, file)); });
  for_each_table(document, "no-reference", file, [&](const toml::table& table, std::size_t) {
    out.no_references.push_back(no_reference_of(table, file));
  });
  for_each_table(document, "known-failure", file, [&](const toml::table& table, std::size_t) {
    for (ConformanceFailure& failure : failures_of(table, file, false)) out.failures.push_back(std::move(failure));
  });
  for_each_table(document, "better", file, [&](const toml::table& table, std::size_t) {
    for (ConformanceFailure& failure : failures_of(table, file, true)) out.failures.push_back(std::move(failure));
  });
}

}  // namespace

CaseFiles read_case_files(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code failed;
  std::vector<fs::path> paths;
  const fs::path root = fs::absolute(folder, failed).lexically_normal();
  for (fs::recursive_directory_iterator entry(root, failed), end; !failed && entry != end; entry.increment(failed))
    if (entry->path().extension() == ".toml") paths.push_back(entry->path());
  if (failed || paths.empty())
    throw Error(ErrorCode::bad_file, "folder \"" + folder + "\" holds no case files (*.toml)");
  std::sort(paths.begin(), paths.end());
  CaseFiles files;
  for (const auto& path : paths) read_file(path, path.lexically_relative(root).generic_string(), files);
  return files;
}

std::vector<std::string> gallery_models(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code none;
  std::vector<std::string> models;
  for (const auto& entry : fs::directory_iterator(fs::path(folder) / "gallery", none))
    if (entry.path().extension() == ".toml") models.push_back("gallery/" + entry.path().filename().string());
  std::sort(models.begin(), models.end());
  return models;
}

}  // namespace gnomon::validation
