#pragma once
/// \file
/// The papers that schemes, problems, solvers and references rest on.

#include <string>
#include <vector>

namespace gnomon::program {

/// Fields that are empty are not known, and left out of what is printed.
struct Paper {
  const char* key;    ///< of BibTeX
  const char* cited;  ///< how sources and comments of the tree name it; several forms are separated by |
  const char* type;   ///< article, book, techreport, misc
  const char* authors;
  const char* title;
  const char* where;  ///< journal, publisher or institution
  const char* volume;
  const char* pages;
  const char* year;
  const char* doi;
};

const std::vector<Paper>& papers();
/// Those that a text names, in the order of the table.
std::vector<Paper> papers_in(const std::string& text);

std::string bibtex(const Paper& paper);
/// "Authors: Title. Journal 33 (2004) 174-185, doi:..."
std::string citation(const Paper& paper);
/// Gnomon itself.
std::string own_bibtex();

}  // namespace gnomon::program
