#pragma once
/// \file
/// FittedMotion: the motion of a model at the values and times of records, with its derivatives by what is sought.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/fit/fit.hpp"
#include "gnomon/registry/quantities.hpp"

namespace gnomon {

/// A number of the model or of a start that is sought.
struct Free {
  std::string name, unit;
  double began = 0, size = 1;
  double lower = 0, upper = 0;
  Index coordinate = -1;   ///< of a start, 0 .. n - 1 its position and n .. 2 n - 1 its velocity; -1: of the model
  std::size_t record = 0;  ///< the first that it is of
};

/// The start of the motion of a record, and its derivatives.
struct MotionStart {
  double t0 = 0;
  Vector qv;  ///< (q, v)
  Matrix by;  ///< 2 n x what is sought
};

class FittedMotion {
 public:
  /// The setup outlives it. Throws as fit() does.
  explicit FittedMotion(const FitSetup& setup);

  const std::vector<Free>& free() const { return free_; }
  /// Where a measured value stands in the records, and its column of the setup.
  struct Place {
    std::size_t record, column;
    Index time;
    double measured;
  };
  const std::vector<Place>& places() const { return places_; }
  const std::vector<std::string>& units() const { return units_; }  ///< one a column
  /// y, one a place and in the unit of its column, and its derivatives unless `by` is null. False: there is no motion
  /// with these numbers; why() says why not.
  bool evaluate(const Vector& x, Vector& y, Matrix* by);
  const std::string& why() const { return why_; }
  /// Those of the last call with derivatives, one a record.
  const std::vector<MotionStart>& starts() const { return starts_; }
  /// The run of a record, started.
  std::unique_ptr<Variant> run_of(std::size_t record, const Vector& x) const;
  double end_of(std::size_t record) const { return plans_[record].times.back(); }
  StepReport advance(Integrator& run, double t_end) const;
  long runs() const { return runs_; }
  long runs_with_derivatives() const { return runs_with_derivatives_; }

 private:
  /// The computation that a record needs.
  struct Plan {
    double t0 = 0;
    std::vector<double> times;                 ///< with values
    std::vector<std::vector<std::size_t>> at;  ///< by time: the places
    std::unique_ptr<VariedProblem> problem;
    Vector values;               ///< of the problem's names; those that are sought are replaced
    std::vector<Index> of_free;  ///< by name of the problem: its number among the free ones, or -1
  };
  struct Named {
    std::string local;
    std::vector<std::size_t> records;
    bool shared = false;
  };

  Named read_name(const std::string& name) const;
  void read_records();
  void name_parameters();
  void plan_record(std::size_t record);
  Vector values_of(const Plan& plan, const Vector& x) const;
  ProblemInstance instance_of(const Plan& plan, const Vector& values) const;
  bool evaluate(std::size_t record, const Vector& x, Vector& y, Matrix* by);

  const FitSetup& setup_;
  std::vector<Free> free_;
  std::vector<std::vector<std::pair<std::string, Index>>> locals_;  ///< by record: names of the problem, free or -1
  std::vector<std::vector<double>> held_;                           ///< by record: values of those that are not free
  std::vector<Place> places_;
  std::vector<std::string> units_;
  std::vector<double> factors_, offsets_;
  std::unique_ptr<Quantities> quantities_;
  std::vector<Plan> plans_;
  std::vector<MotionStart> starts_;
  std::string why_;
  long runs_ = 0, runs_with_derivatives_ = 0;
};

}  // namespace gnomon
