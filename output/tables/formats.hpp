#pragma once
/// \file
/// One writer and one reader a format, see table.hpp.

#include "tables/table.hpp"

namespace gnomon::tables {

std::unique_ptr<Writer> open_csv(const std::string& path, const Head& head);
std::unique_ptr<Writer> open_json_lines(const std::string& path, const Head& head);
std::unique_ptr<Writer> open_hdf5(const std::string& path, const Head& head);

Table read_csv(const std::string& path);
Table read_json_lines(const std::string& path);
Table read_hdf5(const std::string& path);

}  // namespace gnomon::tables
