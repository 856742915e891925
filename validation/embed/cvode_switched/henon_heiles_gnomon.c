/* The motion of a star in the potential of Henon and Heiles, U = (x^2 + y^2)/2 + x^2 y - y^3/3, with Gnomon. */
#include <gnomon/gnomon.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>

#define T_END 1000.0
#ifndef SUN_COMM_NULL /* before SUNDIALS 7 */
#define SUN_COMM_NULL NULL
#endif

/* U(q) */
static int potential(sunrealtype t, N_Vector q, sunrealtype* U, void* user_data) {
  const double x = NV_Ith_S(q, 0), y = NV_Ith_S(q, 1);
  (void)t;
  (void)user_data;
  *U = (x * x + y * y) / 2 + x * x * y - y * y * y / 3;
  return 0;
}

/* grad U(q) */
static int gradient(sunrealtype t, N_Vector q, N_Vector grad, void* user_data) {
  const double x = NV_Ith_S(q, 0), y = NV_Ith_S(q, 1);
  (void)t;
  (void)user_data;
  NV_Ith_S(grad, 0) = x + 2 * x * y;
  NV_Ith_S(grad, 1) = y + x * x - y * y;
  return 0;
}

static double energy(N_Vector y) {
  double U;
  potential(0, y, &U, NULL);
  return (NV_Ith_S(y, 2) * NV_Ith_S(y, 2) + NV_Ith_S(y, 3) * NV_Ith_S(y, 3)) / 2 + U;
}

int main(void) {
  SUNContext sunctx;
  SUNContext_Create(SUN_COMM_NULL, &sunctx);
  N_Vector y = N_VNew_Serial(4, sunctx);
  NV_Ith_S(y, 0) = 0.0;
  NV_Ith_S(y, 1) = 0.1;
  NV_Ith_S(y, 2) = 0.49;
  NV_Ith_S(y, 3) = 0.0;
  const double start = energy(y);
  double largest = 0;

  N_Vector mass = N_VNew_Serial(2, sunctx);
  N_VConst(1.0, mass);
  void* mem = GnomonCreate(sunctx);
  GnomonSetMassDiagonal(mem, mass);
  GnomonSetPotentialFn(mem, potential);
  GnomonSetGradientFn(mem, gradient);
  GnomonSetScheme(mem, "energy-momentum-general", NULL);
  GnomonSetStep(mem, 0.05);
  GnomonInit(mem, 0.0, y);

  for (double tout = 1; tout <= T_END; tout += 1) {
    sunrealtype t;
    if (GnomonEvolve(mem, tout, y, &t, GNOMON_NORMAL) < 0) return 1;
    largest = fmax(largest, fabs(energy(y) - start));
  }
  printf("largest energy error up to t = %g: %.1e\n", T_END, largest);
  GnomonPrintAllStats(mem, stdout, SUN_OUTPUTFORMAT_TABLE);

  N_VDestroy(mass);
  N_VDestroy(y);
  GnomonFree(&mem);
  SUNContext_Free(&sunctx);
  return 0;
}
