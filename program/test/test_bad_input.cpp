// Bad input of the holonomic schemes, problems and case files: status 2, one sentence, nothing written.
#include <boost/test/unit_test.hpp>
#include <fstream>

#include "gnomon/base/error.hpp"
#include "support/builtin_registry.hpp"
#include "support/scratch.hpp"

using namespace gnomon::test;
using gnomon::registry;

namespace {

const std::string rest = " --step 1e-2 --steps 10 --output out.csv";
const std::string pendulum = "run planar-pendulum" + rest;

}  // namespace

BOOST_AUTO_TEST_CASE(stages_and_multiplier_degrees) {
  const Scratch scratch;
  for (const char* scheme : {"hbvm", "line-integral-ggl"}) {
    const std::string run = pendulum + " --scheme " + scheme;
    scratch.misuse(run + " --option k=2 --option s=3", {scheme, "k", "2", "3"});
    scratch.misuse(run + " --option k=4 --option s=2 --option r=3", {scheme, "r", "3", "2"});
    for (const char* value : {"21", "-1", "1.5", "nan", "1e99", "many", ""})
      scratch.misuse(run + " --option k=" + value, {scheme, "k = \"" + std::string(value) + "\"", "20"});
    scratch.misuse(run + " --option s=0", {scheme, "s = \"0\""});
    scratch.misuse(run + " --option kk=3", {scheme, "kk", "\"k\""});
  }
}

BOOST_AUTO_TEST_CASE(tableaux_and_projections) {
  const Scratch scratch;
  const std::string run = pendulum + " --scheme projected-rk --option ";
  scratch.misuse(run + "tableau=gaus", {"projected-rk", "gaus", "\"gauss\"", "lobatto-iiic"});
  scratch.misuse(run + "tableau=dormand-prince", {"dormand-prince", "gauss|radau-iia|lobatto-iiic"});
  scratch.misuse(run + "projection=pvq", {"pvq", "\"pv\""});
  scratch.misuse(run + "projection=", {"projection", "pvae-n"});
  scratch.misuse(run + "metric=mas", {"mas", "\"mass\""});
  for (const char* stages : {"0", "6", "-2", "2.5", "nan"})
    scratch.misuse(run + "stages=" + stages, {"stages", stages});
  scratch.misuse(run + "stage=2", {"stage", "\"stages\""});
}

BOOST_AUTO_TEST_CASE(penalty_parameters) {
  const Scratch scratch;
  for (const char* scheme :
       {"penalty", "penalty-general", "penalty-dhat", "augmented-lagrange", "augmented-lagrange-general"})
    for (const char* mu : {"0", "-1", "nan", "inf", "1e999", "stiff", ""})
      scratch.misuse(pendulum + " --scheme " + scheme + " --option mu=" + mu,
                     {scheme, "mu = \"" + std::string(mu) + "\""});
  const std::string run = pendulum + " --scheme augmented-lagrange --option ";
  for (const char* tolerance : {"-1e-10", "nan", "1e301"})
    scratch.misuse(run + "tolerance=" + tolerance, {"tolerance"});
  scratch.misuse(run + "update=newtn", {"newtn", "\"newton\""});
}

BOOST_AUTO_TEST_CASE(compositions) {
  const Scratch scratch;
  const std::string run = pendulum + " --scheme composition --option ";
  scratch.misuse(run + "inner=rattel", {"rattel", "\"rattle\""});
  scratch.misuse(run + "inner=", {"scheme"});
  scratch.misuse(run + "inner=ida-ggl", {"ida-ggl", "reference"});
  scratch.misuse(run + "inner=composition", {"composition"});
  scratch.misuse(run + "inner=projected-rk", {"projected-rk", "symmetric"});
  scratch.misuse(run + "inner=hbvm --option inner.k=1 --option inner.s=2", {"hbvm", "k"});
  scratch.misuse(run + "inner=hbvm --option inner.kk=1", {"hbvm", "kk", "\"k\""});
  scratch.misuse(run + "order=5", {"order", "5", "4|6"});
  scratch.misuse(run + "kind=suzuky", {"suzuky", "\"suzuki\""});
  scratch.misuse(run + "paired=maybe", {"maybe", "yes"});
}

