#pragma once
/// \file
/// A SolverFactory or an AlgebraFactory from what a plug-in says of it: its name, a sentence, and two functions.

#include <functional>
#include <string>
#include <utility>

#include "gnomon/base/options.hpp"

namespace gnomon {

template <class Factory>
class NamedFactory final : public Factory {
 public:
  using Product = decltype(std::declval<const Factory&>().create(std::declval<const Options&>()));

  NamedFactory(
      std::string name, std::string description, std::function<Product(const Options&)> create,
      std::function<OptionSpecs()> options = [] { return OptionSpecs(); })
      : name_(std::move(name)),
        description_(std::move(description)),
        create_(std::move(create)),
        options_(std::move(options)) {}
  std::string name() const override { return name_; }
  std::string description() const override { return description_; }
  OptionSpecs options() const override { return options_(); }
  Product create(const Options& options) const override { return create_(options); }

 private:
  std::string name_, description_;
  std::function<Product(const Options&)> create_;
  std::function<OptionSpecs()> options_;
};

}  // namespace gnomon
