// --report of the program: what is wrong with it is found before the work starts, and pages appear whole.
#include <boost/test/unit_test.hpp>

#include "support/scratch.hpp"

namespace {

using namespace gnomon::test;

const char* const quick = "validate published/hbvm/table-1/s=1 --quick";
const char* const commands[] = {"compare planar-pendulum --steps 10",
                                "advise planar-pendulum --until 1 --error 1e-3 --budget 1",
                                "bench small --steps 5 --repetitions 1"};

void refuse(const Scratch& scratch, const std::string& command) {
  scratch.misuse(command + " --report page.txt", {"--report", "page.txt", ".html"});
  scratch.misuse(command + " --report none/page.html", {"none/page.html"});
}

}  // namespace

BOOST_AUTO_TEST_CASE(misuse_of_report_is_found_before_the_work_starts) {
  const Scratch scratch;
  refuse(scratch, quick);
  for (const std::string command : commands) refuse(scratch, command);
  scratch.misuse("bench compare a.json b.json --report page.html", {"--report", "bench compare"});
}

BOOST_AUTO_TEST_CASE(a_report_is_a_whole_page) {
  const Scratch scratch;
  for (const std::string command : commands) {
    const Outcome outcome = scratch.gnomon(command + " --report page.html");
    BOOST_TEST_CONTEXT(command << "\n" << outcome.err) {
      BOOST_TEST(outcome.status == 0);
      const std::string html = read(scratch.work / "page.html");
      BOOST_TEST(html.rfind("<!DOCTYPE html>", 0) == 0u);
      BOOST_TEST(contains(html, "</html>\n"));
      BOOST_TEST(contains(html, "Program and machine"));
    }
    fs::remove(scratch.work / "page.html");
  }
}

BOOST_AUTO_TEST_CASE(rows_that_were_written_before_make_a_page) {
  const Scratch scratch;
  BOOST_TEST(scratch.gnomon(std::string(quick) + " --json rows.json").status == 0);
  BOOST_TEST(scratch.gnomon("validate --from rows.json --report page.html").status == 0);
  const std::string html = read(scratch.work / "page.html");
  BOOST_TEST(contains(html, "\"title\":\"Published results\""));
  BOOST_TEST(contains(html, "deviation"));
  BOOST_TEST(scratch.gnomon("validate --from rows.json --plot orders.svg").status == 0);
  BOOST_TEST(contains(read(scratch.work / "orders.svg"), "</svg>"));
  const Outcome none =
      scratch.gnomon("validate conformance/alpha-augmented/andrews-squeezer/solvers --quick --plot none.svg");
  BOOST_TEST(none.status == 0);
  BOOST_TEST(contains(none.err, "is not drawn"), none.err);
  BOOST_TEST(!fs::exists(scratch.work / "none.svg"));
}
