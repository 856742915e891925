#include "report/check_names.hpp"

#include "gnomon/base/error.hpp"

namespace gnomon::validation {

namespace {

void check_scheme(const Registry& registry, const std::string& name, const Assignments& assignments) {
  const Scheme& scheme = registry.scheme(name);
  const Options options("scheme " + name, scheme.options(), assignments);
  for (const OptionSpec& spec : scheme.options())
    if (spec.kind == OptionSpec::Kind::scheme)
      check_scheme(registry, options.scheme(spec.name), options.nested(spec.name));
}

void check_method(const Registry& registry, const Method& method) {
  check_scheme(registry, method.scheme, method.options);
  Options("solver " + method.solver, registry.solver(method.solver).options(), method.solver_options);
}

void check_problem(const Registry& registry, const std::string& name, const Assignments& set) {
  Options("problem " + name, registry.problem(name).parameters(), set);
}

void check_case(const Registry& registry, const Case& c) {
  check_problem(registry, c.problem, c.set);
  check_problem(registry, c.problem, c.start);
  if (c.measure != "outcome" || c.method.scheme != suited_method) check_method(registry, c.method);
  check_method(registry, c.other);
  for (const auto& name : c.references) {
    if (name == own_solution && c.measure == "trajectory-error") continue;
    const auto options = c.reference_options.find(name);
    Options("reference " + name, registry.reference(name).options(),
            options == c.reference_options.end() ? Assignments() : options->second);
  }
}

template <class F>
void within(const std::string& where, F check) {
  try {
    check();
  } catch (const Error& error) {
    throw Error(ErrorCode::bad_file, where + ": " + error.what());
  }
}

}  // namespace

void check_names(const Registry& registry, const CaseFiles& files) {
  for (const Case& c : files.cases) within(c.file + ", case \"" + c.name + "\"", [&] { check_case(registry, c); });
  for (const ConformanceStart& start : files.starts)
    within(start.file + ", start of \"" + start.problem + "\"",
           [&] { check_problem(registry, start.problem, start.set); });
  for (const ConformanceVariant& variant : files.variants)
    within(variant.file + ", variant of \"" + variant.scheme + "\"",
           [&] { Options("scheme " + variant.scheme, registry.scheme(variant.scheme).options(), variant.options); });
  for (const ConformanceFailure& failure : files.failures)
    within(failure.file + ", known failure of \"" + failure.scheme + "\" on \"" + failure.problem + "\"",
           [&] { registry.scheme(failure.scheme); });
  for (const NoReference& none : files.no_references)
    within(none.file + ", no-reference", [&] {
      if (none.scheme.empty())
        registry.problem(none.problem);
      else
        registry.scheme(none.scheme);
    });
}

}  // namespace gnomon::validation
