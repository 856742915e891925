#include "gnomon/fit/fit.hpp"

#include <algorithm>
#include <cmath>

#include "fit/determined.hpp"
#include "fit/fitted_motion.hpp"
#include "fit/growth.hpp"
#include "fit/search.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"

namespace gnomon {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
/// A part of a change along a direction that is not determined: what is reported does not move.
constexpr double not_moved = 0x1p-20;
/// Sums of squares that are larger with such a probability are no accident.
constexpr double improbable = 0.001;
/// Errors that are a larger part of the motion are those of a search that ended beside it: others are spoken of.
constexpr double large_error = 0.05, usual_error = 0.01;
/// A part of the size of the motion: errors of the data have grown to it where the motion cannot be followed.
constexpr double lost_for_good = 16;

/// "a", "a and b", "a, b and c"
std::string listed(const std::vector<std::string>& texts) {
  std::string out;
  for (std::size_t k = 0; k < texts.size(); ++k)
    out += (k == 0 ? "" : k + 1 == texts.size() ? " and " : ", ") + texts[k];
  return out;
}

std::string with_sign(double value) {
  return (value < 0 ? "-" : "+") + number_text(std::abs(value), 3);
}

class Fit {
 public:
  explicit Fit(const FitSetup& setup) : setup_(setup), motion_(setup) {}

  FitResult result() {
    found_ = search(motion_, setup_);
    out_.converged = found_.converged;
    out_.message = found_.message;
    out_.iterations = found_.iterations;
    out_.values = static_cast<long>(motion_.places().size());
    take_columns();
    take_records();
    if (setup_.look_for_chaos)
      for (std::size_t r = 0; r < out_.records.size(); ++r) look_for_chaos(r);
    take_parameters();
    if (lost_) lose();
    judge();
    out_.runs = motion_.runs();
    out_.runs_with_derivatives = motion_.runs_with_derivatives();
    return std::move(out_);
  }

 private:
  Index n_free() const { return static_cast<Index>(motion_.free().size()); }

  void take_columns() {
    const auto columns = columns_of(motion_, setup_.columns.size(), found_.y);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const FitColumn& given = setup_.columns[c];
      FittedColumn one;
      one.column = given.column;
      one.quantity = given.quantity;
      one.unit = motion_.units()[c];
      one.sigma = found_.sigma[static_cast<Index>(c)];
      one.sigma_given = given.sigma > 0;
      one.count = columns[c].count;
      if (one.count > 0)
        one.rms = std::sqrt(columns[c].sum_of_squares / static_cast<double>(one.count));
      else
        one.rms = not_a_number;
      sizes_.push_back(columns[c].size);
      out_.columns.push_back(one);
      if (one.count == 0) out_.warnings.push_back("No record has a column " + one.column + ".");
    }
  }

  void take_records() {
    const auto width = static_cast<Index>(setup_.columns.size());
    for (std::size_t r = 0; r < setup_.records.size(); ++r) {
      const Record& of = setup_.records[r];
      FittedRecord record;
      record.name = of.name;
      record.times = of.times;
      record.measured = Matrix::Constant(static_cast<Index>(of.times.size()), width, not_a_number);
      record.fitted = record.measured;
      const MotionStart& start = motion_.starts()[r];
      record.t0 = start.t0;
      record.q0 = start.qv.head(start.qv.size() / 2);
      record.v0 = start.qv.tail(start.qv.size() / 2);
      out_.records.push_back(std::move(record));
    }
    for (std::size_t i = 0; i < motion_.places().size(); ++i) {
      const FittedMotion::Place& place = motion_.places()[i];
      const auto column = static_cast<Index>(place.column);
      out_.records[place.record].measured(place.time, column) = place.measured;
      out_.records[place.record].fitted(place.time, column) = found_.y[static_cast<Index>(i)];
    }
  }