// What a scheme cannot serve it refuses with the reason, before anything is written.
BOOST_AUTO_TEST_CASE(refused_pairs) {
  const Scratch scratch;
  scratch.misuse("run swinging-atwood --scheme energy-momentum" + rest, {"energy-momentum", "swinging-atwood"});
  scratch.misuse("run modified-pendulum --scheme penalty" + rest, {"penalty", "modified-pendulum", "penalty-general"});
  for (const char* reference : {"ida-index1", "ida-ggl", "cvode-projection"})
    scratch.misuse("run chain --set links=3000 --reference " + std::string(reference) + rest, {"chain", "unknowns"});
  scratch.misuse("run swinging-atwood --scheme rattle --reference exact" + rest,
                 {"exact", "swinging-atwood", "closed-form"});
}

BOOST_AUTO_TEST_CASE(steps_of_the_user) {
  const Scratch scratch;
  for (const char* scheme : {"hbvm", "composition", "projected-rk", "energy-momentum-ggl"})
    for (const char* step : {"0", "-1e-2", "nan", "inf", "1e400", ""})
      scratch.misuse("run planar-pendulum --steps 10 --output out.csv --scheme " + std::string(scheme) +
                         " --step=" + (*step ? step : "''"),
                     {"--step"});
}

// Every numeric parameter of every problem outside its range, every choice misspelt; by the check and by a run.
BOOST_AUTO_TEST_CASE(problem_parameters) {
  const Scratch scratch;
  for (const auto& name : registry().problems()) {
    const gnomon::Problem& problem = registry().problem(name);
    BOOST_TEST(!problem.source().empty(), name);
    for (const auto& spec : problem.parameters()) {
      std::vector<std::string> bad{"", "nan", "some"};
      if (spec.kind != gnomon::OptionSpec::Kind::choice) {
        bad.push_back("-inf");
        bad.push_back("1e300");
        bad.push_back(gnomon::number_text(spec.minimum - 1));
        if (spec.kind == gnomon::OptionSpec::Kind::integer)
          bad.push_back(gnomon::number_text(spec.default_number) + ".5");
      }
      for (const auto& value : bad) {
        const std::string set = " --set " + spec.name + "=" + value;
        scratch.misuse("check " + name + set, {name, spec.name, "\"" + value + "\""});
      }
      scratch.misuse("run " + name + rest + " --set " + spec.name + "=some", {name, spec.name, "\"some\""});
    }
    scratch.misuse("check " + name + " --set no-such-parameter=1", {name, "no-such-parameter"});
  }
}

