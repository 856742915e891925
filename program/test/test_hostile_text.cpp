// Names that are commands of gnuplot, of a shell or of a terminal, files that are one, tables that are damaged.
#include <boost/test/unit_test.hpp>
#include <random>

#include "gnomon/base/error.hpp"
#include "gnomon/base/visible_text.hpp"
#include "program/arguments.hpp"
#include "program/output/gnuplot.hpp"
#include "support/scratch.hpp"
#include "tables/table.hpp"

namespace {

using namespace gnomon::test;
using gnomon::tables::read_table;
using gnomon::tables::Table;

/// A symmetry whose name ends the command of gnuplot that has it, and makes a file.
const char* const model = R"toml(format = 1
name = "x"
coordinates = ["x", "y"]
mass = 1
potential = "0"
[constraints]
rod = "(x^2+y^2-1)/2"
[symmetries]
"L'\nsystem(\"touch executed\")\n#\u001b[31m,\"" = { x = "-y", y = "x" }
[drawing]
rod = [["0", "0"], ["x", "y"]]
[start]
position = { x = 1 }
velocity = { y = 1 }
[run]
until = 0.2
step = 1e-2
)toml";

bool has_gnuplot() {
  return std::system("command -v gnuplot >/dev/null 2>&1") == 0;
}

/// Texts of what ends strings, substitutes and continues elsewhere.
class HostileTexts {
 public:
  std::string draw() {
    static const char* const pieces[] = {"\n",
                                         "\r",
                                         "'",
                                         "\"",
                                         "`",
                                         "`touch executed`",
                                         "$(touch executed)",
                                         ";",
                                         "\\",
                                         "\\\n",
                                         "@x",
                                         "#",
                                         "!touch executed",
                                         "' , system('touch executed') , '",
                                         "]]>",
                                         "é",
                                         "\033[",
                                         "{/Symbol",
                                         "%s",
                                         "\u202e",
                                         "\x80",
                                         "a",
                                         "7",
                                         " ",
                                         "END",
                                         "$x1",
                                         "~",
                                         "*"};
    std::string text;
    for (unsigned left = 1 + random_() % 6; left > 0; --left) text += pieces[random_() % std::size(pieces)];
    return text;
  }

 private:
  std::mt19937 random_{1};
};

