#pragma once
/// \file
/// The simplified Newton matrix of line-integral-ggl: dF/dx with G and v^T Hess g of every node, and with the other
/// second derivatives in the middle of the step. Rows F1, F2 multiplied by M, f1 = M^-1 F1, f2 = M^-1 F2, C_l the rows
/// v_l^T Hess g_i, sums over the nodes l; K = Hess (U + lambda.g) and the rows E_i = y'^T Hess g_i + h D^3 g_i(v,q',.)
/// in the middle:
///
///     u_j - sum_i X_ji y_i - sum_i B_ji gamma_i                             = f1_j
///     y_j + sum_i [ h^2 M^-1 X_ji K u_i + B_ji mu_i + L_ji gamma_i ]        = f2_j
///     sum_j R_ij u_j = f3_i,    sum_j [ R_ij y_j + Q_ij u_j ]               = f4_i
///
///     B_ji = M^-1 sum_l b_l P_j P_i G_l^T,    L_ji = h M^-1 sum_l b_l P_j P_i C_l^T
///     R_ij = sum_l b_l [ P_i P_j G_l + h P_i I_j C_l ],    Q_ij = h sum_l b_l P_i P_j C_l + h X_ij E         (0 < i)
///     R_0j = G(q1), Q_0j = h C(q1,v1) for j = 0, else 0;   R_0j as for 0 < i in rows of velocities, where C_l q' is
///     A'[q'_l] to the order of q' - v
///
/// With z = (mu, gamma), N = h^2 M^-1 (X (x) K), B and X applied to blocks, and u = f1 + X y + B gamma put into the
/// second row, N u to first order in N, the motion is
///
///     y = f2 - N a - Y z,    u = f1 + X y + [0 B] z,    a = f1 + X f2,    Y = [B L] + N V,    V = [0 B] - X [B L]
///
/// and the rows that are left are, with W = [0 B] - X Y,
///
///     [ R W       ]       [ f3 - R (f1 + X f2')       ]
///     [ Q W - R Y ] z  =  [ f4 - R f2' - Q (f1 + X f2') ],    f2' = f2 - N a
///
/// One LU of 2 r m rows a step, in place of one of 2 s n + 2 r m in every iteration. It neglects what is multiplied by
/// gamma, forces outside the potential, and O(h^3) of the stiffness.

#include <limits>

#include "gnomon/model/system.hpp"
#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/state.hpp"
#include "kernels/line_integral/legendre.hpp"
#include "line_integral_ggl/small_lu.hpp"

namespace gnomon::kernels {

/// G and C at the nodes of x, a column each, and, in column k, at the end of the step. Where g depends on time, C has
/// G_t.
struct NodeConstraints {
  Vector x;
  Matrix jacobian, turn;  ///< on the constraint pattern

  void allocate(Index unknowns, Index nonzeros, Index nodes);
  /// They belong to no x any more.
  void forget() { x[0] = std::numeric_limits<double>::quiet_NaN(); }
};

class SimplifiedGglInverse final : public ApproximateInverse {
 public:
  /// Whether a matrix without the structure of the constraints pays.
  static bool suits(Index m, Index r) { return m > 0 && 2 * r * m <= 60; }

  /// A residual of the equations sets the nodes.
  SimplifiedGglInverse(const System& system, NonlinearEquations& equations, const NodeConstraints& nodes,
                       const LegendreTable& table, Index r);

  void begin(const State& z0, const Vector& v0, double h);
  bool update(const ConstVectorRef& x) override;
  void solve(const ConstVectorRef& f, VectorRef d) override;

  double pivot_ratio() const override { return lu_.pivot_ratio(); }

 private:
  /// g_ = sum_l b_l P_i P_j G_l, c_ = h sum_l b_l P_i P_j C_l, and with rows c_of_q_ = h sum_l b_l P_i I_j C_l
  void sum_nodes(Index i, Index j, bool rows);
  /// R_ij and Q_ij
  void set_rows(Index i, Index j);
  /// B_ji and L_ji
  void set_forces(Index i, Index j);
  /// Column `column` of [B L] in the rows of y_j: M^-1 times row a of `values`, transposed.
  void set_force(const SparsityPattern& g, Index a, const Vector& values, Index j, Index column);
  /// K and E at q0 + h u_0/2
  void set_middle(const ConstVectorRef& x);
  /// out += sign N of, a matrix of `width` columns; scratch of its size
  void add_stiffness(double sign, Index width, const double* of, double* scratch, double* out);
  /// out += factor (row i of A) B
  void add_product(double factor, const RowMatrix& a, Index i, const RowMatrix& b, double* out) const;
  /// out_j += sign sum_i X_ji of_i, of blocks of n rows of `width`: X has X_00 and the two diagonals beside the main
  /// one.
  void add_moments(double sign, Index width, const double* of, double* out) const;
  static void add_scaled(double factor, Index size, const double* of, double* out);
  /// How many of the first columns of row i of R and Q may differ from zero: row 0 of a constraint of positions has
  /// derivatives by u_0 and y_0 only.
  Index columns_of(Index i) const { return i < position_rows_ ? n_ : s_ * n_; }
  /// x <- M^-1 x, n rows of `width`
  void divide_by_mass(Index width, double* x);

  const System* system_;
  NonlinearEquations* equations_;
  const NodeConstraints* nodes_;
  const LegendreTable* table_;
  const State* z0_ = nullptr;
  const Vector* v0_ = nullptr;
  Index n_, m_, position_rows_, s_, r_;
  bool quadratic_;
  double h_ = 0;
  SmallLu lu_;
  RowMatrix R_, Q_, forces_, pushes_, positions_, stiffness_;  // forces: Y; pushes: [0 B]; positions: V, then W
  Matrix moments_, inner_;                                     // b_l P_i P_j and b_l P_i I_j, a column a pair (i, j)
  Vector residual_, inverse_mass_, hessian_, g_, c_, c_of_q_, e_, third_;
  Vector row_, solved_, q_, v_, acceleration_, lambda_, lengths_, a_, f1_, y_, stiff_, right_;
};

}  // namespace gnomon::kernels
