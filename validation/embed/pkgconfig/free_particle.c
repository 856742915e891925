/* The smallest C program with a serial vector: a particle of mass 2 without forces, q(1) = 1 + p/2. It is built with
 * what `pkg-config --cflags --libs gnomon_c` prints. */
#include <gnomon/gnomon.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>

static int potential(sunrealtype t, N_Vector q, sunrealtype* U, void* user_data) {
  (void)t, (void)q, (void)user_data;
  *U = 0;
  return 0;
}
static int gradient(sunrealtype t, N_Vector q, N_Vector grad, void* user_data) {
  (void)t, (void)q, (void)user_data;
  N_VConst(0, grad);
  return 0;
}

int main(void) {
  SUNContext context = NULL;
  N_Vector mass, y;
  void* mem;
  sunrealtype t = 0, error;
  int flag = 0;
#if SUNDIALS_VERSION_MAJOR >= 7
  if (SUNContext_Create(SUN_COMM_NULL, &context) != 0) return 1;
#else
  if (SUNContext_Create(NULL, &context) != 0) return 1;
#endif
  mass = N_VNew_Serial(1, context);
  y = N_VNew_Serial(2, context);
  mem = GnomonCreate(context);
  if (!mass || !y || !mem) return 1;
  N_VConst(2, mass);
  NV_Ith_S(y, 0) = 1;
  NV_Ith_S(y, 1) = 3;
  flag = flag ? flag : GnomonSetMassDiagonal(mem, mass);
  flag = flag ? flag : GnomonSetPotentialFn(mem, potential);
  flag = flag ? flag : GnomonSetGradientFn(mem, gradient);
  flag = flag ? flag : GnomonSetDegrees(mem, 0, 0);
  flag = flag ? flag : GnomonSetStep(mem, 0.125);
  flag = flag ? flag : GnomonInit(mem, 0, y);
  flag = flag ? flag : GnomonEvolve(mem, 1, y, &t, GNOMON_NORMAL);
  if (flag) {
    printf("%s: %s\n", GnomonGetReturnFlagName(flag), GnomonGetLastMessage(mem));
    return 1;
  }
  error = NV_Ith_S(y, 0) - 2.5;
  printf("t = %g: q = %g\n", (double)t, (double)NV_Ith_S(y, 0));
  GnomonFree(&mem);
  N_VDestroy(mass);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return error > 1e-14 || error < -1e-14;
}
