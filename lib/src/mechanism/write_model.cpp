#include "gnomon/mechanism/write_model.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "gnomon/base/finite.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/base/visible_text.hpp"
#include "gnomon/model/system.hpp"
#include "mechanism/formula.hpp"
#include "mechanism/tape_text.hpp"

namespace gnomon {

namespace mechanism {

namespace {

using Which = TapedFunctions::Which;

class Writer {
 public:
  Writer(const ProblemInstance& instance, const System& system) : instance_(instance), system_(system) {
    const TapedFunctions* tapes = system.parts().tapes;
    if (tapes == nullptr)
      throw Error(ErrorCode::refused,
                  "system " + system.name() + " has no formulas: its functions are written by hand");
    tapes_ = tapes;
    name_coordinates();
    name_rows();
  }

  std::string text(const std::string& name, const std::string& description) {
    const std::string functions = write_functions();
    std::string out = "format = 1\nname = " + toml_string(name) + "\n";
    if (!description.empty()) out += "description = " + toml_string(description) + "\n";
    out += left_out();
    out += "coordinates = [";
    for (std::size_t k = 0; k < families_.size(); ++k) out += (k ? ", " : "") + toml_string(families_[k]);
    out += "]\n" + functions;
    out += start();
    return out;
  }

 private:
  std::string unused_name(const std::string& wanted) {
    std::string name;
    for (const char c : wanted) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || is_reserved(name)) name = "_" + name;
    std::string free = name;
    for (int k = 2; names_.count(free) > 0; ++k) free = name + "_" + std::to_string(k);
    names_.insert(free);
    return free;
  }

