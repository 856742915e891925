#include "program/summary/error_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "program/cli/terminal.hpp"
#include "report/json.hpp"

namespace gnomon::program {

using validation::to_json;

void add_estimate(std::vector<SummaryRow>& out, const validation::ErrorEstimate& estimate) {
  const auto row = [&out](const char* label, const std::string& text, bool alarming = false) {
    out.push_back({label, text, alarming});
  };
  const char* label = "error";
  for (const auto& part : estimate.parts) {
    if (part.size == 0 && part.largest == 0) continue;
    row(label, fmt::format("{}: at most {:.2e} at t = {:g}, {:.2e} at the end; relative {:.2e}, {:.2e}", part.name,
                           part.largest, part.at, part.end, part.relative(part.largest), part.relative(part.end)));
    label = "";
  }
  const auto& first = estimate.parts[0];
  row("",
      fmt::format("estimated up to t = {:g} from steps h and h/2: |x_h - x_(h/2)| 2^p/(2^p - 1), p = {}{}{}",
                  estimate.until, first.order,
                  estimate.parts[1].order != first.order ? fmt::format(" ({} of {} and {})", estimate.parts[1].order,
                                                                       estimate.parts[1].name, estimate.parts[2].name)
                                                         : "",
                  estimate.own_limit ? ", to the limit of the scheme, which is not the constrained motion" : ""));
  if (estimate.left_out > 0)
    row("", fmt::format("{} steps left out, at whose end one run had met an event that the other had not, or the "
                        "multipliers are not determined",
                        estimate.left_out));
  if (!estimate.message.empty())
    row("WARNING", fmt::format("the run with h/2 ended at t = {:g}: {}", estimate.until, estimate.message), true);
  if (estimate.growth.exponential)
    row("WARNING",
        fmt::format("the error grows exponentially, like exp({:.2g} t): the motion is chaotic, and half the "
                    "step follows it only {:.2g} units of time longer",
                    estimate.growth.rate, first.order * std::log(2) / estimate.growth.rate),
        true);
}

Json::Value estimate_json(const validation::ErrorEstimate& estimate) {
  Json::Value out;
  out["t"] = to_json(estimate.until);
  out["steps_left_out"] = Json::Int64(estimate.left_out);
  for (const auto& part : estimate.parts) {
    Json::Value& one = out[part.name];
    one["order"] = part.order;
    one["max_abs_error"] = to_json(part.largest);
    one["t_of_max"] = to_json(part.at);
    one["end_abs_error"] = to_json(part.end);
    one["max_rel_error"] = to_json(part.relative(part.largest));
    one["end_rel_error"] = to_json(part.relative(part.end));
  }
  out["growth"] = Json::Value();
  if (estimate.growth.known) {
    Json::Value& growth = out["growth"];
    growth["law"] = estimate.growth.exponential ? "exponential" : "power";
    growth["rate"] = to_json(estimate.growth.rate);
    growth["exponent"] = to_json(estimate.growth.exponent);
    growth["residual_exponential"] = to_json(estimate.growth.residual);
    growth["residual_power"] = to_json(estimate.growth.power_residual);
    growth["until"] = to_json(estimate.growth.until);
  }
  if (!estimate.message.empty()) out["message"] = estimate.message;
  return out;
}

}  // namespace gnomon::program
