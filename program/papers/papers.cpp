#include "program/papers/papers.hpp"

#include <algorithm>

namespace gnomon::program {

// A DOI is here only where it was seen beside the paper's title.
const std::vector<Paper>& papers() {
  static const std::vector<Paper> table = {
      {"LeyendeckerBetschSteinmann2004", "Leyendecker, Betsch, Steinmann", "article",
       "Leyendecker, S. and Betsch, P. and Steinmann, P.",
       "Energy-conserving integration of constrained Hamiltonian systems -- a comparison of approaches",
       "Computational Mechanics", "33", "174--185", "2004", ""},
      {"Gonzalez1996", "Gonzalez, J. Nonlinear Sci. 6|Gonzalez (1996)|Gonzalez, Time integration", "article",
       "Gonzalez, O.", "Time integration and discrete Hamiltonian systems", "Journal of Nonlinear Science", "6",
       "449--467", "1996", "10.1007/BF02440162"},
      {"Gonzalez1999", "Gonzalez, Physica D 132", "article", "Gonzalez, O.",
       "Mechanical systems subject to holonomic constraints: Differential-algebraic formulations and conservative "
       "integration",
       "Physica D: Nonlinear Phenomena", "132", "165--174", "1999", "10.1016/S0167-2789(99)00054-8"},
      {"KinonBetschSchneider2023", "Kinon, Betsch, Schneider", "article",
       "Kinon, Philipp L. and Betsch, Peter and Schneider, Simeon",
       "Structure-preserving integrators based on a new variational principle for constrained mechanical systems",
       "Nonlinear Dynamics", "111", "", "2023", "10.1007/s11071-023-08522-7"},
      {"GlowinskiHolmstroem1995", "Glowinski, Holmstroem|Glowinski and Holmstroem", "article",
       "Glowinski, Roland and Holmstr{\\\"o}m, Mats",
       "Constrained motion problems with applications by nonlinear programming methods",
       "Surveys on Mathematics for Industry", "", "", "1995", ""},
      {"BrugnanoGurioliIavernaroWeinmueller2018", "Brugnano, Gurioli, Iavernaro, Weinmueller", "techreport",
       "Brugnano, L. and Gurioli, G. and Iavernaro, F. and Weinm{\\\"u}ller, E. B.",
       "Line integral solution of Hamiltonian systems with holonomic constraints",
       "ASC Report 3/2018, Institute for Analysis and Scientific Computing, TU Wien", "", "", "2018", ""},
      {"BrugnanoIavernaro2016", "Line Integral Methods for Conservative Problems|Line Integral Methods", "book",
       "Brugnano, Luigi and Iavernaro, Felice", "Line Integral Methods for Conservative Problems", "CRC Press", "", "",
       "2016", ""},
      {"WeiDengLiWang2016", "Wei, Deng, Li, Wang", "article", "Wei, Yi and Deng, Zichen and Li, Qingjun and Wang, Bo",
       "Projected Runge-Kutta methods for constrained Hamiltonian systems",
       "Applied Mathematics and Mechanics (English Edition)", "37", "1077--1094", "2016", "10.1007/s10483-016-2119-8"},
      {"Hairer2000", "Hairer, BIT 40", "article", "Hairer, Ernst",
       "Symmetric projection methods for differential equations on manifolds", "BIT Numerical Mathematics", "40",
       "726--734", "2000", ""},
      {"SmallJay", "Small, Jay|Small and Jay", "misc", "Small, S. and Jay, L.",
       "Consistent extensions of the symplectic Euler method for a class of overdetermined DAEs", "", "", "", "", ""},
      {"Andersen1983", "Andersen, J. Comput. Phys. 52", "article", "Andersen, Hans C.",
       "Rattle: A ``velocity'' version of the Shake algorithm for molecular dynamics calculations",
       "Journal of Computational Physics", "52", "24--34", "1983", "10.1016/0021-9991(83)90014-1"},
      {"LeimkuhlerSkeel1994", "Leimkuhler, Skeel, J. Comput. Phys. 112", "article",
       "Leimkuhler, Benedict J. and Skeel, Robert D.",
       "Symplectic numerical integrators in constrained Hamiltonian systems", "Journal of Computational Physics", "112",
       "117--125", "1994", ""},
      {"Jay1996", "Jay, SIAM J. Numer. Anal. 33|Jay,\nSIAM J. Numer. Anal. 33", "article", "Jay, Laurent",
       "Symplectic partitioned Runge-Kutta methods for constrained Hamiltonian systems",
       "SIAM Journal on Numerical Analysis", "33", "368--387", "1996", "10.1137/0733019"},
      {"Suzuki1990", "Suzuki, Phys. Lett. A 146", "article", "Suzuki, Masuo",
       "Fractal decomposition of exponential operators with applications to many-body theories and Monte Carlo "
       "simulations",
       "Physics Letters A", "146", "319--323", "1990", "10.1016/0375-9601(90)90962-N"},
      {"Yoshida1990", "Yoshida, Phys. Lett. A 150", "article", "Yoshida, Haruo",
       "Construction of higher order symplectic integrators", "Physics Letters A", "150", "262--268", "1990",
       "10.1016/0375-9601(90)90092-3"},
      {"KahanLi1997", "Kahan, Li, Math. Comp. 66", "article", "Kahan, William and Li, Ren-Cang",
       "Composition constants for raising the orders of unconventional schemes for ordinary differential equations",
       "Mathematics of Computation", "66", "1089--1099", "1997", "10.1090/S0025-5718-97-00873-9"},
      {"GearLeimkuhlerGupta1985", "Gear, Gupta, Leimkuhler", "article",
       "Gear, C. W. and Leimkuhler, B. and Gupta, G. K.",
       "Automatic integration of Euler-Lagrange equations with constraints",
       "Journal of Computational and Applied Mathematics", "12--13", "77--90", "1985", "10.1016/0377-0427(85)90008-1"},
      {"Hindmarsh2005", "IDA|CVODE|KINSOL|SUNDIALS", "article",
       "Hindmarsh, Alan C. and Brown, Peter N. and Grant, Keith E. and Lee, Steven L. and Serban, Radu and Shumaker, "
       "Dan E. and Woodward, Carol S.",
       "SUNDIALS: Suite of nonlinear and differential/algebraic equation solvers",
       "ACM Transactions on Mathematical Software", "31", "363--396", "2005", "10.1145/1089014.1089020"},
  };
  return table;
}

std::vector<Paper> papers_in(const std::string& text) {
  std::vector<Paper> found;
  for (const Paper& paper : papers()) {
    const std::string forms = paper.cited;
    for (std::size_t from = 0; from < forms.size();) {
      const std::size_t end = std::min(forms.find('|', from), forms.size());
      if (text.find(forms.substr(from, end - from)) != std::string::npos) {
        found.push_back(paper);
        break;
      }
      from = end + 1;
    }
  }
  return found;
}

std::string bibtex(const Paper& paper) {
  const std::string type = paper.type;
  std::string out = "@" + type + "{" + paper.key;
  const auto field = [&out](const char* name, const std::string& value) {
    if (!value.empty()) out += ",\n  " + std::string(name) + " = {" + value + "}";
  };
  field("author", paper.authors);
  field("title", "{" + std::string(paper.title) + "}");
  field(type == "book" ? "publisher" : type == "techreport" ? "institution" : "journal", paper.where);
  field("volume", paper.volume);
  field("pages", paper.pages);
  field("year", paper.year);
  field("doi", paper.doi);
  return out + "\n}\n";
}

std::string citation(const Paper& paper) {
  std::string authors = paper.authors, out;
  for (std::size_t at = 0; (at = authors.find(" and ", at)) != std::string::npos;) authors.replace(at, 5, ", ");
  const std::string text = authors + ": " + paper.title + "." + (*paper.where ? std::string(" ") + paper.where : "") +
                           (*paper.volume ? std::string(" ") + paper.volume : "") +
                           (*paper.year ? std::string(" (") + paper.year + ")" : "") +
                           (*paper.pages ? std::string(" ") + paper.pages : "") +
                           (*paper.doi ? std::string(", doi:") + paper.doi : "");
  // What TeX writes in its own way, in ASCII.
  for (std::size_t at = 0; at < text.size();) {
    if (text.compare(at, 3, "{\\\"") == 0) {
      out += text.substr(at + 3, 1) + "e";
      at += 5;
    } else if (text.compare(at, 2, "--") == 0 || text.compare(at, 2, "``") == 0 || text.compare(at, 2, "''") == 0) {
      out += text[at] == '-' ? "-" : "\"";
      at += 2;
    } else {
      out += text[at++];
    }
  }
  return out;
}

std::string own_bibtex() {
  return "@software{gnomon,\n  author = {{The Gnomon authors}},\n"
         "  title = {{Gnomon: energy-conserving integrators for constrained mechanical systems, on SUNDIALS}},\n"
         "  version = {" GNOMON_VERSION "}\n}\n";
}

}  // namespace gnomon::program
