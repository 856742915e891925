// Writes the page of every_block to standard output, for the tests in a browser.
#include <cstdio>

#include "test/every_block.hpp"

int main() {
  const std::string html = gnomon::test::every_block().html();
  return std::fwrite(html.data(), 1, html.size(), stdout) == html.size() ? 0 : 1;
}
