#include "gnomon/registry/coordinate_names.hpp"

#include <map>
#include <set>
#include <sstream>

#include "gnomon/formula/recorded.hpp"
#include "gnomon/model/overdetermined.hpp"
#include "gnomon/model/system.hpp"
#include "mechanism/formula_model.hpp"

namespace gnomon {

namespace {

bool from_file(const System& system) {
  return dynamic_cast<const AutodiffSystem<mechanism::FormulaModel>*>(&system) ||
         dynamic_cast<const AutodiffSystem<mechanism::SlippingModel>*>(&system);
}

std::string indexed(const std::string& name, Index i) {
  return name + "[" + std::to_string(i) + "]";
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

}  // namespace

std::vector<std::string> coordinate_names(const Model& model) {
  const System* system = model.mechanical();
  const Index n = system ? system->n() : model.overdetermined()->traits().ny;
  const std::string letter = model.traits().state_names[0];
  std::vector<std::string> names;
  for (Index j = 0; j < n; ++j) names.push_back(indexed(letter, j));
  if (!system) return names;
  const Index largest_point = from_file(*system) ? 1 : 3;
  for (const Block& block : system->traits().blocks) {
    const std::vector<std::string> own = words(block.name);
    const bool one_each = static_cast<Index>(own.size()) == block.size;
    for (Index i = 0; i < block.size; ++i)
      names[static_cast<std::size_t>(block.offset + i)] = one_each ? own[static_cast<std::size_t>(i)]
                                                          : block.size <= largest_point ? block.name + "." + "xyz"[i]
                                                                                        : indexed(block.name, i);
  }
  std::set<std::string> taken;
  for (Index j = 0; j < n; ++j) {
    std::string& name = names[static_cast<std::size_t>(j)];
    if (taken.count(name) > 0) name += "_" + indexed(letter, j);
    taken.insert(name);
  }
  return names;
}

std::vector<NamedAxes> named_axes(const Model& model) {
  const std::vector<std::string> names = coordinate_names(model);
  std::map<std::string, NamedAxes> found;
  for (std::size_t j = 0; j < names.size(); ++j) {
    const std::string& name = names[j];
    const std::size_t dot = name.rfind('.'), at = dot == std::string::npos ? 0 : dot + 1;
    const int axis = name[at] - 'x';
    if (axis < 0 || axis > 2 || (at + 1 < name.size() && name[at + 1] != '[')) continue;
    NamedAxes& axes = found[name.substr(0, at) + "*" + name.substr(at + 1)];
    axes.at[static_cast<std::size_t>(axis)] = static_cast<Index>(j);
    axes.is_point = dot == std::string::npos || name.find('.') == dot;
  }
  std::vector<NamedAxes> all;
  for (const auto& [name, axes] : found)
    if (axes.at[0] >= 0 && axes.at[1] >= 0) all.push_back(axes);
  return all;
}

}  // namespace gnomon