struct HostileModel : Scratch {
  HostileModel() { std::ofstream(work / "m.toml") << model; }
  void good(const std::string& arguments, int status = 0) const {
    const Outcome outcome = gnomon(arguments);
    BOOST_TEST_CONTEXT("gnomon " << arguments << "\n" << outcome.out << outcome.err) {
      BOOST_TEST(outcome.status == status);
      BOOST_TEST(gnomon::visible_lines(outcome.out + outcome.err) == outcome.out + outcome.err);
      BOOST_TEST(!fs::exists(work / "executed"));
    }
  }
  void refused(const std::string& arguments, const std::vector<std::string>& parts) const {
    const Outcome outcome = gnomon(arguments);
    BOOST_TEST_CONTEXT("gnomon " << arguments << "\n" << outcome.err) {
      BOOST_TEST(outcome.status == 2);
      BOOST_TEST(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
      for (const std::string& part : parts) BOOST_TEST(contains(outcome.err, part), part);
    }
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(gnuplot_reads_texts_back) {
  if (!has_gnuplot()) return;
  const Scratch scratch;
  HostileTexts texts;
  std::string script = "set print '-'\n", expected;
  for (int i = 0; i < 2000; ++i) {
    const std::string text = texts.draw();
    script += "print " + gnomon::program::gnuplot_text(text) + "\n";
    std::string shown = gnomon::visible(text);
    for (std::size_t at = 0; (at = shown.find("]]>", at)) != std::string::npos; at += 3) shown.insert(at + 2, 1, ' ');
    expected += shown + "\n";
  }
  std::ofstream(scratch.root / "script") << script;
  const std::string command = "cd '" + scratch.work.string() + "' && gnuplot -d <'" +
                              (scratch.root / "script").string() + "' >'" + (scratch.root / "out").string() + "' 2>&1";
  BOOST_TEST(std::system(command.c_str()) == 0);
  BOOST_TEST((read(scratch.root / "out") == expected));
  BOOST_TEST(scratch.empty());
}

BOOST_AUTO_TEST_CASE(a_shell_reads_words_back) {
  if (std::system("command -v bash >/dev/null 2>&1") != 0) return;
  const Scratch scratch;
  HostileTexts texts;
  std::string script, expected;
  for (int i = 0; i < 2000; ++i) {
    const std::string text = texts.draw(), word = gnomon::program::shell_word(text);
    BOOST_TEST(gnomon::visible(word) == word);
    script += "printf '%s\\0' " + word + "\n";
    expected += text + '\0';
  }
  std::ofstream(scratch.root / "script") << script;
  const std::string command = "cd '" + scratch.work.string() + "' && bash '" + (scratch.root / "script").string() +
                              "' >'" + (scratch.root / "out").string() + "' 2>&1";
  BOOST_TEST(std::system(command.c_str()) == 0);
  BOOST_TEST((read(scratch.root / "out") == expected));
  BOOST_TEST(scratch.empty());
}

BOOST_AUTO_TEST_CASE(names_are_names) {
  const HostileModel scratch;
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  setenv("HOME", scratch.work.c_str(), 1);
  std::ofstream(scratch.work / ".gnuplot") << "system('touch executed')\n";
  for (const char* end : {"csv", "h5", "jsonl"}) scratch.good("run m.toml --output a." + std::string(end));
  const Table jsonl = read_table((scratch.work / "a.jsonl").string());
  for (const char* other : {"a.csv", "a.h5"}) {
    const Table table = read_table((scratch.work / other).string());
    BOOST_REQUIRE_EQUAL(table.head.columns.size(), jsonl.head.columns.size());
    for (std::size_t j = 0; j < table.head.columns.size(); ++j)
      BOOST_TEST(table.head.columns[j].name == jsonl.head.columns[j].name);
    BOOST_TEST((table.values == jsonl.values));
  }
  scratch.good("describe m.toml");
  scratch.good("check m.toml");
  if (has_gnuplot()) {
    scratch.good("run m.toml --plot p.svg --report p.html");
    scratch.good("compare a.csv a.h5 --plot c.svg --report c.html");
    BOOST_TEST(contains(read(scratch.work / "c.svg"), "executed"));
  }
  fs::rename(scratch.work / "m.toml", scratch.work / "'; touch executed; '.toml");
  scratch.good("advise \"'; touch executed; '.toml\" --until 0.1 --error 1e-2 --budget 0.2");
  setenv("HOME", home.c_str(), 1);
}

BOOST_AUTO_TEST_CASE(no_output_is_another_file_of_the_command) {
  const HostileModel scratch;
  const auto link = [&](const char* to, const char* from) { fs::create_symlink(to, scratch.work / from); };
  scratch.refused("run m.toml --output a.csv --checkpoint ./a.csv", {"--output = \"a.csv\"", "--checkpoint"});
  scratch.refused("run m.toml --checkpoint m.toml", {"--checkpoint", "PROBLEM = \"m.toml\""});
  link("m.toml", "page.html");
  scratch.refused("run m.toml --report page.html", {"--report", "PROBLEM"});
  fs::create_hard_link(scratch.work / "m.toml", scratch.work / "hard.html");
  scratch.refused("run m.toml --report hard.html", {"--report", "PROBLEM"});
  BOOST_TEST(read(scratch.work / "m.toml") == model);
  scratch.good("run m.toml --checkpoint c --output a.jsonl");
  scratch.refused("run --restart c --until 0.3 --checkpoint m.toml", {"--checkpoint", "PROBLEM of --restart"});
  scratch.refused("run --restart c --until 0.3 --report /no/c.html --output c", {"--output", "--restart"});
  scratch.good("run --restart c --until 0.3 --checkpoint c");
  link("a.jsonl", "a.svg");
  scratch.refused("compare a.jsonl a.jsonl --plot a.svg", {"--plot", "a.jsonl"});
  const std::string sweep = "sweep planar-pendulum --vary 'gravity=grid(1,9,4)' --step 1e-2 --steps 5 --output ";
  for (const char* shard : {"1", "2"}) scratch.good(sweep + shard + ".h5 --shard " + shard + "/2");
  scratch.refused("sweep merge 1.h5 1.h5 2.h5", {"TABLE = \"1.h5\"", "FILES"});
  fs::create_directory(scratch.work / "cases");
  std::ofstream(scratch.work / "cases/a.toml") << "# a case\n";
  scratch.refused("validate --cases cases --json cases/a.toml", {"--json", "--cases"});
  // A link to nothing yet is followed too; one in a circle leads nowhere.
  link("new.csv", "link.csv");
  scratch.good("run m.toml --output link.csv");
  BOOST_TEST(fs::is_symlink(scratch.work / "link.csv"));
  BOOST_TEST(fs::is_regular_file(scratch.work / "new.csv"));
  link("circle.csv", "circle.csv");
  scratch.refused("run m.toml --output circle.csv", {"circle.csv", "circle"});
  scratch.good("run m.toml --output /dev/null --checkpoint d");
  // The name of a problem is no file.
  std::ofstream(scratch.work / "chain") << "c\n";
  scratch.good("run chain --step 1e-2 --steps 2 --checkpoint chain");
}

BOOST_AUTO_TEST_CASE(a_full_disk_holds_no_picture) {
  if (!has_gnuplot()) return;
  const HostileModel scratch;
  fs::create_symlink("/dev/full", scratch.work / "full.svg");
  scratch.good("run m.toml --output a.csv");
  scratch.refused("run m.toml --plot full.svg", {"full.svg", "not everything could be stored"});
  scratch.refused("compare a.csv a.csv --plot full.svg", {"full.svg", "not everything could be stored"});
}

BOOST_AUTO_TEST_CASE(a_number_beside_none_is_a_difference) {
  const HostileModel scratch;
  std::ofstream(scratch.work / "a.csv") << "t,x,energy_error\n0,1,0\n1,nan,nan\n2,3,0\n";
  std::ofstream(scratch.work / "b.csv") << "t,x,energy_error\n0,1,0\n1,2,0\n2,3,0\n";
  scratch.good("compare a.csv a.csv");
  for (const char* both : {"a.csv b.csv", "b.csv a.csv"}) scratch.good("compare " + std::string(both), 1);
  const Outcome outcome = scratch.gnomon("compare a.csv b.csv");
  BOOST_TEST(contains(outcome.out, "1 row where one of both is no number"), outcome.out);
  BOOST_TEST(contains(outcome.out, "2 numbers of one table are no number in the other"), outcome.out);
}

BOOST_AUTO_TEST_CASE(damaged_files_are_refused) {
  const HostileModel scratch;
  scratch.good("run m.toml --output a.h5");
  const std::string sound = read(scratch.work / "a.h5"), bad = (scratch.work / "bad.h5").string();
  const Table table = read_table((scratch.work / "a.h5").string());
  std::mt19937 random(1);
  int refused = 0;
  constexpr int files = 300;
  for (int i = 0; i < files; ++i) {
    std::string bytes = sound;
    if (i % 4 == 0)
      bytes.resize(random() % sound.size());
    else
      for (int flips = i % 3 == 0 ? 20 : 1; flips > 0; --flips)
        bytes[random() % sound.size()] ^= static_cast<char>(1U << (random() % 8));
    std::ofstream(bad, std::ios::binary) << bytes;
    try {
      BOOST_TEST((read_table(bad).values == table.values));
    } catch (const gnomon::Error& error) {
      ++refused;
      BOOST_TEST((error.code() == gnomon::ErrorCode::bad_file));
    }
  }
  BOOST_TEST(refused > files / 3);
  BOOST_TEST(refused < files);
}
