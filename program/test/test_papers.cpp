// Equations and papers that `gnomon describe` prints.
#include <set>
#include <sstream>

#include "support/scratch.hpp"

namespace {

using gnomon::test::contains;
using gnomon::test::Outcome;
using gnomon::test::Scratch;

std::vector<std::string> names(const Scratch& scratch, const std::string& kind) {
  std::vector<std::string> out;
  std::istringstream in(scratch.gnomon("completion --values " + kind).out);
  for (std::string name; in >> name;) out.push_back(name);
  return out;
}

/// Braces are balanced, keys are there and different.
void check_bibtex(const std::string& text) {
  long depth = 0;
  std::set<std::string> keys;
  for (std::size_t at = 0; at < text.size(); ++at) {
    depth += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
    BOOST_REQUIRE(depth >= 0);
    if (text[at] != '@') continue;
    BOOST_TEST(depth == 0);
    const std::size_t open = text.find('{', at), comma = text.find(',', at);
    BOOST_REQUIRE((open < comma && comma != std::string::npos));
    BOOST_TEST(keys.insert(text.substr(open + 1, comma - open - 1)).second);
  }
  BOOST_TEST(depth == 0);
  BOOST_TEST(!keys.empty());
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_scheme_and_reference_rests_on_papers) {
  const Scratch scratch;
  for (const char* kind : {"schemes", "references"})
    for (const std::string& name : names(scratch, kind)) {
      if (name == "exact") continue;
      const Outcome papers = scratch.gnomon("describe " + name + " --bibtex");
      BOOST_TEST_CONTEXT(name << "\n" << papers.out) {
        BOOST_TEST(papers.status == 0);
        BOOST_TEST(contains(papers.out, "  title = {{"));
        BOOST_TEST(!contains(papers.out, "note ="));
        check_bibtex(papers.out);
      }
    }
}

BOOST_AUTO_TEST_CASE(methods_have_their_equations) {
  const Scratch scratch;
  for (const char* kind : {"schemes", "solvers", "algebra", "references"})
    for (const std::string& name : names(scratch, kind)) {
      const std::string out = scratch.gnomon("describe " + name).out;
      BOOST_TEST(contains(out, "\n\n"), name);
      BOOST_TEST(!contains(out, "///"), name);
    }
  const std::string scheme = scratch.gnomon("describe energy-momentum").out;
  for (const char* part :
       {"p1 - p0 = -h (D_U(q0,q1) + G(q_m)^T lambda)", "eq. (38)", "paper: Leyendecker", "doi:10.1007/BF02440162"})
    BOOST_TEST(contains(scheme, part), part);
}

BOOST_AUTO_TEST_CASE(bibliographies) {
  const Scratch scratch;
  const std::string hbvm = scratch.gnomon("describe hbvm --bibtex").out;
  BOOST_TEST(contains(hbvm, "@techreport{BrugnanoGurioliIavernaroWeinmueller2018"));
  BOOST_TEST(contains(scratch.gnomon("describe ida-ggl --bibtex").out, "doi = {10.1145/1089014.1089020}"));
  BOOST_TEST(contains(scratch.gnomon("describe kinsol-newton --bibtex").out, "@article{Hindmarsh2005"));
  BOOST_TEST(contains(scratch.gnomon("describe chain --bibtex").out, "@misc{chain"));
  for (const char* own : {"--bibtex", "describe --bibtex"}) {
    BOOST_TEST(contains(scratch.gnomon(own).out, "@software{gnomon"));
    check_bibtex(scratch.gnomon(own).out);
  }
  scratch.misuse("describe newton --bibtex", {"newton", "no paper"});
  scratch.misuse("describe hbmv --bibtex", {"hbmv", "did you mean \"hbvm\""});
  scratch.misuse("describe", {"NAME is missing"});
  scratch.misuse("list --bibtex", {"--bibtex goes alone, or with describe"});
}