BOOST_AUTO_TEST_CASE(case_files) {
  const Scratch scratch;
  const fs::path cases = scratch.root / "cases";
  fs::create_directories(cases);
  const std::string head =
      "kind = \"published\"\n[[case]]\nname = \"mine\"\ntier = \"quick\"\nmeasure = \"long-run\"\n"
      "problem = \"planar-pendulum\"\nstep = 1e-2\nsteps = 10\n";
  const auto refused = [&](const std::string& text, std::vector<std::string> parts) {
    std::ofstream(cases / "mine.toml") << text;
    parts.insert(parts.end(), {"mine.toml"});
    scratch.misuse("validate --cases '" + cases.string() + "' --json report.json", parts);
  };
  const auto altered = [&](const std::string& from, const std::string& to) {
    std::string text = head;
    return text.replace(text.find(from), from.size(), to);
  };
  refused(head + "gates.position = { max = 1 }\nknown-failure.position = \"\"\n", {"mine", "position", "reason"});
  refused(head + "formerly = 3\n", {"mine", "formerly"});
  refused(head + "sweep = [{ scheme = \"rattle\" }]\n", {"case \"mine\"", "\"name\" has no {key}"});
  refused(altered("\"mine\"", "\"mine-{scheme}\"") + "sweep = [{ scheme = \"rattle\" }, { solver = \"newton\" }]\n",
          {"mine-{scheme}", "member 2", "\"scheme\" is missing"});
  refused(altered("\"mine\"", "\"mine-{name}\"") + "sweep = [{ name = \"x\" }, { name = \"x\" }]\n",
          {"two cases are named \"published/mine-x\""});
  refused(head + "gates.position = { mx = 1 }\n", {"mine", "mx", "\"max\""});
  refused(head + "gates.position = { near = 1 }\n", {"mine", "within"});
  refused(head + "gates.position = 3\n", {"mine", "position"});
  refused(head + "scheme = \"ratle\"\n", {"mine", "ratle", "\"rattle\""});
  refused(head + "scheme = \"hbvm\"\noptions = { kk = 3 }\n", {"mine", "hbvm", "kk"});
  refused(head + "scheme = \"hbvm\"\noptions = { k = 99 }\n", {"mine", "hbvm", "99"});
  refused(head + "scheme = \"composition\"\noptions = { inner = \"hbvm\", \"inner.kk\" = 3 }\n",
          {"mine", "hbvm", "kk"});
  refused(head + "solver = \"newtn\"\n", {"mine", "newtn", "\"newton\""});
  refused(head + "solver-options = { max-iteration = 3 }\n", {"mine", "max-iteration", "\"max-iterations\""});
  refused(head + "set = { angel = 1 }\n", {"mine", "angel", "\"angle\""});
  refused(head + "set = { mass = -1 }\n", {"mine", "mass", "-1"});
  refused(altered("planar-pendulum", "planar-pendulm"), {"mine", "planar-pendulm", "\"planar-pendulum\""});
  refused(altered("long-run", "lng-run"), {"mine", "lng-run", "\"long-run\""});
  refused(altered("\"quick\"", "\"quik\""), {"mine", "tier", "quik"});
  refused(altered("published", "publishd"), {"kind", "publishd"});
  refused(altered("step = 1e-2\n", ""), {"mine", "step"});
  refused(altered("1e-2", "-1e-2"), {"mine", "step"});
  refused(altered("1e-2", "nan"), {"mine", "step"});
  refused(altered("steps = 10", "steps = 0"), {"mine", "steps"});
  refused(altered("steps = 10", "steps = 1.5"), {"mine", "steps"});
  refused(head + "[[case]\n", {"line"});
  std::string agreement = altered("long-run", "reference-agreement");
  agreement = agreement.replace(agreement.find("steps = 10"), 10, "until = 1");
  refused(agreement + "references = [\"ida-glg\"]\ntolerances = [1e-12, 1e-11]\n", {"ida-glg", "\"ida-ggl\""});
  refused(agreement +
              "references = [\"ida-ggl\"]\ntolerances = [1e-12, 1e-11]\nreference-options.ida-ggl = { rtoll = 1 }\n",
          {"rtoll", "\"rtol\""});
  refused(
      agreement + "references = [\"ida-ggl\"]\ntolerances = [1e-12, 1e-11]\nreference-options.ida-glg = { rtol = 1 }\n",
      {"ida-glg"});
}

BOOST_AUTO_TEST_CASE(names_of_model_files) {
  const Scratch scratch;
  const std::string arm =
      "<robot name='arm'><link name='base'/><link name='rod'><inertial><origin xyz='0 0 -.5'/><mass value='2'/>"
      "<inertia ixx='.2' iyy='.2' izz='.01'/></inertial></link><joint name='hinge' type='continuous'>"
      "<parent link='base'/><child link='rod'/><axis xyz='0 1 0'/></joint></robot>";
  const auto at = [&scratch](const char* name) { return (scratch.root / name).string(); };
  for (const char* name : {"arm.urdf", "arm.txt", "arm.xml"}) std::ofstream(at(name)) << arm;
  for (const char* command : {"run ", "describe ", "check "}) {
    scratch.misuse(command + at("arm.txt"), {"arm.txt\" is a file", ".toml, .urdf, .sdf or .xml"});
    scratch.misuse(command + at("arm.xml"), {"arm.xml:1:1: the outermost element is \"robot\", expected mujoco"});
  }
  scratch.misuse("import " + at("arm.txt"), {"arm.txt", ".urdf, .sdf or .xml"});
  scratch.misuse("new " + at("arm.urdf"), {"arm.urdf", "NAME.toml"});
  for (const char* name : {"''", "..", "../..", ".toml", "'a\"b'", "'a\\b'", "$'a\nb'"})
    scratch.misuse(std::string("new ") + name, {"the model to write", "not of dots alone"});
  scratch.misuse("new x --from " + at("arm.txt"), {"--from", "arm.txt", "NAME.urdf"});
  scratch.misuse("new x --planar --from " + at("arm.urdf"), {"--from is given beside"});
  std::ofstream(at("no-mass.urdf"))
      << "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>"
         "<parent link='a'/><child link='b'/></joint></robot>";
  scratch.misuse("new x --from " + at("no-mass.urdf"), {"no-mass.urdf:1:1: link b has no mass"});
  BOOST_TEST(scratch.gnomon("new " + at("made.toml") + " --from " + at("arm.urdf")).status == 0);
  const std::string import = "import " + at("arm.urdf") + " --output " + at("arm.toml");
  BOOST_TEST(scratch.gnomon(import).status == 0);
  scratch.misuse(import, {"arm.toml\" exists already"});
  for (const char* file : {"arm.urdf", "arm.toml"})
    BOOST_TEST(scratch.gnomon("run " + at(file) + " --set hinge_start=0.5 --step 1e-2 --steps 10").status == 0);
}

