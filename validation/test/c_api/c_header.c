/* The header is plain C11: this file is compiled as such, without a warning. */
#include <gnomon/gnomon.h>

int c_header_success(void);
int c_header_success(void) {
  return GNOMON_SUCCESS;
}
