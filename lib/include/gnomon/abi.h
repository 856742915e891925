/** \file
 *  The binary interfaces: their numbers, and what the shared libraries export. C and C++.
 *
 *  The numbers are the sonames of the libraries too: CMake reads them here. CONTRIBUTING.md says when they are raised.
 *
 *  The libraries are built with hidden visibility: a name is seen from outside, by programs, plug-ins and the other
 *  libraries, only where its declaration says so. Classes that are thrown, or found by dynamic_cast on the other side of a
 *  library, are exported even where they have nothing but inline functions: their type information must be one and the
 *  same everywhere.
 */
#ifndef GNOMON_ABI_H
#define GNOMON_ABI_H

/** Of the C++ headers: libgnomon, libgnomon_builtin and loadable modules. */
#define GNOMON_ABI_VERSION 11

/** Of gnomon.h: libgnomon_c. */
#define GNOMON_C_ABI_VERSION 1

/** GNOMON_EXPORT marks a class or a function; a header of functions only stands between GNOMON_EXPORT_BEGIN and
 *  GNOMON_EXPORT_END. */
#if defined(__GNUC__)
#define GNOMON_EXPORT __attribute__((visibility("default")))
#define GNOMON_EXPORT_BEGIN _Pragma("GCC visibility push(default)")
#define GNOMON_EXPORT_END _Pragma("GCC visibility pop")
#else
#define GNOMON_EXPORT
#define GNOMON_EXPORT_BEGIN
#define GNOMON_EXPORT_END
#endif

#endif
