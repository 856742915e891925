#pragma once
/// \file
/// Contacts of a run with obstacles: the events and the energy book.

#include <json/json.h>

#include <cstdio>

#include "gnomon/run/integrator.hpp"

namespace gnomon::program {

/// The book in two lines, and the list of events if it is asked for.
void print_contact(std::FILE* out, const Integrator& integrator, bool with_events);

/// {events [{t, kind, contact, energy_change}], book {start, end, work, impact, defect}, penetration_max}
Json::Value contact_json(const Integrator& integrator);

/// Does the integrator open and close contacts, or may friction stop the motion?
bool has_contacts(const Integrator& integrator);

}  // namespace gnomon::program
