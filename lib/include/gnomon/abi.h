/** \file
 *  Numbers of the binary interfaces, which are the sonames of the libraries too: CMake reads them here. CONTRIBUTING.md
 *  says when they are raised.
 */
#ifndef GNOMON_ABI_H
#define GNOMON_ABI_H

/** Of the C++ headers: libgnomon, libgnomon_builtin and loadable modules. */
#define GNOMON_ABI_VERSION 7

/** Of gnomon.h: libgnomon_c. */
#define GNOMON_C_ABI_VERSION 1

#endif
