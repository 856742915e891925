#pragma once
/// \file
/// Constraints that repeat others, as the two hinges of a door do: what schemes and references run instead, a system
/// whose constraints are regular and whose multipliers are the ones of least norm.

#include <memory>
#include <vector>

#include "gnomon/model/problem.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon {

class Archive;

/// With Y, m x k, a basis of the left null space of G, Y^T G = 0, and A = G M^-1 G^T, system() has k coordinates nu
/// behind those of the given system, of mass one, and the constraints g + B nu, of velocities A v + b + B nu', B =
/// diag(A_ii) Y. Its motions have nu = 0, and of all multipliers with the same force theirs have the least sum_i A_ii
/// lambda_i^2, which does not depend on units and on the directions of axes. A_ii is that of the position at which Y
/// was found. B is a function of that position, which State::border says: it is constant in a step, and another one
/// for the next step where it no longer fits.
///
/// Where a constraint of velocities repeats what others and constraints of positions say together, as that of the
/// second wheel of an axle does, B has the rows of velocities only. The two levels agree at the ends of a step, and
/// along it to the order of the step: nu takes up the difference there, which does no work, since B^T lambda = 0. Of
/// the multipliers those of velocities are of least norm then.
class GNOMON_EXPORT Border {
 public:
  /// Null where G has full rank at q, which is on the constraints. Throws Error(rank_deficient) where q is a singular
  /// position: where the rank beside it, on the constraints, is larger than there. It allocates.
  static std::shared_ptr<Border> find(std::shared_ptr<const System> system, double t, const Vector& q);
  /// The border that write() wrote. Throws Error(bad_file) where it is none of this system.
  static std::shared_ptr<Border> read(std::shared_ptr<const System> system, Archive& archive);
  ~Border();

  /// The system with nu. It lives as long as the border.
  std::shared_ptr<const System> system() const;
  /// k, the number of constraints that repeat others
  Index size() const;
  /// The constraints that repeat one another: the rows of Y that are not zero.
  std::vector<Index> rows() const;
  /// The nu that take up a difference of constraints of velocities and of positions.
  std::vector<Index> mixed() const;
  /// The largest |M^-1/2 G^T y| / |diag(A_ii)^1/2 y| of the columns y of Y, at q: 0 where Y is that of q, 1 where B may
  /// no longer make the constraints regular.
  double misfit(double t, const Vector& q);
  static constexpr double largest_misfit = 0.1;
  /// The misfit is larger than `allowed`, and B of q is one to take: its columns are not much nearer to one another
  /// than the present ones. It allocates nothing.
  bool is_outgrown(double t, const Vector& q, double allowed = largest_misfit);
  /// Y and B of a position [q, t], if they are those of another one: a function of it alone, up to the rounding of
  /// what was before in one of very many positions. False where they cannot be found, and stay. It allocates nothing.
  bool take(const ConstVectorRef& position);
  /// The position, in place.
  static void set_position(double t, const ConstVectorRef& q, Vector& position);
  /// For friction that acts by multipliers: when a step begins.
  void set_time(double t);
  /// Everything of it, for a checkpoint.
  void write(Archive& archive);

 private:
  struct Impl;
  explicit Border(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The problem with the bordered system, nu = 0 at the start.
GNOMON_EXPORT ProblemInstance bordered(const ProblemInstance& instance, const Border& border);

}  // namespace gnomon
