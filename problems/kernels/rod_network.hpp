#pragma once
/// \file
/// Point masses joined by rigid rods: a sparse System with hand-written derivatives, for chains of any length.

#include <string>
#include <utility>
#include <vector>

#include "gnomon/model/curves.hpp"
#include "gnomon/model/system.hpp"
#include "kernels/rotation.hpp"

namespace gnomon::problems {

/// Nodes 0 .. n_free-1 move, x_k = q(Dk .. Dk+D-1); the nodes after them are the fixed anchors. D = 2 or 3, the last
/// axis points upwards. With d = x_a - x_b of rod r = (a, b):
///
///     M = diag(m_k I_D),   U = gravity sum_k m_k (last coordinate of x_k),   g_r = (|d|^2 - l_r^2)/2
///     row r of G: +d in the columns of a, -d in those of b (none for an anchor);   Hess g_r = [I -I; -I I]
///
/// Its curves are the rods, joined to polylines where one goes on from the one before, a line through the anchors where
/// there are several, and a dot for every node where there are at most `most_dots` of them.
///
/// In space, with every anchor on the vertical axis through the origin, the angular momentum about it is conserved.
template <int D>
class RodNetwork : public System, public Symmetries, public ExtendedPrecision, public CurveModel {
 public:
  using Point = Eigen::Matrix<double, D, 1>;
  struct Rod {
    Index a, b;  ///< a < b, and a is a free node
    double length;
  };

  RodNetwork(const std::string& name, const Vector& masses, std::vector<Point> anchors, std::vector<Rod> rods,
             double gravity)
      : n_free_(masses.size()),
        anchors_(std::move(anchors)),
        rods_(std::move(rods)),
        mass_(Mass::diagonal(masses.replicate(1, D).transpose().reshaped())) {
    traits_ = polynomial_traits(name, 1, 2);
    traits_.n = D * n_free_;
    traits_.m = static_cast<Index>(rods_.size());
    traits_.blocks.reserve(static_cast<std::size_t>(n_free_));
    traits_.constraint_names.reserve(rods_.size());
    for (Index k = 0; k < n_free_; ++k) traits_.blocks.push_back({"bob" + std::to_string(k + 1), D * k, D});
    for (Index r = 0; r < traits_.m; ++r) traits_.constraint_names.push_back("rod" + std::to_string(r + 1));
    bool on_axis = D == 3;
    for (const Point& x : anchors_) on_axis = on_axis && x.template head<D - 1>().isZero(0);
    if (on_axis) parts_.symmetries = this;
    parts_.extended = this;

    weight_ = Vector::Zero(traits_.n);
    for (Index k = 0; k < n_free_; ++k) weight_[D * k + D - 1] = masses[k] * gravity;
    build_patterns();
    build_curves();
  }

  const SystemTraits& traits() const override { return traits_; }
  const Mass& mass() const override { return mass_; }

  double potential(double, const ConstVectorRef& q) const override { return weight_.dot(q); }
  long double potential_compensated(double, const ConstVectorRef& q, const ConstVectorRef& tail,
                                    VectorRef) const override {
    long double sum = 0;
    for (Index j = D - 1; j < n(); j += D) sum += weight_[j] * (static_cast<long double>(q[j]) + tail[j]);
    return sum;
  }
  bool extended_gradient(double, const ConstVectorRef&, const ConstVectorRef&,
                         VectorRefOf<Extended> out) const override {
    out = weight_.template cast<Extended>();
    return true;
  }
  bool extended_jacobian(double, const ConstVectorRef& q, const ConstVectorRef& tail,
                         VectorRefOf<Extended> values) const override {
    for (Index r = 0; r < m(); ++r) {
      const Index at = constraint_pattern_.offsets[r];
      for (Index i = 0; i < D; ++i) {
        values[at + i] = extended_difference(q, tail, rods_[r], i);
        if (is_free(rods_[r].b)) values[at + D + i] = -values[at + i];
      }
    }
    return true;
  }
  void potential_gradient(double, const ConstVectorRef&, VectorRef out) const override { out = weight_; }
  void potential_hessian_times(double, const ConstVectorRef&, const ConstVectorRef&, VectorRef out) const override {
    out.setZero();
  }

  const SparsityPattern& constraint_pattern() const override { return constraint_pattern_; }

