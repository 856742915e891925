#pragma once
/// \file
/// Conformance cases, generated from the registry: every scheme on every problem that its bind accepts.

#include <vector>

#include "gnomon/registry/registry.hpp"
#include "report/case_file.hpp"

namespace gnomon::validation {

/// Promises and Jacobian for every accepted pair, derivatives for every problem, short runs of the variants; problems
/// that the starts do not mention run with their default parameters.
std::vector<Case> conformance_cases(const Registry& registry, const CaseFiles& files);

/// From where and how every problem is run by generated cases: as declared, or with its default parameters.
std::vector<ConformanceStart> conformance_starts(const Registry& registry, const CaseFiles& files);

/// All cases: generated, also for the gallery of the folder `models`, then declared.
std::vector<Case> all_cases(const Registry& registry, const std::string& folder, const std::string& models);

/// The declared ones alone.
std::vector<Case> declared_cases(const Registry& registry, const std::string& folder);

/// A part of kind/name that selects cases, and which; what is in capitals stands for a name.
struct CaseFilter {
  std::string name, selected;
};
const std::vector<CaseFilter>& case_filters();

/// Those up to `tier` whose kind/name, or former name, contains `filter`. Of published cases the brief tier has those
/// of the standard one.
std::vector<Case> select_cases(const std::vector<Case>& cases, Tier tier, const std::string& filter);

/// The K-th of N shares of the cases, "K/N" with 1 <= K <= N: every N-th, from the K-th. Throws Error(bad_value).
std::vector<Case> share_of(const std::vector<Case>& cases, const std::string& share);

}  // namespace gnomon::validation
