#pragma once
/// \file
/// The parts of a model as functions f(t, x, out, scratch) of every scalar, for recording and for ChunkedFunction.

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "gnomon/formula/recorded.hpp"
#include "gnomon/model/autodiff/found_traits.hpp"
#include "gnomon/model/autodiff/model_parts.hpp"

namespace gnomon::model {

template <class S>
using CallArguments = std::array<const S*, 3>;

/// U = U2 + sum_k V_k(pi_k).
template <class Parts>
struct PotentialCall {
  std::shared_ptr<const Parts> parts;
  Index n_invariants;
  Index scratch() const { return n_invariants; }
  template <class S>
  void operator()(const S& t, const CallArguments<S>& x, S* out, S* pi) const {
    out[0] = parts->potential(t, x[0]);
    if (n_invariants == 0) return;
    parts->invariants(x[0], pi, n_invariants);
    for (Index k = 0; k < n_invariants; ++k) out[0] += parts->invariant_potential(static_cast<int>(k), pi[k]);
  }
};

#define GNOMON_MODEL_PART_CALL(Name, call)                                     \
  template <class Parts>                                                       \
  struct Name {                                                                \
    std::shared_ptr<const Parts> parts;                                        \
    Index count;                                                               \
    Index scratch() const { return 0; }                                        \
    template <class S>                                                         \
    void operator()(const S& t, const CallArguments<S>& x, S* out, S*) const { \
      static_cast<void>(t);                                                    \
      call;                                                                    \
    }                                                                          \
  };
GNOMON_MODEL_PART_CALL(ConstraintsCall, parts->constraints(t, x[0], out, count))
GNOMON_MODEL_PART_CALL(VelocityConstraintsCall, parts->velocity_constraints(t, x[0], x[1], out, count))
GNOMON_MODEL_PART_CALL(ObstaclesCall, parts->obstacles(x[0], out, count))
GNOMON_MODEL_PART_CALL(SlipsCall, parts->slips(x[0], out, count))
GNOMON_MODEL_PART_CALL(SlipVelocitiesCall, parts->slip_velocities(x[0], x[1], out, count))
GNOMON_MODEL_PART_CALL(InvariantsCall, parts->invariants(x[0], out, count))
GNOMON_MODEL_PART_CALL(ForceCall, parts->force(t, x[0], x[1], out, count))
GNOMON_MODEL_PART_CALL(FrictionCall, parts->friction(x[0], x[1], x[2], out, count))
#undef GNOMON_MODEL_PART_CALL

/// M(q), n x n, row by row.
template <class Parts>
struct MassCall {
  std::shared_ptr<const Parts> parts;
  Index n;
  Index scratch() const { return 0; }
  template <class S>
  void operator()(const S&, const CallArguments<S>& x, S* out, S*) const {
    parts->mass_matrix(x[0], out, n);
  }
};

/// L(q,v) = v^T M(q) v / 2.
template <class Parts>
struct InertiaCall {
  std::shared_ptr<const Parts> parts;
  Index n;
  Index scratch() const { return n * n; }
  template <class S>
  void operator()(const S&, const CallArguments<S>& x, S* out, S* scratch) const {
    std::fill_n(scratch, n * n, S(0.0));
    parts->mass_matrix(x[0], scratch, n);
    S sum(0.0);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) sum += scratch[i * n + j] * (x[1][i] * x[1][j]) * (i == j ? 0.5 : 1.0);
    out[0] = sum;
  }
};

/// Records a call. What a call throws, except for misuse, says that it cannot be evaluated there: see
/// RecordedPart::failure.
template <class Call>
RecordedPart record_call(const Call& call, const std::array<Index, 3>& sizes, Index outputs, const RecordingPoint& at,
                         const std::string& what) {
  RecordedPart part;
  try {
    part.tape = record(
        sizes, outputs, at,
        [&](const Recorded& t, const CallArguments<Recorded>& x, Recorded* out) {
          std::vector<Recorded> scratch(static_cast<std::size_t>(call.scratch()));
          call(t, x, out, scratch.data());
        },
        what, std::decay_t<decltype(*call.parts)>::branches);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    part.failure = error.what();
    if (part.failure.empty()) part.failure = "an exception";
  } catch (...) {
    part.failure = "it throws something that is no std::exception";
  }
  return part;
}

}  // namespace gnomon::model
