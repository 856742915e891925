#include "program/bench/result.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "gnomon/base/error.hpp"
#include "program/cli/say.hpp"
#include "report/json.hpp"

namespace gnomon::program {

namespace {

/// The measurements of a file, in its order.
std::vector<Measurement> read(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw Error(ErrorCode::bad_file, "file \"" + file + "\" cannot be read");
  Json::Value root;
  std::string complaint;
  if (!Json::parseFromStream(Json::CharReaderBuilder(), in, &root, &complaint) || !root.isObject() ||
      !root["measurements"].isArray())
    throw Error(ErrorCode::bad_file, "file \"" + file + "\" was not written by gnomon bench --json");
  std::vector<Measurement> measurements;
  for (const Json::Value& entry : root["measurements"]) {
    if (!entry.isObject() || !entry["what"].isString() || !entry["value"].isNumeric() || !entry["unit"].isString())
      throw Error(ErrorCode::bad_file, "file \"" + file + "\" holds a measurement without what, value and unit");
    measurements.push_back({entry["what"].asString(), entry["value"].asDouble(), entry["unit"].asString()});
  }
  return measurements;
}

}  // namespace

void BenchResult::append(const BenchResult& other) {
  measurements.insert(measurements.end(), other.measurements.begin(), other.measurements.end());
  figures.insert(figures.end(), other.figures.begin(), other.figures.end());
  blocks.insert(blocks.end(), other.blocks.begin(), other.blocks.end());
}

Json::Value bench_json(const BenchResult& result) {
  Json::Value root;
  root["gnomon"] = GNOMON_VERSION;
  root["measurements"] = Json::Value(Json::arrayValue);
  for (const Measurement& m : result.measurements) {
    Json::Value entry;
    entry["what"] = m.what;
    entry["value"] = validation::to_json(m.value);
    entry["unit"] = m.unit;
    root["measurements"].append(entry);
  }
  root["figures"] = Json::Value(Json::arrayValue);
  for (const Figure& f : result.figures) {
    Json::Value entry;
    entry["what"] = f.what;
    entry["measured"] = validation::to_json(f.measured);
    entry["gate"] = validation::to_json(f.gate);
    root["figures"].append(entry);
  }
  return root;
}

void compare_benches(const std::string& before, const std::string& after) {
  const std::vector<Measurement> first = read(before), second = read(after);
  std::map<std::string, const Measurement*> of_second;
  for (const Measurement& m : second) of_second[m.what] = &m;
  struct Pair {
    const Measurement *first, *second;
    double ratio;
  };
  std::vector<Pair> pairs;
  std::vector<std::string> only_first;
  for (const Measurement& m : first) {
    const auto found = of_second.find(m.what);
    if (found == of_second.end() || found->second->unit != m.unit) {
      only_first.push_back(m.what);
      continue;
    }
    if (m.value > 0 && found->second->value > 0) pairs.push_back({&m, found->second, found->second->value / m.value});
    of_second.erase(found);
  }
  if (pairs.empty())
    throw Error(ErrorCode::bad_file, "files \"" + before + "\" and \"" + after + "\" have no measurement in common");
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return std::abs(std::log(a.ratio)) > std::abs(std::log(b.ratio));
  });
  say("{:80} {:>12} {:>12} {:>8}\n", "measurement", "first", "second", "ratio");
  double logarithms = 0;
  for (const Pair& pair : pairs) {
    say("{:80} {:>12.4g} {:>12.4g} {:>8.3f} {}\n", pair.first->what, pair.first->value, pair.second->value, pair.ratio,
        pair.first->unit);
    logarithms += std::log(pair.ratio);
  }
  say("\ngeometric mean of {} ratios, second to first: {:.3f}\n", pairs.size(),
      std::exp(logarithms / static_cast<double>(pairs.size())));
  for (const std::string& what : only_first) say("only in {}: {}\n", before, what);
  for (const Measurement& m : second)
    if (of_second.count(m.what)) say("only in {}: {}\n", after, m.what);
}

}  // namespace gnomon::program