  void constraints(double, const ConstVectorRef& q, VectorRef out) const override {
    for (Index r = 0; r < m(); ++r) {
      const double l = rods_[r].length;
      out[r] = (difference(q, rods_[r]).squaredNorm() - l * l) / 2;
    }
  }
  /// At long double, the positions' differences taken before the tails are added: short rods far from the origin keep
  /// their tails on any machine.
  void constraints_compensated(double, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                               VectorRef) const override {
    for (Index r = 0; r < m(); ++r) {
      const Rod& rod = rods_[r];
      const long double l = rod.length;
      long double sum = 0;
      for (Index i = 0; i < D; ++i) {
        const Extended d = extended_difference(q, tail, rod, i);
        sum += d * d;
      }
      out[r] = static_cast<double>((sum - l * l) / 2);
    }
  }
  void constraint_jacobian(double, const ConstVectorRef& q, VectorRef values) const override {
    const double* const x = q.data();
    const Index* const offset = constraint_pattern_.offsets.data();
    double* const to = values.data();
    const Index count = static_cast<Index>(rods_.size());
    for (Index r = 0; r < count; ++r) {
      const Rod& rod = rods_[static_cast<std::size_t>(r)];
      const bool free = is_free(rod.b);
      const double *const a = x + D * rod.a, *const b =
                                                 free ? x + D * rod.b
                                                      : anchors_[static_cast<std::size_t>(rod.b - n_free_)].data();
      double* const row = to + offset[r];
      for (Index i = 0; i < D; ++i) {
        const double d = a[i] - b[i];
        row[i] = d;
        if (free) row[D + i] = -d;
      }
    }
  }
  void constraint_hessian_times(double, const ConstVectorRef&, const ConstVectorRef& lambda, const ConstVectorRef& w,
                                VectorRef out) const override {
    out.setZero();
    for (Index r = 0; r < m(); ++r) {
      const Rod& rod = rods_[r];
      const Point f = lambda[r] * difference_of_rates(w, rod);
      out.template segment<D>(D * rod.a) += f;
      if (is_free(rod.b)) out.template segment<D>(D * rod.b) -= f;
    }
  }
  void constraint_jacobian_derivative(double, const ConstVectorRef&, const ConstVectorRef& v,
                                      VectorRef values) const override {
    for (Index r = 0; r < m(); ++r) store_row(r, difference_of_rates(v, rods_[r]), values);
  }
  void constraint_third(double, const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&,
                        VectorRef values) const override {
    values.setZero();
  }
  void constraint_velocity(double, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    for (Index r = 0; r < m(); ++r) out[r] = difference(q, rods_[r]).dot(difference_of_rates(v, rods_[r]));
  }
  void constraint_bias(double, const ConstVectorRef&, const ConstVectorRef& v, VectorRef out) const override {
    for (Index r = 0; r < m(); ++r) out[r] = difference_of_rates(v, rods_[r]).squaredNorm();
  }

  const SparsityPattern& hessian_pattern() const override { return hessian_pattern_; }

  void lagrangian_hessian(double, const ConstVectorRef&, const ConstVectorRef& lambda,
                          VectorRef values) const override {
    values.setZero();
    for (Index r = 0; r < m(); ++r) {
      const Slots& s = slots_[r];
      for (Index i = 0; i < D; ++i) {
        values[s.aa + i * s.stride_a] += lambda[r];
        if (s.bb < 0) continue;
        values[s.bb + i * s.stride_b] += lambda[r];
        values[s.ab + i * s.stride_a] -= lambda[r];
        values[s.ba + i * s.stride_b] -= lambda[r];
      }
    }
  }

  Index n_symmetries() const override { return 1; }
  std::string symmetry_name(Index) const override { return "angular momentum about e3"; }
  void symmetry_generator(Index, const ConstVectorRef& q, VectorRef out) const override {
    if constexpr (D == 3) rotation_generator(2, n_free_, q.data(), out.data());
  }

  std::vector<Curve> curves() const override {
    std::vector<Curve> curves;
    for (const Path& path : paths_)
      curves.push_back({path.name, static_cast<Index>(path.nodes.size()), D, true, "m", D - 1});
    return curves;
  }
  void curve_points(Index k, double, const ConstVectorRef& q, Matrix& points) const override {
    const std::vector<Index>& nodes = paths_[static_cast<std::size_t>(k)].nodes;
    for (Index i = 0; i < points.cols(); ++i) points.col(i) = place(q, nodes[static_cast<std::size_t>(i)]);
  }

 protected:
  SystemTraits traits_;

 private:
  static constexpr Index most_dots = 30;

  /// A curve through nodes.
  struct Path {
    std::string name;
    std::vector<Index> nodes;
  };
  /// Where rod r adds to the Hessian values: entries (Da, Da), (Da, Db), (Db, Da), (Db, Db), -1 without them, and the
  /// number of entries in a row of node a and b: component i of the same block lies i strides further.
  struct Slots {
    Index aa = -1, ab = -1, ba = -1, bb = -1, stride_a = 0, stride_b = 0;
  };

