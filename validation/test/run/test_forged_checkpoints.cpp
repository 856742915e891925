// Checkpoints whose checksum is right and whose content is not: a sentence, or a run with finite numbers. Never more.
#include <boost/crc.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>

#include "gnomon/base/error.hpp"
#include "gnomon/registry/registry.hpp"
#include "gnomon/run/checkpoint.hpp"
#include "test/builtin_registry.hpp"
#include "test/program/scratch.hpp"

namespace {

using namespace gnomon;
using test::Scratch;

struct Kind {
  std::string problem;
  Assignments set;
  std::string scheme, solver;
  Assignments solver_options;
  double h;
};

Integrator integrator(const Kind& kind) {
  return registry().integrator(registry().build(kind.problem, kind.set), kind.scheme, kind.solver, {},
                               kind.solver_options, {});
}

std::string bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

constexpr std::size_t header = 24, checksum = 4, size_at = 16;

/// Header and checksum as they must be for this content.
std::string sealed(const std::string& header_bytes, const std::string& content) {
  std::string all = header_bytes + content;
  const std::uint64_t size = content.size();
  std::memcpy(all.data() + size_at, &size, sizeof size);
  boost::crc_32_type crc;
  crc.process_bytes(all.data(), all.size());
  const std::uint32_t sum = crc.checksum();
  all.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return all;
}

class Forger {
 public:
  std::string operator()(std::string content) {
    const int places = 1 + static_cast<int>(random_() % 3);
    for (int k = 0; k < places; ++k) forge(content);
    return content;
  }

 private:
  /// Most places hold eight bytes that are a double or a whole number.
  void forge(std::string& content) {
    const std::size_t at = random_() % (content.size() - 8);
    const auto put = [&](auto value) { std::memcpy(content.data() + at, &value, sizeof value); };
    switch (random_() % 9) {
      case 0:
        content[at] = static_cast<char>(random_());
        break;
      case 1:
        content[at] = static_cast<char>(content[at] ^ (1 << random_() % 8));
        break;
      case 2:
        put(std::int64_t(random_() % 12) - 4);
        break;
      case 3:
        put(std::int64_t(1) << (random_() % 63));
        break;
      case 4:
        put(std::numeric_limits<double>::quiet_NaN());
        break;
      case 5:
        put(std::numeric_limits<double>::infinity());
        break;
      case 6:
        put(std::ldexp(1.0, static_cast<int>(random_() % 2000) - 1000));
        break;
      case 7:
        content.erase(at, 1 + random_() % 9);
        break;
      default:
        content.insert(at, 1 + random_() % 9, static_cast<char>(random_()));
    }
  }

  std::mt19937 random_{20220};
};

bool finite(const State& z) {
  return z.q.value().allFinite() && z.p.value().allFinite() && z.lambda.allFinite() && z.scheme_data.allFinite() &&
         std::isfinite(z.t);
}

void forge(const Kind& kind, int tries) {
  const Scratch scratch;
  const std::string file = (scratch.root / "a.gcp").string(), forged = (scratch.root / "b.gcp").string();
  Integrator source = integrator(kind);
  BOOST_REQUIRE(source.advance(20, kind.h).success());
  source.save(file);
  const std::string bytes = bytes_of(file);
  const std::string content = bytes.substr(header, bytes.size() - header - checksum);
  BOOST_REQUIRE(sealed(bytes.substr(0, header), content) == bytes);
  // Forgeries of the names are refused by comparison; those of the state are what is read.
  const std::size_t names = content.size() - read_checkpoint(file).state.size();

  Forger forger;
  Integrator target = integrator(kind);
  int refused = 0, ran = 0;
  for (int k = 0; k < tries; ++k) {
    const std::string other = content.substr(0, names) + forger(content.substr(names));
    std::string whole = k % 10 == 0 ? forger(content) : other;
    if (k % 10 != 0) {
      // The length of the state stands before it.
      const std::uint64_t length = whole.size() - names;
      std::memcpy(whole.data() + names - sizeof length, &length, sizeof length);
    }
    std::ofstream(forged, std::ios::binary) << sealed(bytes.substr(0, header), whole);
    BOOST_TEST_CONTEXT(kind.problem << ", " << kind.scheme << ", forgery " << k) {
      try {
        target.load(forged);
      } catch (const Error& error) {
        ++refused;
        BOOST_TEST((error.code() == ErrorCode::bad_file), error.what());
        BOOST_TEST(std::string(error.what()).find(forged) != std::string::npos, error.what());
        continue;
      }
      ++ran;
      BOOST_TEST(finite(target.state()));
      for (int step = 0; step < 2; ++step) {
        const StepReport report = target.step(kind.h);
        BOOST_TEST(finite(target.state()));
        if (!report.success()) BOOST_TEST(report.message != "");
      }
    }
  }
  BOOST_TEST_MESSAGE(kind.problem << ", " << kind.scheme << ": " << refused << " refused, " << ran << " ran");
  BOOST_TEST(refused > 0);
  // None of that stays.
  target.load(file);
  BOOST_TEST(target.advance(5, kind.h).success());
  BOOST_TEST(source.advance(5, kind.h).success());
  BOOST_TEST((target.state().q.value() == source.state().q.value()));
}

}  // namespace

BOOST_AUTO_TEST_CASE(smooth_runs) {
  const Assignments spatial{{"start", "spatial"}};
  for (const char* scheme : {"energy-momentum", "rattle", "hbvm", "alpha", "projected-rk", "composition", "penalty"})
    forge({"double-spherical-pendulum", spatial, scheme, "newton", {}, 1e-3}, 600);
  forge({"double-spherical-pendulum", spatial, "energy-momentum", "newton-simplified", {{"matrix", "kept"}}, 1e-3},
        600);
  forge({"chain", {{"links", "40"}}, "energy-momentum", "kinsol-newton", {{"algebra", "klu"}}, 1e-3}, 200);
  forge({"rotating-wire-bead", {}, "symplectic-euler-natural", "newton", {}, 1e-3}, 600);
}

BOOST_AUTO_TEST_CASE(runs_with_contacts) {
  forge({"wall-pendulum", {}, "alpha-penalty", "newton", {}, 1e-2}, 600);
  forge({"colliding-strings", {{"intervals", "20"}}, "energy-momentum", "newton", {}, 1e-2}, 600);
  forge({"walled-pendulum", {}, "energy-momentum", "newton", {}, 1e-2}, 1500);
}
