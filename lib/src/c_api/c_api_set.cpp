/// \file
/// The C interface: memory, system and method.

#include "c_api/c_api_given.hpp"

using namespace gnomon;
using namespace gnomon::c_api;

void* GnomonCreate(SUNContext sunctx) {
  if (!sunctx) return nullptr;
  try {
    auto memory = std::make_unique<Memory>();
    memory->context = memory->callbacks.context = sunctx;
    register_builtin(memory->registry);
    return memory.release();
  } catch (...) {
    return nullptr;
  }
}

void GnomonFree(void** mem) {
  if (!mem || (*mem && refused_inside(*static_cast<Memory*>(*mem), __func__))) return;
  delete static_cast<Memory*>(*mem);
  *mem = nullptr;
}

const char* GnomonGetLastMessage(void* mem) {
  return mem ? static_cast<Memory*>(mem)->message.c_str() : "the memory is NULL";
}

int GnomonSetErrFile(void* mem, FILE* errfp) {
  return guarded(mem, __func__, [&](Memory& memory) { memory.error_file = errfp; });
}

const char* GnomonGetReturnFlagName(int flag) {
  switch (flag) {
#define GNOMON_NAME_OF_ERROR(name, NAME, value, message) \
  case value:                                            \
    return "GNOMON_" #NAME;
#define GNOMON_NAME_OF_RETURN(NAME, value, message) GNOMON_NAME_OF_ERROR(, NAME, value, message)
    GNOMON_RETURNS(GNOMON_NAME_OF_RETURN)
    GNOMON_ERRORS(GNOMON_NAME_OF_ERROR)
  }
  return "NONE";
}

int GnomonLoadPlugin(void* mem, const char* path) {
  return guarded(mem, __func__, [&](Memory& memory) { memory.registry.load(text(path, "the path of the plug-in")); });
}

int GnomonSetMassDiagonal(void* mem, N_Vector mass) {
  return configured(mem, __func__, [&](Memory& memory) {
    if (!mass) throw Error(ErrorCode::bad_value, "the mass is NULL");
    memory.callbacks.mass = Mass::diagonal(view(mass, N_VGetLength(mass), "the mass"));
  });
}

int GnomonSetMassMatrix(void* mem, SUNMatrix mass) {
  return configured(mem, __func__, [&](Memory& memory) {
    if (!mass) throw Error(ErrorCode::bad_value, "the mass is NULL");
    const bool sparse = SUNMatGetID(mass) == SUNMATRIX_SPARSE;
    if (!sparse && SUNMatGetID(mass) != SUNMATRIX_DENSE)
      throw Error(ErrorCode::bad_value,
                  "the mass is a SUNMatrix that is neither dense nor sparse (CSR_MAT or CSC_MAT)");
    const Index n = sparse ? SUNSparseMatrix_Rows(mass) : SUNDenseMatrix_Rows(mass);
    MatrixBuffer buffer("the mass", mass, n, n, memory.context);
    Vector values(buffer.pattern().nonzeros());
    if (SUNMatCopy(mass, buffer.cleared()) != 0) throw std::bad_alloc();
    buffer.values(values);
    memory.callbacks.mass =
        sparse ? Mass::sparse(buffer.pattern(), values) : Mass::dense(to_dense(buffer.pattern(), values));
  });
}

int GnomonSetPotentialFn(void* mem, GnomonPotentialFn U) {
  return configured(mem, __func__, [&](Memory& memory) { memory.callbacks.potential = required(U, "the potential"); });
}

int GnomonSetGradientFn(void* mem, GnomonGradientFn grad) {
  return configured(mem, __func__, [&](Memory& memory) { memory.callbacks.gradient = grad; });
}

int GnomonSetConstraintFn(void* mem, sunindextype m, GnomonConstraintFn g) {
  return configured(mem, __func__, [&](Memory& memory) { set_rows(memory.callbacks.constraints, "constraint", m, g); });
}

int GnomonSetConstraintJacFn(void* mem, GnomonJacobianFn G, SUNMatrix pattern) {
  return configured(mem, __func__, [&](Memory& memory) {
    memory.callbacks.constraints.jacobian = {G, copy_of("the pattern of G", pattern)};
  });
}

int GnomonSetVelocityConstraintFn(void* mem, sunindextype count, GnomonVelocityConstraintFn psi) {
  return configured(mem, __func__, [&](Memory& memory) {
    check_count(count, "constraints of velocities");
    if (count > 0) required(psi, "the function of the constraints of velocities");
    memory.callbacks.n_velocity_constraints = count;
    memory.callbacks.velocity_constraints = psi;
  });
}

int GnomonSetHessianFn(void* mem, GnomonHessianFn H, SUNMatrix pattern) {
  return configured(mem, __func__, [&](Memory& memory) {
    memory.callbacks.hessian = {H, copy_of("the pattern of H", pattern)};
  });
}

int GnomonSetDegrees(void* mem, int potential, int constraints) {
  return configured(mem, __func__, [&](Memory& memory) {
    for (const int degree : {potential, constraints}) check_degree(degree);
    memory.callbacks.potential_degree = potential;
    memory.callbacks.constraints.degree = constraints;
  });
}