BOOST_AUTO_TEST_CASE(references_are_schemes_too) {
  const Scratch scratch;
  scratch.misuse(pendulum + " --scheme ida_ggl", {"unknown scheme \"ida_ggl\"", "\"ida-ggl\""});
}

// A run that cannot begin leaves an existing file alone and no temporary one behind.
BOOST_AUTO_TEST_CASE(output_files) {
  const Scratch scratch;
  scratch.misuse("run planar-pendulum --step 1e-2 --steps 10 --output no/folder/out.csv", {"no/folder/out.csv"});
  std::ofstream(scratch.work / "out.csv") << "precious\n";
  for (const char* wrong : {"--scheme hbvm --option k=2 --option s=3", "--set mass=-1",
                            "--reference ida-ggl "
                            "--reference-option rtol=-1"}) {
    BOOST_TEST(scratch.gnomon(pendulum + " " + wrong).status == 2, wrong);
    BOOST_TEST(read(scratch.work / "out.csv") == "precious\n", wrong);
  }
  BOOST_TEST(std::distance(fs::directory_iterator(scratch.work), fs::directory_iterator()) == 1);
}

BOOST_AUTO_TEST_CASE(alpha_schemes) {
  const Scratch scratch;
  for (const char* scheme : {"alpha", "alpha-penalty", "alpha-augmented"})
    for (const char* alpha : {"-0.01", "0.51", "nan", "quarter", ""})
      scratch.misuse(pendulum + " --scheme " + scheme + " --option alpha=" + alpha,
                     {scheme, "alpha = \"" + std::string(alpha) + "\"", "0.5"});
  for (const char* scheme : {"alpha-penalty", "alpha-augmented"})
    for (const char* eps : {"0", "-1e-6", "nan", "soft", ""})
      scratch.misuse(pendulum + " --scheme " + scheme + " --option eps=" + eps,
                     {scheme, "eps = \"" + std::string(eps) + "\""});
  scratch.misuse(pendulum + " --scheme alpha-augmented --option update=third", {"third", "second|first"});
  scratch.misuse(pendulum + " --scheme alpha-augmented --option tolerance=-1", {"tolerance = \"-1\""});
  scratch.misuse("run modified-pendulum --scheme alpha" + rest, {"alpha", "modified-pendulum", "quadratic"});
  const std::string strings = "run colliding-strings --scheme alpha-penalty" + rest;
  scratch.misuse(strings + " --set a=-0.02", {"colliding-strings", "inside obstacle \"c[0]\"", "at least 0"});
  scratch.misuse(strings + " --events", {"--events", "alpha-penalty holds them itself"});
  scratch.misuse(strings + " --set intervals=1", {"intervals", "1"});
  scratch.misuse("run oscillator-chain --scheme alpha --set masses=3 --set mode=4" + rest, {"mode = 4", "3 masses"});
  scratch.misuse("run oscillator-chain --scheme alpha --set kind=pair --set masses=3" + rest, {"masses", "kind=chain"});
}
