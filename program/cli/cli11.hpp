#pragma once
/// \file
/// The names of CLI11 that headers speak of. Sources that use them include <CLI/App.hpp>; <CLI/CLI.hpp>, which brings
/// the bodies of CLI11's formatter and configuration reader and compiles them wherever it is read, only main.cpp.

namespace CLI {
class App;
class Option;
}  // namespace CLI
