#pragma once
/// \file
/// Adjoint: how a number J(y(1), ..., y(N)) changes with many parameters of a model and entries of its start at once,
/// where y(i) are functions of the state at times t(i). With z(n+1) = Phi(z(n), s, h(n)) as for Sensitivities, and
/// y(i) = Y(z, s), the steps are gone over backwards,
///
///     zb(N) = 0,        zb(n) = Phi_z^T zb(n+1) + Y_z^T dJ/dy(i)
///     dJ/ds = sum over n of Phi_s^T zb(n+1) + Y_s^T dJ/dy(i),    plus (dz(0)/ds)^T zb(0)
///
/// with the second terms where t(i) is the time of z(n). A time inside a step is the end of a step of its own from the
/// start of that one, as it is for states there.
///
/// A step finds its unknowns by F(x; z0, s) = 0 and ends at E(x; z0, s). With many coordinates it is gone over by
/// transposed equations,
///
///     w = F_x^-T E_x^T zb1,        zb0 = E_z0^T zb1 - F_z0^T w
///
/// where E_x, E_z0 and F_z0 are quotients on patterns with few colours; in every step zb1.dz1 = zb0.dz0 is checked for
/// a change at random. Otherwise, and over events and with augmented Lagrange iterations, the columns of Phi_z are
/// derivatives along a basis of the changes dz that the constraints allow, as far as the scheme keeps them,
///
///     dq = N y,  dp = M W w + S y,    with N, W, S as for a Linearisation
///
/// and, where the end of a step depends on more than q and p, of what the scheme carries beside them; each is one
/// direction of Sensitivities. A parameter is a direction in those steps alone where the model depends on it
/// (Problem::acts). So a gradient by any number of values of an input costs a step at most 2 (n - m) + 1 directions,
/// and one by a few parameters is cheaper forwards, by Sensitivities.
///
/// The covector zb may grow beyond all that a gradient is a sum of. So the derivative along a change of all parameters
/// at random is found forwards, too, and a gradient that does not agree with it to 1e-7 of its terms is none; where
/// warning() says that derivatives of steps are known to less, to ten times that.
///
/// Memory is bounded: states are kept at equal distances, as many as are asked for, and what lies between two of them
/// is stepped again, the last ones first; where that is too much to keep, with states at equal distances in its turn.
/// C states serve C steps without a step taken again, C^2 with each taken once more, C^3 twice.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/run/sensitivities.hpp"

namespace gnomon {

/// An observer of a run. It allocates.
class GNOMON_EXPORT Adjoint final : public Observer {
 public:
  struct Asked {
    std::vector<double> times;       ///< ascending; empty: the start and the end of every step
    Index size = 0;                  ///< of y
    Sensitivities::Measure measure;  ///< Y; see Quantities for those that have names
    Index states = 1000;             ///< C, at least 2
    bool compares = true;            ///< with the derivative along a change of all parameters, forwards
    Index most_directions = 16;      ///< more of them, of q and p, are one transposed solve, where there is one
  };
  /// Makes a run that has started, as Sensitivities::Make does, with these changes of all parameters.
  using Make = std::function<std::unique_ptr<Variant>(const Vector& changes)>;

  /// The run has not taken a step and outlives it. Throws Error(refused) for an overdetermined DAE, and for obstacles
  /// and friction, whose events bind the states beside a motion: Sensitivities take these; and what `make` throws.
  Adjoint(Integrator& run, std::vector<Sensitivities::Parameter> parameters, Make make, Asked asked);
  ~Adjoint() override;

  /// Once at the start, then after every step: add_observer.
  bool observe(const State& z, long step) override;
  /// Those that were reached, and y there, size x times.
  const std::vector<double>& times() const;
  Matrix values() const;

  /// dJ/ds of the motion up to here, from dJ/dy, size x times. False: there is none, for the reason failure(), or
  /// `go_on`, which is asked before each step, said so.
  bool gradient(const Matrix& of_values, Vector& out, const std::function<bool()>& go_on = nullptr);
  const std::string& failure() const;
  /// A sentence on its accuracy; empty: there is nothing to say.
  std::string warning() const;
  /// Steps that were taken again by the last gradient.
  long repeated() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Changes of one parameter of `count`.
GNOMON_EXPORT Sensitivities::Make one_by_one(Adjoint::Make make, std::size_t count);

}  // namespace gnomon
