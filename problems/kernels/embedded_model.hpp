#pragma once
/// \file
/// EmbeddedModel: a problem whose model file, problems/<file>.toml, is part of the library.

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "gnomon/mechanism/model_file.hpp"

namespace gnomon::problems {

/// The text is read when something other than the name is asked for first.
class EmbeddedModel final : public Problem {
 public:
  /// \param name of the problem, as in the text
  /// \param text of the file, which outlives the problem
  /// \param file its name in sentences
  EmbeddedModel(std::string name, const char* text, std::string file)
      : name_(std::move(name)), text_(text), file_(std::move(file)) {}

  std::string name() const override { return name_; }
  std::string description() const override { return read().description(); }
  std::string equations() const override { return read().equations(); }
  std::string source() const override { return read().source(); }
  OptionSpecs parameters() const override { return read().parameters(); }
  ProblemInstance build(const Options& parameters) const override { return read().build(parameters); }
  Assignments run_defaults() const override { return read().run_defaults(); }

 private:
  const Problem& read() const {
    std::call_once(once_, [this] { problem_ = read_model_text(text_, file_); });
    return *problem_;
  }

  std::string name_;
  const char* text_;
  std::string file_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<const Problem> problem_;
};

}  // namespace gnomon::problems
