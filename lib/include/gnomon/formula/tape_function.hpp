#pragma once
/// \file
/// TapeFunction: a Function from a tape. Rows of the Jacobian come from reverse sweeps, one for all rows of a colour,
/// or columns from forward sweeps where there are fewer colours of these; Hessian products from a reverse sweep at dual
/// numbers, the values of a Hessian from such sweeps along a colouring of its pattern.

#include "gnomon/formula/function.hpp"
#include "gnomon/formula/tape.hpp"

namespace gnomon {

class GNOMON_EXPORT TapeFunction : public Function {
 public:
  /// Which patterns, and so which derivatives, a function needs besides gradient, product and third_product.
  enum class Patterns { none, jacobian, all };

  /// The tape must not be branched.
  explicit TapeFunction(Tape tape, Patterns patterns = Patterns::all);
  const Tape& tape() const { return tape_; }

  void value(double t, const Blocks& x, double* out) const override;
  void extended(double t, const Blocks& x, const Blocks& tail, long double* out) const override;
  void compensated(double t, const Blocks& x, const Blocks& tail, double* out) const override;
  void jacobian(std::size_t block, double t, const Blocks& x, double* values) const override;
  bool extended_jacobian(double t, const Blocks& x, const Blocks& tail, long double* values) const override;
  void jacobian_derivative(double t, const Blocks& x, const double* v, double* values) const override;
  void third(double t, const Blocks& x, const double* v, const double* w, double* values) const override;
  void rate_jacobian(double t, const Blocks& x, double* values) const override;
  void along(double t, const Blocks& x, const double* v, double* first, double* second) const override;
  void add_hessian(double t, const Blocks& x, const double* mu, const Index* places, double* values) const override;
  void add_rate_hessian(double t, const Blocks& x, const double* mu, const Index* places,
                        double* values) const override;
  void add_hessian_derivative(double t, const Blocks& x, const double* mu, const double* v, const Index* places,
                              double* values) const override;
  void gradient(double t, const Blocks& x, const Results& out) const override;
  void third_product(double t, const Blocks& x, const Blocks& w, const Blocks& u, const Results& out) const override;
  void product(double t, const Blocks& x, const double* mu, const Blocks& w, const Results& out) const override;

 protected:
  /// For QuadraticFunction, whose derivatives need no sweeps after the construction: reserves nothing.
  struct ValuesOnly {};
  TapeFunction(Tape tape, ValuesOnly);
  /// jacobian_derivative() at long double, with directions that double holds.
  void extended_jacobian_derivative(double t, const Blocks& x, const double* v, long double* values) const;

 private:
  /// How the Jacobian by one block is compressed.
  struct Compression {
    bool by_rows = true;
    Colouring rows, columns;
    std::vector<Index> row_of;  ///< of each entry of the pattern
  };
  void prepare(Patterns patterns);
  template <class S, class Seed>
  S* evaluate(double t, const Blocks& x, std::size_t arrays, const Seed& seed) const;
  template <class S, class Seed>
  const S* adjoints(double t, const Blocks& x, const double* mu, const Seed& seed) const;
  template <class S>
  void store(const S* adjoints, const Results& out) const;
  template <class Inner, class Value, class Seed>
  void compressed_rows(std::size_t block, double t, const Blocks& x, Value* values, const Seed& seed) const;
  template <class Inner, class Seed>
  void compressed_hessian(double t, const Blocks& x, const double* mu, const Index* places, double* values,
                          const Seed& seed) const;

  Tape tape_;
  std::array<Compression, n_blocks> compressions_;
  Colouring hessian_colours_;
};

/// A QuadraticFunction where the structure allows it, else a TapeFunction.
GNOMON_EXPORT std::unique_ptr<Function> make_function(Tape tape,
                                                      TapeFunction::Patterns patterns = TapeFunction::Patterns::all);

}  // namespace gnomon
