/** \file
 *  What the shared libraries export. They are built with hidden visibility: a name is seen from outside, by programs,
 *  plug-ins and the other libraries, only where its declaration says so. C and C++.
 *
 *  Classes that are thrown, or found by dynamic_cast on the other side of a library, are exported even where they have
 *  nothing but inline functions: their type information must be one and the same everywhere.
 */
#ifndef GNOMON_EXPORT_H
#define GNOMON_EXPORT_H

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
