#pragma once
/// \file
/// Texts that every page holds; the build makes them from front/ and assets/.

namespace gnomon::pages::assets {

extern const char* const styles;
extern const char* const library;  ///< uPlot
extern const char* const license;  ///< of uPlot
extern const char* const space;    ///< three.js, of pages with solids
extern const char* const license_of_space;
extern const char* const program;  ///< all of front/*.js

}  // namespace gnomon::pages::assets