  void take_parameters() {
    const Determined determined = determine(motion_, found_);
    const std::vector<Index>& moves = determined.moves;
    const Identified& identified = determined.identified;
    const auto count = static_cast<Index>(moves.size());
    // The value that is reported: of an entry of a start that is moved onto the constraints the moved one.
    Matrix reported = Matrix::Zero(n_free(), count);
    for (Index k = 0; k < count; ++k) {
      const Index j = moves[static_cast<std::size_t>(k)];
      for (Index i = 0; i < n_free(); ++i) {
        const Free& free = motion_.free()[static_cast<std::size_t>(i)];
        reported(i, k) = free.coordinate < 0 ? (i == j ? 1 : 0) : motion_.starts()[free.record].by(free.coordinate, j);
      }
    }
    out_.determined = identified.rank;
    out_.singular_values = identified.singular_values;

    out_.covariance = Matrix::Zero(n_free(), n_free());
    Vector factor = Vector::Zero(n_free());
    if (count > 0) {
      std::vector<bool> given;
      for (const FittedColumn& one : out_.columns) given.push_back(one.sigma_given);
      const Widths widths = widths_of(determined, motion_, reported, given);
      const Vector growth = widths.growth.cwiseSqrt();
      const Matrix covariance = reported * identified.covariance * reported.transpose();
      // Symmetric to the last bit, as the correlation is.
      out_.covariance = ((covariance + covariance.transpose()) / 2).cwiseProduct(growth * growth.transpose());
      factor = widths.factor;
    }
    const Matrix open = count > 0 ? Matrix(reported * identified.directions) : Matrix(n_free(), 0);
    for (Index j = 0; j < n_free(); ++j) {
      const Free& free = motion_.free()[static_cast<std::size_t>(j)];
      FittedParameter one;
      one.name = free.name;
      one.unit = free.unit;
      one.began = free.began;
      one.value = free.coordinate < 0 ? found_.x[j] : motion_.starts()[free.record].qv[free.coordinate];
      one.minimum = free.lower;
      one.maximum = free.upper;
      const char held = found_.at_bound[static_cast<std::size_t>(j)];
      if (held != 0)
        one.state = held < 0 ? FittedParameter::State::at_minimum : FittedParameter::State::at_maximum;
      else if (open.cols() > 0 && is_open(open, identified.directions, moves, j))
        one.state = FittedParameter::State::not_determined;
      one.error = one.state == FittedParameter::State::determined ? std::sqrt(out_.covariance(j, j)) : not_a_number;
      one.lower = one.value - factor[j] * one.error;
      one.upper = one.value + factor[j] * one.error;
      out_.parameters.push_back(one);
      if (held != 0)
        out_.warnings.push_back("Parameter " + one.name + " is at its " + (held < 0 ? "least" : "largest") +
                                " value, " + number_text(one.value) +
                                ", and the sum of squares falls beyond it: it has no interval, and those of the "
                                "others are for this value.");
    }
    for (Index j = 0; j < n_free(); ++j)
      if (std::isnan(out_.parameters[static_cast<std::size_t>(j)].error)) {
        out_.covariance.row(j).setConstant(not_a_number);
        out_.covariance.col(j).setConstant(not_a_number);
      }
    const Vector scale = out_.covariance.diagonal().cwiseSqrt().cwiseInverse();
    out_.correlation = out_.covariance.cwiseProduct(scale * scale.transpose());
    for (Index k = 0; k < identified.directions.cols(); ++k)
      name_direction(identified.directions.col(k), open.col(k), moves);
  }

  /// Whether what is reported of j moves along a direction that is not determined, beside what that does at all.
  bool is_open(const Matrix& open, const Matrix& directions, const std::vector<Index>& moves, Index j) const {
    const auto size = [&](Index i) { return motion_.free()[static_cast<std::size_t>(i)].size; };
    for (Index k = 0; k < open.cols(); ++k) {
      double largest = 0;
      for (std::size_t i = 0; i < moves.size(); ++i)
        largest = std::max(largest, std::abs(directions(static_cast<Index>(i), k)) / size(moves[i]));
      if (std::abs(open(j, k)) > not_moved * size(j) * largest) return true;
    }
    return false;
  }