  /// The blocks of the model, where they cover q without gaps and overlaps, or q[0] ..
  void name_coordinates() {
    const Index n = system_.n();
    std::vector<Block> blocks = system_.traits().blocks;
    std::sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.offset < b.offset; });
    Index covered = 0;
    for (const Block& block : blocks) covered = block.offset == covered ? covered + block.size : -1;
    if (covered != n) {
      blocks.assign(1, Block{"q", 0, n});
    }
    for (const Block& block : blocks) {
      const std::string name = unused_name(block.name);
      families_.push_back(block.size == 1 ? name : name + "[" + std::to_string(block.size) + "]");
      for (Index j = 0; j < block.size; ++j)
        coordinates_.push_back(block.size == 1 ? name : name + "[" + std::to_string(j) + "]");
    }
  }
  void name_rows() {
    const auto& declared = system_.traits().constraint_names;
    for (Index i = 0; i < system_.m(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      constraints_.push_back(unused_name(k < declared.size() ? declared[k] : "g" + std::to_string(i)));
    }
    if (!system_.parts().obstacles) return;
    const std::vector<std::string> walls = system_.parts().obstacles->obstacle_names();
    for (Index i = 0; i < system_.parts().n_obstacles(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      obstacles_.push_back(unused_name(k < walls.size() ? walls[k] : "c" + std::to_string(i)));
    }
  }

  /// The names of a tape's inputs: t, q, then der(q), then the multipliers.
  std::vector<std::string> inputs(const Tape& tape) const {
    std::vector<std::string> names{"t"};
    names.insert(names.end(), coordinates_.begin(), coordinates_.end());
    if (tape.block_sizes[1] > 0)
      for (const std::string& q : coordinates_) names.push_back("der(" + q + ")");
    if (tape.block_sizes[2] > 0) {
      for (const std::string& g : constraints_) names.push_back("lambda." + g);
      for (const std::string& c : obstacles_) names.push_back("lambda." + c);
    }
    return names;
  }
  TapeText formulas(const Tape& tape) { return TapeText(tape, inputs(tape), prefix_, definitions_); }

  std::string write_functions() {
    prefix_ = unused_name("w");
    std::string out = "mass = " + mass();
    const std::optional<Tape> potential = tapes_->tape(Which::potential);
    out += "potential = " + toml_string(formulas(*potential).output(0)) + "\n";
    std::string tables = invariants();
    tables += constraints();
    tables += obstacles();
    tables += rows("force", Which::force, coordinates_) + rows("friction", Which::friction, coordinates_);
    tables += symmetries();
    if (!definitions_.empty()) {
      out += "\n[definitions]\n";
      for (const auto& [name, formula] : definitions_) out += name + " = " + toml_string(formula) + "\n";
    }
    return out + tables;
  }

  std::string mass() {
    const Index n = system_.n();
    if (const auto tape = tapes_->tape(Which::mass_matrix)) {
      const TapeText text = formulas(*tape);
      return matrix([&](Index i, Index j) { return text.output(static_cast<std::size_t>(i * n + j)); });
    }
    const Mass& mass = system_.mass();
    if (!mass.is_diagonal()) {
      std::string out = "{ ";
      const SparsityPattern& pattern = mass.pattern();
      for (Index i = 0; i < n; ++i)
        for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) {
          const Index j = pattern.indices[k];
          if (j > i || mass.values()[k] == 0) continue;
          const std::string &row = coordinates_[static_cast<std::size_t>(i)],
                            &column = coordinates_[static_cast<std::size_t>(j)];
          out += (out.size() > 2 ? ", " : "") + (i == j ? key(row) : toml_string(row + ", " + column)) + " = " +
                 toml_string(shortest_text(mass.values()[k]));
        }
      return out + " }\n";
    }
    const Vector& diagonal = mass.diagonal_entries();
    if ((diagonal.array() == diagonal[0]).all()) return toml_string(shortest_text(diagonal[0])) + "\n";
    std::string out = "[";
    for (Index j = 0; j < n; ++j) out += (j ? ", " : "") + toml_string(shortest_text(diagonal[j]));
    return out + "]\n";
  }
  template <class Entry>
  std::string matrix(const Entry& entry) const {
    std::string out = "[\n";
    for (Index i = 0; i < system_.n(); ++i) {
      out += "  [";
      for (Index j = 0; j < system_.n(); ++j) out += (j ? ", " : "") + toml_string(entry(i, j));
      out += "],\n";
    }
    return out + "]\n";
  }

  std::string invariants() {
    const auto tape = tapes_->tape(Which::invariants);
    if (!tape) return "";
    const TapeText text = formulas(*tape);
    std::string out = "\n[invariants]\n";
    for (std::size_t k = 0; k < tape->outputs.size(); ++k) {
      const std::string name = unused_name("pi_" + std::to_string(k));
      const Tape own = tapes_->invariant_potential_tape(static_cast<Index>(k));
      // Definitions would be formulas of the coordinates: V is written in one piece.
      Definitions inner;
      const TapeText formula(own, {"t", name}, "w", inner);
      std::string v = formula.output(0);
      for (std::size_t i = inner.size(); i-- > 0;) v = replaced(v, inner[i].first, "(" + inner[i].second + ")");
      out += name + " = { of = " + toml_string(text.output(k)) + ", potential = " + toml_string(v) + " }\n";
    }
    return out;
  }
  /// Every whole name `from` in the text.
  static std::string replaced(const std::string& text, const std::string& from, const std::string& to) {
    const auto in_name = [&](std::size_t k) {
      return k < text.size() && (std::isalnum(static_cast<unsigned char>(text[k])) || text[k] == '_');
    };
    std::string out;
    for (std::size_t k = 0; k < text.size();) {
      const bool begins = k == 0 || !in_name(k - 1);
      if (begins && text.compare(k, from.size(), from) == 0 && !in_name(k + from.size())) {
        out += to;
        k += from.size();
      } else {
        out += text[k++];
      }
    }
    return out;
  }

  /// Those of velocities last.
  std::string constraints() {
    const Index r = system_.parts().n_velocity_constraints();
    const auto first = constraints_.end() - r;
    std::string out = rows("constraints", Which::constraints, {constraints_.begin(), first});
    const auto tape = tapes_->tape(Which::velocity_constraints);
    if (!tape) return out;
    if (out.empty()) out = "\n[constraints]\n";
    const TapeText text = formulas(*tape);
    for (Index i = 0; i < r; ++i)
      out += key(first[i]) + " = " + toml_string(text.output(static_cast<std::size_t>(i))) + "\n";
    return out;
  }
  std::string rows(const char* table, Which which, const std::vector<std::string>& names) {
    const auto tape = tapes_->tape(which);
    if (!tape) return "";
    const TapeText text = formulas(*tape);
    std::string out = "\n[" + std::string(table) + "]\n";
    for (std::size_t i = 0; i < names.size(); ++i)
      if (which == Which::constraints || !text.vanishes(i))
        out += key(names[i]) + " = " + toml_string(text.output(i)) + "\n";
    return out;
  }
  static std::string key(const std::string& name) { return name.back() == ']' ? toml_string(name) : name; }

  std::string obstacles() {
    const auto gaps = tapes_->tape(Which::obstacles);
    if (!gaps) return "";
    const TapeText text = formulas(*gaps);
    const auto slips = tapes_->tape(Which::slips);
    std::optional<TapeText> slip;
    if (slips) slip.emplace(formulas(*slips));
    const auto velocities = tapes_->tape(Which::slip_velocities);
    std::optional<TapeText> in_space;
    if (velocities) in_space.emplace(formulas(*velocities));
    std::size_t next = 0;
    const Vector& restitutions = system_.traits().restitutions;
    std::string out = "\n[obstacles]\n";
    for (std::size_t i = 0; i < obstacles_.size(); ++i) {
      const auto k = static_cast<Index>(i);
      std::string more;
      const auto pair = [&] {
        next += 2;
        return "[" + toml_string(in_space->output(next - 2)) + ", " + toml_string(in_space->output(next - 1)) + "]";
      };
      if (const CoulombFriction* coulomb = system_.parts().coulomb) {
        const std::vector<Index>& spatial = coulomb->slips_in_space();
        const bool two = std::find(spatial.begin(), spatial.end(), k) != spatial.end();
        more += ", slip = " + (two ? pair() : toml_string(slip->output(i))) +
                ", friction = " + number(coulomb->friction_coefficients()[k]);
      }
      if (k < restitutions.size() && !std::isnan(restitutions[k])) more += ", restitution = " + number(restitutions[k]);
      const std::string gap = toml_string(text.output(i));
      out += obstacles_[i] + " = " + (more.empty() ? gap : "{ formula = " + gap + more + " }") + "\n";
    }
    return out;
  }
  /// A number as TOML has it.
  static std::string number(double value) {
    std::string text = shortest_text(value);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
  }

  /// Generators that are affine, xi(q) = A q + b: others are left out.
  std::string symmetries() {
    const Symmetries* part = system_.parts().symmetries;
    if (!part) return "";
    const Index n = system_.n();
    std::string out;
    for (Index a = 0; a < part->n_symmetries(); ++a) {
      const auto generator = [&](const Vector& q) {
        Vector xi(n);
        part->symmetry_generator(a, q, xi);
        return xi;
      };
      const Vector b = generator(Vector::Zero(n));
      Matrix slope(n, n);
      for (Index j = 0; j < n; ++j) slope.col(j) = generator(Vector::Unit(n, j)) - b;
      const Vector probe = Vector::LinSpaced(n, 0.3, 1.7);
      const Vector there = generator(probe);
      if (max_norm(there - slope * probe - b) > thresholds::affine * max_norm(there)) {
        comments_.push_back("the symmetry " + part->symmetry_name(a));
        continue;
      }
      if (out.empty()) out = "\n[symmetries]\n";
      out += toml_string(part->symmetry_name(a)) + " = { ";
      bool first = true;
      for (Index i = 0; i < n; ++i) {
        std::string formula;
        const auto add = [&](double factor, const std::string& what) {
          if (factor == 0) return;
          const std::string size = shortest_text(std::abs(factor));
          const std::string term = what.empty() ? size : std::abs(factor) == 1 ? what : size + "*" + what;
          formula += formula.empty() ? (factor < 0 ? "-" : "") + term : (factor < 0 ? " - " : " + ") + term;
        };
        for (Index j = 0; j < n; ++j) add(slope(i, j), coordinates_[static_cast<std::size_t>(j)]);
        add(b[i], "");
        if (formula.empty()) continue;
        out += (first ? "" : ", ") + key(coordinates_[static_cast<std::size_t>(i)]) + " = " + toml_string(formula);
        first = false;
      }
      out += " }\n";
    }
    return out;
  }

  std::string left_out() {
    const Parts& parts = system_.parts();
    if (parts.integrals) comments_.push_back("first integrals");
    if (parts.penalty) comments_.push_back("the penalty function of the model's own");
    if (parts.unit_vectors) comments_.push_back("the form in unit vectors");
    if (instance_.curves) comments_.push_back("curves for pictures");
    if (instance_.outputs) comments_.push_back("outputs");
    if (instance_.t0 != 0)
      throw Error(ErrorCode::refused, "system " + system_.name() + " starts at t = " + number_text(instance_.t0) +
                                          ", and a model file starts at t = 0");
    std::string out;
    for (const std::string& comment : comments_) out += "# left out: " + visible(comment) + "\n";
    return out;
  }

  std::string start() const {
    const Index n = system_.n();
    Vector v(n), scratch(n);
    system_.velocity(instance_.q0, instance_.p0, scratch, v);
    std::string out;
    const auto entries = [&](const char* table, const Vector& values) {
      std::string text;
      for (Index j = 0; j < n; ++j)
        if (values[j] != 0)
          text +=
              (text.empty() ? "" : ", ") + key(coordinates_[static_cast<std::size_t>(j)]) + " = " + number(values[j]);
      if (!text.empty()) out += std::string(table) + " = { " + text + " }\n";
    };
    entries("position", instance_.q0);
    entries("velocity", v);
    return out.empty() ? "" : "\n[start]\n" + out;
  }

  using Definitions = std::vector<std::pair<std::string, std::string>>;
  const ProblemInstance& instance_;
  const System& system_;
  const TapedFunctions* tapes_ = nullptr;
  std::set<std::string> names_;
  std::vector<std::string> families_, coordinates_, constraints_, obstacles_, comments_;
  std::string prefix_;
  Definitions definitions_;
};

}  // namespace

}  // namespace mechanism

std::string model_text(const ProblemInstance& instance, const std::string& name, const std::string& description) {
  const System* system = instance.model->mechanical();
  if (!system) throw Error(ErrorCode::refused, "an overdetermined DAE has no mass, potential and constraints to write");
  return mechanism::Writer(instance, *system).text(name, description);
}

}  // namespace gnomon
