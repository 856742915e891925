#pragma once
/// \file
/// A pendulum through the C interface, for its tests.

#include <gnomon/gnomon.h>
#include <nvector/nvector_serial.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "gnomon/sundials/sundials_compat.hpp"

using gnomon::SunContext;
using gnomon::SunOwner;

/// The planar pendulum in Cartesian coordinates, m = l = g = 1, from the horizontal: U = y, g = (x^2 + y^2 - 1)/2.
struct Pendulum {
  int fail_at = 0, flag = 0, calls = 0;  ///< the potential returns `flag` from call fail_at on
};

extern "C" {
inline int pendulum_U(sunrealtype, N_Vector q, sunrealtype* U, void* data) {
  auto* pendulum = static_cast<Pendulum*>(data);
  *U = NV_Ith_S(q, 1);
  return pendulum && pendulum->flag != 0 && ++pendulum->calls >= pendulum->fail_at ? pendulum->flag : 0;
}
inline int pendulum_gradient(sunrealtype, N_Vector, N_Vector grad, void*) {
  NV_Ith_S(grad, 0) = 0;
  NV_Ith_S(grad, 1) = 1;
  return 0;
}
inline int pendulum_g(sunrealtype, N_Vector q, N_Vector g, void*) {
  NV_Ith_S(g, 0) = (NV_Ith_S(q, 0) * NV_Ith_S(q, 0) + NV_Ith_S(q, 1) * NV_Ith_S(q, 1) - 1) / 2;
  return 0;
}
inline int pendulum_G(sunrealtype, N_Vector q, SUNMatrix G, void*) {
  SM_ELEMENT_D(G, 0, 0) = NV_Ith_S(q, 0);
  SM_ELEMENT_D(G, 0, 1) = NV_Ith_S(q, 1);
  return 0;
}
}

struct Run {
  explicit Run(SUNContext context) : mem(GnomonCreate(context)), y(N_VNew_Serial(4, context)) {
    GnomonSetErrFile(mem, nullptr);
    mass.reset(N_VNew_Serial(2, context));
    N_VConst(1.0, mass.get());
    N_VConst(0.0, y.get());
    (*this)[0] = 1;
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() { GnomonFree(&mem); }

  double& operator[](int i) { return NV_Ith_S(y.get(), i); }
  std::string message() const { return GnomonGetLastMessage(mem); }

  Run& pendulum(bool derivatives = true) {
    BOOST_TEST(GnomonSetMassDiagonal(mem, mass.get()) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetPotentialFn(mem, pendulum_U) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetConstraintFn(mem, 1, pendulum_g) == GNOMON_SUCCESS);
    if (derivatives) {
      BOOST_TEST(GnomonSetGradientFn(mem, pendulum_gradient) == GNOMON_SUCCESS);
      BOOST_TEST(GnomonSetConstraintJacFn(mem, pendulum_G, nullptr) == GNOMON_SUCCESS);
    }
    BOOST_TEST(GnomonSetDegrees(mem, 1, 2) == GNOMON_SUCCESS);
    return start();
  }
  Run& start() {
    BOOST_TEST(GnomonSetStep(mem, 1e-2) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonInit(mem, 0.0, y.get()) == GNOMON_SUCCESS);
    return *this;
  }
  int to(double tout, int itask = GNOMON_NORMAL) { return GnomonEvolve(mem, tout, y.get(), &t, itask); }
  double energy_error() {
    double last = 0, largest = 0;
    BOOST_TEST(GnomonGetEnergyError(mem, &last, &largest) == GNOMON_SUCCESS, message());
    return largest;
  }
  double position() {
    double position = 0, velocity = 0;
    BOOST_TEST(GnomonGetConstraintNorms(mem, &position, &velocity) == GNOMON_SUCCESS, message());
    return position;
  }
  std::vector<double> state() { return {&(*this)[0], &(*this)[0] + 4}; }
  /// The call failed with this flag, and its sentence has every one of the parts.
  void misuse(int found, int expected, const std::vector<std::string>& parts) {
    BOOST_TEST_CONTEXT(message()) {
      BOOST_TEST(found == expected);
      for (const auto& part : parts) BOOST_TEST(message().find(part) != std::string::npos, "does not name " << part);
    }
  }

  void* mem;
  SunOwner<N_Vector> mass, y;
  double t = 0;
};