  /// Says which parameters can change together without a change of the motion.
  void name_direction(const Vector& direction, const Vector& open, const std::vector<Index>& moves) {
    std::vector<std::string> names, changes;
    double largest = 0;  // in parts of the sizes
    for (std::size_t i = 0; i < moves.size(); ++i)
      largest = std::max(largest, std::abs(direction[static_cast<Index>(i)]) /
                                      motion_.free()[static_cast<std::size_t>(moves[i])].size);
    if (open.lpNorm<Eigen::Infinity>() == 0) return;
    bool shows = false;
    double sign = 0;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const double part = direction[static_cast<Index>(i)];
      if (part == 0) continue;
      if (sign == 0) sign = part < 0 ? -1 : 1;
      const Free& free = motion_.free()[static_cast<std::size_t>(moves[i])];
      shows =
          shows || out_.parameters[static_cast<std::size_t>(moves[i])].state == FittedParameter::State::not_determined;
      names.push_back(free.name);
      changes.push_back(free.name + " by " + with_sign(sign * part / largest / 100));
    }
    if (!shows || lost_) return;
    if (names.size() == 1)
      out_.warnings.push_back("Parameter " + names[0] + " is not determined: no change of it shows in the data.");
    else
      out_.warnings.push_back("Parameters " + listed(names) +
                              " are not determined one by one, only combinations of them are: a change of " +
                              listed(changes) + " leaves the motion as it is.");
  }

  void judge() {
    for (std::size_t i = 0; i < motion_.places().size(); ++i) {
      const FittedMotion::Place& place = motion_.places()[i];
      out_.chi_squared += std::pow(
          (found_.y[static_cast<Index>(i)] - place.measured) / found_.sigma[static_cast<Index>(place.column)], 2);
    }
    if (!out_.converged && !lost_)
      out_.warnings.push_back("The search did not end at a least sum of squares: " + out_.message);
    const long left = out_.degrees_of_freedom();
    if (left <= 0)
      out_.warnings.push_back("There are " + std::to_string(out_.values) + " values for " +
                              std::to_string(out_.determined) +
                              " unknowns: nothing is left that tells how good the fit is.");
    const bool given =
        std::all_of(out_.columns.begin(), out_.columns.end(), [](const FittedColumn& one) { return one.sigma_given; });
    if (given && !lost_ && left > 0 && probability_of_larger(out_.chi_squared, left) < improbable)
      out_.warnings.push_back(
          "What is left is larger than sigma says: chi^2 is " + number_text(out_.chi_squared, 4) + " with " +
          std::to_string(left) +
          " degrees of freedom, so that the model does not describe the data or sigma is too small.");
  }

  /// The errors of the data as a part of the motion: those of the column with the smallest ones.
  double part_of_motion() const {
    double part = large_error;
    for (std::size_t c = 0; c < out_.columns.size(); ++c)
      if (out_.columns[c].count > 0 && sizes_[c] > 0) part = std::min(part, out_.columns[c].sigma / sizes_[c]);
    return part < large_error ? part : usual_error;
  }

  void look_for_chaos(std::size_t r) {
    FittedRecord& record = out_.records[r];
    const double part = part_of_motion();
    Growth growth;
    try {
      growth = growth_of(motion_, setup_, r, found_.x, 1 / part);
    } catch (const std::exception&) {
      return;  // what has no derivative there has been said
    }
    record.growth = growth.largest;
    record.lost = growth.lost;
    if (!(growth.largest * part > lost_for_good) || !growth.exponential()) return;
    out_.warnings.push_back(
        "Record " + record.name + " is of a chaotic motion: a change of the start grows by " +
        number_text(growth.largest, 2) + " over it, doubling every " + number_text(growth.doubling(), 2) +
        ", and errors of the size of the data, " + number_text(100 * part, 2) +
        " % of the motion, have grown to all of it at t = " + number_text(growth.lost, 3) +
        ": later data lead to the parameters only from values that are nearly these; fit a record that ends before, or "
        "several short ones.");
    lost_ = lost_ || missed();
  }

  /// Whether what is left is no small part of the motion: the search has ended at another least value than it sought.
  bool missed() const {
    for (std::size_t c = 0; c < out_.columns.size(); ++c)
      if (out_.columns[c].count > 0 && out_.columns[c].rms > large_error * sizes_[c]) return true;
    return false;
  }
  void lose() {
    out_.converged = false;
    out_.message = "the search did not come near the data, of a chaotic motion";
    for (FittedParameter& one : out_.parameters) {
      if (one.state == FittedParameter::State::determined) one.state = FittedParameter::State::not_determined;
      one.error = one.lower = one.upper = not_a_number;
    }
    out_.covariance.setConstant(not_a_number);
    out_.correlation.setConstant(not_a_number);
  }

  const FitSetup& setup_;
  FittedMotion motion_;
  Found found_;
  FitResult out_;
  std::vector<double> sizes_;  ///< of what was measured, one a column
  bool lost_ = false;          ///< the search did not come near data of a chaotic motion
};

}  // namespace

FitResult fit(const FitSetup& setup) {
  return Fit(setup).result();
}

}  // namespace gnomon
