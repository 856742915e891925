/// \file
/// Checkpoints whose checksum is right and whose content is not: a sentence that names the file, or a run with finite
/// numbers. Findings:
///
///     sentence    loading ended with an error of another kind, or one that does not name the file
///     not finite  in a state
///     silent      a step that fails without a message
///     stays       after a forgery was refused, or ran, the sound checkpoint no longer goes on as it did
#include <unistd.h>

#include <boost/crc.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "campaign/tally.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/registry/registry.hpp"
#include "gnomon/run/checkpoint.hpp"

namespace gnomon::campaign {

namespace {

namespace fs = std::filesystem;

struct Kind {
  std::string problem;
  Assignments set;
  std::string scheme, solver;
  Assignments solver_options;
  double h;
};

std::vector<Kind> kinds() {
  const Assignments spatial{{"start", "spatial"}};
  std::vector<Kind> all;
  for (const char* scheme : {"energy-momentum", "rattle", "hbvm", "alpha", "projected-rk", "composition", "penalty"})
    all.push_back({"double-spherical-pendulum", spatial, scheme, "newton", {}, 1e-3});
  all.push_back(
      {"double-spherical-pendulum", spatial, "energy-momentum", "newton-simplified", {{"matrix", "kept"}}, 1e-3});
  all.push_back({"n-four-bar", {}, "line-integral-ggl", "newton", {}, 1e-2});
  all.push_back({"chain", {{"links", "40"}}, "energy-momentum", "kinsol-newton", {{"algebra", "klu"}}, 1e-3});
  all.push_back({"rotating-wire-bead", {}, "symplectic-euler-natural", "newton", {}, 1e-3});
  all.push_back({"wall-pendulum", {}, "alpha-penalty", "newton", {}, 1e-2});
  all.push_back({"colliding-strings", {{"intervals", "20"}}, "energy-momentum", "newton", {}, 1e-2});
  all.push_back({"walled-pendulum", {}, "energy-momentum", "newton", {}, 1e-2});
  return all;
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
  explicit Forger(std::uint64_t seed) : random_(seed) {}
  std::string operator()(std::string content) {
    for (std::uint64_t places = 1 + random_() % 3; places > 0; --places) forge(content);
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
        put(static_cast<std::int64_t>(random_() % 12) - 4);
        break;
      case 3:
        put(std::int64_t{1} << (random_() % 63));
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

  std::mt19937_64 random_;
};

bool finite(const State& z) {
  return z.q.value().allFinite() && z.p.value().allFinite() && z.lambda.allFinite() && z.scheme_data.allFinite() &&
         std::isfinite(z.t);
}

/// A sound checkpoint of a kind, and where it leads.
struct Sound {
  Kind kind;
  std::string file, bytes, content;
  std::size_t names = 0;  ///< length of the part that says what wrote it; a forgery there is found by comparison
  Vector later;
};

class Campaign {
 public:
  Campaign(const Registry& registry, const Range& range)
      : registry_(registry),
        range_(range),
        tally_(range),
        folder_(fs::temp_directory_path() / ("gnomon_campaign_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    for (const Kind& kind : kinds())
      if (range.only.empty() || range.only == kind.problem || range.only == kind.scheme) add(kind);
    if (sound_.empty()) throw Error(ErrorCode::unknown_name, "no checkpoint has \"" + range.only + "\"");
  }
  ~Campaign() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  void take(long number) {
    const Sound& sound = sound_[static_cast<std::size_t>(number) % sound_.size()];
    Forger forger(range_.seed * 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(number));
    std::string content;
    if (number % 10 == 0) {
      content = forger(sound.content);
    } else {
      content = sound.content.substr(0, sound.names) + forger(sound.content.substr(sound.names));
      const std::uint64_t length = content.size() - sound.names;  // it stands before the state
      std::memcpy(content.data() + sound.names - sizeof length, &length, sizeof length);
    }
    const std::string forged = (folder_ / (std::to_string(number) + ".gcp")).string();
    std::ofstream(forged, std::ios::binary) << sealed(sound.bytes.substr(0, header), content);

    Integrator target = integrator(sound.kind);
    std::string outcome = "ran";
    bool loaded = false;
    try {
      target.load(forged);
      loaded = true;
      if (!finite(target.state())) found(number, sound, "not finite: after loading");
      for (int step = 0; step < 2; ++step) {
        const StepReport report = target.step(sound.kind.h);
        if (!finite(target.state())) found(number, sound, "not finite: after a step");
        if (!report.success() && report.message.empty()) found(number, sound, "silent: a step");
      }
    } catch (const Error& error) {
      // A step may be refused for what the file says: a time at which steps of this size are below rounding.
      outcome = loaded ? "step refused" : "refused";
      const std::string text = error.what();
      if (!loaded && (error.code() != ErrorCode::bad_file || text.find(forged) == std::string::npos))
        found(number, sound, "sentence: " + text);
    }
    fs::remove(forged);
    target.load(sound.file);
    if (!target.advance(5, sound.kind.h).success() || target.state().q.value() != sound.later)
      found(number, sound, "stays: the sound checkpoint no longer goes on");
    tally_.add(outcome);
  }

  long print() const { return tally_.print(); }

 private:
  Integrator integrator(const Kind& kind) const {
    return registry_.integrator(registry_.build(kind.problem, kind.set), kind.scheme, kind.solver, {},
                                kind.solver_options, {});
  }
  void add(const Kind& kind) {
    Sound sound;
    sound.kind = kind;
    sound.file = (folder_ / ("sound" + std::to_string(sound_.size()) + ".gcp")).string();
    Integrator source = integrator(kind);
    const ProblemInstance instance = registry_.build(kind.problem, kind.set);
    source.start(instance.t0, instance.q0, instance.p0);
    source.advance(20, kind.h);
    source.save(sound.file);
    source.advance(5, kind.h);
    sound.later = source.state().q.value();
    sound.bytes = bytes_of(sound.file);
    sound.content = sound.bytes.substr(header, sound.bytes.size() - header - checksum);
    sound.names = sound.content.size() - read_checkpoint(sound.file).state.size();
    if (sealed(sound.bytes.substr(0, header), sound.content) != sound.bytes)
      throw Error(ErrorCode::bad_file, "checkpoints have another form than this campaign knows");
    sound_.push_back(std::move(sound));
  }
  void found(long number, const Sound& sound, const std::string& text) {
    tally_.found(number, sound.kind.problem + ", " + sound.kind.scheme, text);
  }

  const Registry& registry_;
  const Range& range_;
  Tally tally_;
  fs::path folder_;
  std::vector<Sound> sound_;
};

}  // namespace

long checkpoints(const Registry& registry, const Range& range) {
  Campaign campaign(registry, range);
  for_each_number(range, [&campaign](long number) { campaign.take(number); });
  return campaign.print();
}

}  // namespace gnomon::campaign