int GnomonSetTimeDependent(void* mem, int depends) {
  return configured(mem, __func__, [&](Memory& memory) { memory.callbacks.time_dependent = depends != 0; });
}

int GnomonSetUserData(void* mem, void* user_data) {
  return configured(mem, __func__, [&](Memory& memory) { memory.callbacks.user_data = user_data; });
}

int GnomonSetScheme(void* mem, const char* name, const char* options) {
  return configured(mem, __func__, [&](Memory& memory) {
    Named scheme{text(name, "the name of the scheme"), assignments(options, "options of a scheme")};
    const Scheme& found = memory.registry.scheme(scheme.name);
    const Options checked("scheme " + scheme.name, found.options(), scheme.options);
    memory.scheme = scheme;
  });
}

int GnomonSetSolver(void* mem, const char* name, const char* options) {
  return configured(mem, __func__, [&](Memory& memory) {
    Named solver{text(name, "the name of the solver"), assignments(options, "options of a solver")};
    const SolverFactory& found = memory.registry.solver(solver.name);
    const Options checked("solver " + solver.name, found.options(), solver.options);
    memory.attached.reset();
    memory.solver = solver;
  });
}

int GnomonSetNonlinearSolverFn(void* mem, GnomonNonlinearSolverFn create, const char* options) {
  return configured(mem, __func__, [&](Memory& memory) {
    required(create, "the function that makes the nonlinear solver");
    void* user_data = memory.callbacks.user_data;
    const auto make = [create, user_data](N_Vector like, SUNContext context) {
      return create(like, context, user_data);
    };
    const auto attached = std::make_shared<const AttachedSolver>("attached", make, memory.registry.algebra_table());
    Named solver{"attached", assignments(options, "options of a solver")};
    const Options checked("solver attached", attached->options(), solver.options);
    memory.attached = attached;
    memory.solver = solver;
  });
}

int GnomonSetLinearSolver(void* mem, SUNLinearSolver LS, SUNMatrix A) {
  return configured(mem, __func__, [&](Memory& memory) {
    if (!LS != !A)
      throw Error(ErrorCode::bad_value, std::string(LS ? "the matrix" : "the linear solver") +
                                            " is NULL, and the other one is useless without it");
    memory.algebra = LS ? std::make_shared<const AttachedAlgebra>("attached", A, LS) : nullptr;
  });
}

int GnomonSetLinearSolverFn(void* mem, GnomonLinearSolverFn create) {
  return configured(mem, __func__, [&](Memory& memory) {
    void* user_data = memory.callbacks.user_data;
    const auto make = [create, user_data](N_Vector like, const SparsityPattern& pattern, SUNContext context) {
      SunPair pair;
      const int flag = create(like, pattern.nonzeros(), &pair.matrix, &pair.solver, context, user_data);
      if (flag != 0)
        throw Error(ErrorCode::refused, "the function that makes the linear solver returned " + std::to_string(flag));
      return pair;
    };
    memory.algebra = create ? std::make_shared<const AttachedAlgebra>("attached", make) : nullptr;
  });
}

int GnomonSetJacobianSource(void* mem, const char* source) {
  return configured(mem, __func__, [&](Memory& memory) {
    const std::string name = text(source, "the source of the Jacobian");
    std::vector<std::string> known;
    for (const auto each : {JacobianSource::analytic, JacobianSource::dual, JacobianSource::differences}) {
      if (name == to_string(each)) {
        memory.options.jacobian = each;
        return;
      }
      known.emplace_back(to_string(each));
    }
    throw unknown_name("Jacobian source", name, known);
  });
}

int GnomonSetFallback(void* mem, const char* solver) {
  return configured(mem, __func__, [&](Memory& memory) {
    memory.options.fallback = solver ? &memory.registry.solver(solver) : nullptr;
  });
}

int GnomonSetMaxHalvings(void* mem, int levels) {
  return configured(mem, __func__, [&](Memory& memory) {
    if (levels < 0 || levels > 40)
      throw Error(ErrorCode::bad_value, std::to_string(levels) + " halvings of a step are not between 0 and 40");
    memory.options.max_halvings = levels;
  });
}

int GnomonSetContact(void* mem, const char* options) {
  return configured(mem, __func__, [&](Memory& memory) {
    memory.options.contact = contact_options(assignments(options, "options of contact"));
  });
}

int GnomonSetDependentConstraints(void* mem, int) {
  return configured(mem, __func__, [](Memory&) {});
}

int GnomonSetStep(void* mem, sunrealtype h) {
  return configured(mem, __func__, [&](Memory& memory) {
    if (!(h > 0 && std::isfinite(h)))
      throw Error(ErrorCode::bad_value, "step h = " + number_text(h) + " is not a finite number above zero");
    if (memory.tolerance.given() && beyond_start(memory))
      throw Error(ErrorCode::refused,
                  "a step h = " + number_text(h) +
                      " in a run with a tolerance: its steps are of one size or of a tolerance, and "
                      "GnomonReInit comes before another kind");
    if (memory.tolerance.given()) memory.started = false;
    memory.tolerance = {};
    memory.h = h;
  });
}