  bool is_free(Index node) const { return node < n_free_; }
  Point place(const ConstVectorRef& q, Index node) const {
    if (is_free(node)) return q.template segment<D>(D * node);
    return anchors_[static_cast<std::size_t>(node - n_free_)];
  }

  /// x_a - x_b
  Point difference(const ConstVectorRef& q, const Rod& rod) const {
    if (is_free(rod.b)) return q.template segment<D>(D * rod.a) - q.template segment<D>(D * rod.b);
    return q.template segment<D>(D * rod.a) - anchors_[static_cast<std::size_t>(rod.b - n_free_)];
  }
  Extended extended_difference(const ConstVectorRef& q, const ConstVectorRef& tail, const Rod& rod, Index i) const {
    const Index a = D * rod.a + i, b = D * rod.b + i;
    const Extended end = is_free(rod.b) ? q[b] : anchors_[static_cast<std::size_t>(rod.b - n_free_)][i];
    const Extended end_tail = is_free(rod.b) ? tail[b] : 0;
    return (q[a] - end) + (tail[a] - end_tail);
  }
  /// w_a - w_b for velocities and variations, which vanish at anchors
  Point difference_of_rates(const ConstVectorRef& w, const Rod& rod) const {
    if (is_free(rod.b)) return w.template segment<D>(D * rod.a) - w.template segment<D>(D * rod.b);
    return w.template segment<D>(D * rod.a);
  }
  void store_row(Index r, const Point& d, VectorRef& values) const {
    const Index at = constraint_pattern_.offsets[r];
    values.template segment<D>(at) = d;
    if (is_free(rods_[r].b)) values.template segment<D>(at + D) = -d;
  }

  void build_curves() {
    for (const Rod& rod : rods_) {
      std::vector<Index>* const nodes = paths_.empty() ? nullptr : &paths_.back().nodes;
      if (nodes && nodes->size() == 2 && nodes->back() != rod.a && nodes->back() != rod.b)
        std::swap(nodes->front(), nodes->back());
      if (nodes && (nodes->back() == rod.a || nodes->back() == rod.b))
        nodes->push_back(nodes->back() == rod.a ? rod.b : rod.a);
      else
        paths_.push_back({"rods" + std::to_string(paths_.size() + 1), {rod.a, rod.b}});
    }
    if (paths_.size() == 1) paths_.back().name = "rods";
    const Index anchors = static_cast<Index>(anchors_.size());
    if (anchors > 1) {
      paths_.push_back({"ground", {}});
      for (Index k = 0; k < anchors; ++k) paths_.back().nodes.push_back(n_free_ + k);
    }
    if (n_free_ > most_dots) return;
    for (Index k = 0; k < n_free_; ++k) paths_.push_back({traits_.blocks[static_cast<std::size_t>(k)].name, {k}});
    for (Index k = 0; k < anchors; ++k) paths_.push_back({"anchor" + std::to_string(k + 1), {n_free_ + k}});
  }
  void build_patterns() {
    PatternBuilder jacobian(m(), n()), hessian(n(), n());
    for (Index j = 0; j < n(); ++j) hessian.add(j, j);
    for (Index r = 0; r < m(); ++r) {
      const Rod& rod = rods_[r];
      for (Index i = 0; i < D; ++i) {
        const Index a = D * rod.a + i, b = D * rod.b + i;
        jacobian.add(r, a);
        if (!is_free(rod.b)) continue;
        jacobian.add(r, b);
        hessian.add(a, b);
        hessian.add(b, a);
      }
    }
    constraint_pattern_ = jacobian.build();
    hessian_pattern_ = hessian.build();
    const auto row_size = [&](Index i) { return hessian_pattern_.offsets[i + 1] - hessian_pattern_.offsets[i]; };
    slots_.reserve(rods_.size());
    for (const Rod& rod : rods_) {
      const Index a = D * rod.a, b = D * rod.b;
      Slots s;
      s.aa = hessian_pattern_.find(a, a);
      s.stride_a = row_size(a);
      if (is_free(rod.b)) {
        s.ab = hessian_pattern_.find(a, b);
        s.ba = hessian_pattern_.find(b, a);
        s.bb = hessian_pattern_.find(b, b);
        s.stride_b = row_size(b);
      }
      slots_.push_back(s);
    }
  }

  Index n_free_;
  std::vector<Point> anchors_;
  std::vector<Rod> rods_;
  Mass mass_;
  Vector weight_;  // grad U
  SparsityPattern constraint_pattern_, hessian_pattern_;
  std::vector<Slots> slots_;
  std::vector<Path> paths_;
};

}  // namespace gnomon::problems
