// The validation cases of one tier as Boost tests, one a case: what `gnomon validate` prints, asserted.
//
//     test_validate -- TIER [FILTER [FILE [SHARE]]]
//
// FILE takes the rows, as `gnomon validate --json FILE` writes them. SHARE: as K/N of `--share`.
#define BOOST_TEST_DYN_LINK
#define BOOST_TEST_NO_MAIN
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <memory>

#include "gnomon/base/error.hpp"
#include "report/conformance.hpp"
#include "report/json.hpp"
#include "report/run_case.hpp"

namespace {

using namespace gnomon::validation;
namespace unit_test = boost::unit_test;

Outcome outcome;  // of the cases up to now

void assert_case(const gnomon::Registry& registry, const Case& c) {
  ++outcome.cases;
  for (const Row& row : run_case(registry, c)) {
    outcome.add(row);
    const Quantity& quantity = row.quantity;
    BOOST_TEST(!is_bad(row.verdict), quantity.name << " = " << short_number(quantity.value) << ", gate "
                                                   << (quantity.gate ? quantity.gate->text() : "none") << ": "
                                                   << to_string(row.verdict) << ' ' << quantity.note << ' '
                                                   << row.reason);
  }
}

bool register_cases() {
  auto& suite = unit_test::framework::master_test_suite();
  if (suite.argc < 2) throw std::runtime_error("usage: test_validate -- quick|standard|full [FILTER [FILE [SHARE]]]");
  const Tier tier = outcome.tier = tier_named(suite.argv[1]);
  const std::string filter = suite.argc > 2 ? suite.argv[2] : "";
  auto registry = std::make_shared<gnomon::Registry>();
  gnomon::register_builtin(*registry);
  registry->add_model_folder(GNOMON_MODELS_FOLDER);
  registry->add_model_folder(GNOMON_CASES_FOLDER "/../data");
  std::vector<Case> cases = select_cases(all_cases(*registry, GNOMON_CASES_FOLDER, GNOMON_MODELS_FOLDER), tier, filter);
  // The tiers below have ctest tests of their own, but for the short one, whose cases are among those of the quick one.
  const auto below = [tier](const Case& c) { return tier > Tier::quick && c.tier < tier; };
  cases.erase(std::remove_if(cases.begin(), cases.end(), below), cases.end());
  for (const Case& c : share_of(cases, suite.argc > 4 ? suite.argv[4] : "1/1"))
    suite.add(
        unit_test::make_test_case([registry, c] { assert_case(*registry, c); }, c.full_name(), __FILE__, __LINE__));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const int status = unit_test::unit_test_main(register_cases, argc, argv);
  const auto& suite = unit_test::framework::master_test_suite();
  if (suite.argc > 3) std::ofstream(suite.argv[3]) << json_text(report_json(outcome));
  return status;
}
