/// gnomon._core: errors, and what is registered by name.
#include "core.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/registry/plugin_path.hpp"

namespace gnomon::python {

const Registry& registry() {
  // Never destroyed: threads of the interpreter may outlive static objects.
  static const Registry* const all = [] {
    auto made = std::make_unique<Registry>();
    register_builtin(*made);
    load_plugin_path(*made, plugin_path_of_environment());
    return made.release();
  }();
  return *all;
}

namespace {

/// An Error becomes the exception of gnomon.errors that has its code.
void translate(std::exception_ptr thrown) {
  const auto raise = [](const char* code, const char* sentence) {
    const py::object error = py::module_::import("gnomon.errors").attr("error_of")(code, sentence);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  };
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Error& error) {
    raise(to_string(error.code()), error.what());
  } catch (const CannotEvaluate& error) {
    raise("callback failed", error.what());
  }
}

/// A function that gives name and one line of each.
template <class Names, class LookUp>
void define_list(py::module_& module, const char* function, Names names, LookUp look_up) {
  module.def(function, [names, look_up] {
    py::dict out;
    for (const std::string& name : (registry().*names)())
      out[py::str(name)] = (registry().*look_up)(name).description();
    return out;
  });
}

py::list spec_list(const OptionSpecs& specs) {
  py::list out;
  for (const OptionSpec& spec : specs)
    out.append(py::dict(py::arg("name") = spec.name, py::arg("default") = spec.default_text(),
                        py::arg("range") = spec.range_text(), py::arg("unit") = spec.unit,
                        py::arg("help") = spec.help));
  return out;
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  py::register_exception_translator(translate);
  module.attr("version") = GNOMON_VERSION;
  module.attr("sundials_version") = this_manifest().sundials_version;
  define_list(module, "schemes", &Registry::schemes, &Registry::scheme);
  define_list(module, "solvers", &Registry::solvers, &Registry::solver);
  define_list(module, "algebras", &Registry::algebras, &Registry::algebra);
  define_list(module, "problems", &Registry::problems, &Registry::problem);
  define_list(module, "references", &Registry::references, &Registry::reference);
  module.def("scheme_options", [](const std::string& n) { return spec_list(registry().scheme(n).options()); });
  module.def("reference_options", [](const std::string& n) { return spec_list(registry().reference(n).options()); });
  bind_instance(module);
  bind_runs(module);
  bind_references(module);
  bind_report(module);
  bind_advice(module);
  bind_functions(module);
  bind_ensemble(module);
  bind_fit(module);
}

}  // namespace gnomon::python
