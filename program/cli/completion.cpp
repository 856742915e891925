#include "program/cli/completion.hpp"

#include <CLI/App.hpp>
#include <algorithm>
#include <map>
#include <vector>

#include "gnomon/base/error.hpp"
#include "program/cli/command_page.hpp"

namespace gnomon::program {

namespace {

/// What does not depend on the commands. The words before the cursor give the command, its first argument and the
/// scheme, solver and reference that were named; `flags` and `values` are set by the functions that are generated.
constexpr const char* functions = R"bash(# Names of one kind, from the program itself.
_gnomon_names() {
  "${COMP_WORDS[0]}" completion --values "$1" 2>/dev/null
}

_gnomon_files() {
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen "$1" -- "$cur"))
}

# Candidates of one kind for the word at the cursor.
_gnomon_values() {
  local kind=$1 words=""
  case $kind in
    files) _gnomon_files -f; return ;;
    folders) _gnomon_files -d; return ;;
    words\ *) words=${kind#words } ;;
    options) words=$(_gnomon_names "options:$scheme") ;;
    solver-options) words=$(_gnomon_names "solver-options:$solver") ;;
    reference-options) words=$(_gnomon_names "reference-options:$reference") ;;
    parameters) words=$(_gnomon_names "parameters:$problem") ;;
    any | "") return ;;
    commands) words=$commands ;;
    *) words=$(_gnomon_names "$kind") ;;
  esac
  COMPREPLY+=($(compgen -W "$words" -- "$cur"))
  case ${COMPREPLY[0]} in *=) compopt -o nospace 2>/dev/null ;; esac
  case $kind in
    problems | names)
      local file
      for file in $(compgen -f -X '!*.toml' -- "$cur"; for end in urdf sdf xml; do compgen -f -X "!*.$end" -- "$cur"; done); do COMPREPLY+=("$file"); done
      ;;
  esac
}

_gnomon() {
  local cur=${COMP_WORDS[COMP_CWORD]} command="" problem="" scheme="energy-momentum" solver="kinsol-newton" reference=""
  local flag="" word i arguments=0 flags="" values="" commands=""
  local -a kinds=()
  COMPREPLY=()
  [[ $cur == "=" ]] && cur=""
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == "=" ]]; then continue; fi
    if [[ -n $flag ]]; then
      case $flag in
        --scheme) scheme=$word ;;
        --solver) solver=$word ;;
        --reference) reference=$word ;;
      esac
      # A value NAME=VALUE is three words to bash.
      if [[ ${COMP_WORDS[i + 1]} == "=" ]]; then
        if ((i + 2 >= COMP_CWORD)); then return; fi
        ((i += 2))
      fi
      flag=""
    elif [[ $word == -* ]]; then
      _gnomon_kind "$command" "$word"
      [[ -n $values ]] && flag=$word
    elif [[ -z $command ]]; then
      command=$word
    else
      ((arguments++ == 0)) && problem=$word
    fi
  done
  if [[ -n $flag ]]; then
    _gnomon_kind "$command" "$flag"
    _gnomon_values "$values"
    return
  fi
  _gnomon_command "$command"
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [[ -z $command ]]; then
    COMPREPLY=($(compgen -W "$commands" -- "$cur"))
  elif ((arguments < ${#kinds[@]})); then
    _gnomon_values "${kinds[arguments]}"
  elif [[ ${kinds[*]: -1} == files ]]; then # as many files as there are
    _gnomon_values files
  fi
}

complete -F _gnomon gnomon
)bash";

struct Flags {
  std::string all, arguments;                ///< names; the kind of each argument in quotes
  std::map<std::string, std::string> kinds;  ///< by flag, of those that take a value
};

Flags flags_of(const CommandPage& page) {
  Flags out;
  for (const PageGroup& group : page.groups)
    for (const PageEntry& entry : group.entries) {
      for (const std::string& flag : entry.flags) {
        if (flag.rfind("--", 0) == 0) out.all += (out.all.empty() ? "" : " ") + flag;
        if (!entry.values.empty()) out.kinds[flag] = entry.values;
      }
      if (entry.flags.empty() && !entry.values.empty())
        out.arguments += (out.arguments.empty() ? "'" : " '") + entry.values + "'";
    }
  return out;
}

std::string lines(const std::vector<std::string>& names, const char* end = "") {
  std::string out;
  for (const std::string& name : names) out += name + end + "\n";
  return out;
}

std::vector<std::string> names_of(const OptionSpecs& specs) {
  std::vector<std::string> names;
  for (const OptionSpec& spec : specs) names.push_back(spec.name);
  return names;
}

}  // namespace

std::string bash_completion(const CLI::App& program) {
  std::string out = "# Completion of gnomon for bash; written by: gnomon completion bash\n\n", commands;
  std::string command_cases, kind_cases;
  const Flags top = flags_of(command_page(program));
  const auto add_kinds = [&kind_cases](const std::string& pattern, const Flags& flags) {
    for (const auto& [flag, kind] : flags.kinds)
      kind_cases += "    \"" + pattern + flag + "\") values='" + kind + "' ;;\n";
  };
  for (const CommandPage& page : command_pages(program)) {
    const std::string name = page.name.substr(page.name.find(' ') + 1);
    const Flags flags = flags_of(page);
    commands += (commands.empty() ? "" : " ") + name;
    command_cases += "    " + name + ") kinds=(" + flags.arguments + ") flags='" + flags.all + "' ;;\n";
    add_kinds(name + " ", flags);
  }
  out += "# The flags of a command and the kinds of its arguments.\n_gnomon_command() {\n  commands='" + commands +
         "'\n  case $1 in\n" + command_cases + "  esac\n  flags=\"$flags " + top.all + "\"\n}\n\n";
  out +=
      "# The kind of a flag's values; nothing where it takes none.\n_gnomon_kind() {\n  values=\"\"\n  case \"$1 $2\" "
      "in\n" +
      kind_cases;
  for (const auto& [flag, kind] : top.kinds) out += "    *\" " + flag + "\") values='" + kind + "' ;;\n";
  return out + "  esac\n}\n\n" + functions;
}

std::string completion_values(const Registry& registry, const std::string& asked) try {
  const std::size_t colon = asked.find(':');
  const std::string kind = asked.substr(0, colon), owner = colon == std::string::npos ? "" : asked.substr(colon + 1);
  if (kind == "schemes") return lines(registry.schemes());
  if (kind == "solvers") return lines(registry.solvers());
  if (kind == "algebra") return lines(registry.algebras());
  if (kind == "problems") return lines(registry.problems());
  if (kind == "references") return lines(registry.references());
  if (kind == "integrators") return lines(registry.schemes()) + lines(registry.references());
  if (kind == "names") {
    std::string all;
    for (const char* each : {"schemes", "solvers", "algebra", "problems", "references"})
      all += completion_values(registry, each);
    return all;
  }
  if (kind == "options") {
    const std::vector<std::string> references = registry.references();
    const bool reference = std::find(references.begin(), references.end(), owner) != references.end();
    return lines(names_of(reference ? registry.reference(owner).options() : registry.scheme(owner).options()), "=");
  }
  if (kind == "solver-options") return lines(names_of(registry.solver(owner).options()), "=");
  if (kind == "reference-options") return lines(names_of(registry.reference(owner).options()), "=");
  if (kind == "parameters") return lines(names_of(registry.problem(owner).parameters()), "=");
  return "";
} catch (const Error&) {
  return "";
}

}  // namespace gnomon::program
