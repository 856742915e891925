#pragma once
/// \file
/// Contacts of a run with obstacles: the events and the energy book.

#include <json/json.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "gnomon/run/integrator.hpp"
#include "program/summary/summary_row.hpp"

namespace gnomon::program {

/// How many switches of the model steps ended at, and how many they went over.
void add_switches(std::vector<SummaryRow>& rows, const Integrator& integrator);
/// {count, overstepped, velocity_bound, events [{t, switch}]}
Json::Value switches_json(const Integrator& integrator);
/// Does the model have any?
bool has_switches(const Integrator& integrator);

/// The book in two lines.
void add_contact(std::vector<SummaryRow>& rows, const Integrator& integrator);
/// t, event, obstacle and energy change of each.
std::vector<std::array<std::string, 4>> event_rows(const System& system, const std::vector<ContactEvent>& events);
void print_events(std::FILE* out, const std::vector<std::array<std::string, 4>>& events);

/// {events [{t, kind, contact, energy_change}], book {start, end, work, impact, defect}, penetration_max}
Json::Value contact_json(const Integrator& integrator);

/// Does the integrator open and close contacts, or may friction stop the motion?
bool has_contacts(const Integrator& integrator);

}  // namespace gnomon::program
