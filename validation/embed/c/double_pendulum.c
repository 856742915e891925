/* -----------------------------------------------------------------
 * Example problem:
 *
 * The double spherical pendulum: two masses m1, m2 on massless rods
 * of lengths l1, l2, in Cartesian coordinates,
 *
 *    q = (x1, y1, z1, x2, y2, z2),   U = G (m1 z1 + m2 z2),
 *    g1 = (|q1|^2 - l1^2) / 2 = 0,   g2 = (|q2 - q1|^2 - l2^2) / 2 = 0.
 *
 * From t = 0 to t = 10 with steps of 1e-3 and the energy-momentum
 * scheme, which keeps energy, constraints and the angular momentum
 * about the vertical to rounding. The derivatives that are not given
 * here come from differences, exact ones since the degrees of U and
 * g are declared. Output at t = 1, 2, ..., 10: time, position of the
 * second mass, error of the energy; and every time at which the
 * second mass passes through the plane y = 0, by root
 * finding. At t = 5 a checkpoint is written; a second integrator
 * goes on from it and must end in the same state, bit by bit.
 * -----------------------------------------------------------------*/

#include <gnomon/gnomon.h> /* prototypes for Gnomon functions and constants */
#include <math.h>
#include <nvector/nvector_serial.h> /* access to serial N_Vector            */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h> /* access to dense SUNMatrix         */

/* User-defined vector and matrix accessor macros: Ith, IJth */

#define Ith(v, i) NV_Ith_S(v, i)
#define IJth(A, i, j) SM_ELEMENT_D(A, i, j)

/* Problem constants */

#define NQ 6        /* number of coordinates              */
#define NG 2        /* number of constraints              */
#define T0 0.0      /* initial time                       */
#define T1 1.0      /* first output time                  */
#define TADD 1.0    /* output time increment              */
#define NOUT 10     /* number of output times             */
#define H 1.0e-3    /* step                               */
#define TOL 1.0e-11 /* what the energy may be in error by */

#ifndef SUN_COMM_NULL /* before SUNDIALS 7 */
#define SUN_COMM_NULL NULL
#endif

typedef struct {
  double mass[2], length[2], gravity;
} UserData;

/* Functions called by the integrator */

static int potential(sunrealtype t, N_Vector q, sunrealtype* U, void* user_data);
static int gradient(sunrealtype t, N_Vector q, N_Vector grad, void* user_data);
static int constraints(sunrealtype t, N_Vector q, N_Vector g, void* user_data);
static int jacobian(sunrealtype t, N_Vector q, SUNMatrix G, void* user_data);
static int plane(sunrealtype t, N_Vector y, sunrealtype* gout, void* user_data);

/* Private functions */

static void* create(UserData* data, N_Vector mass, N_Vector y, SUNContext sunctx);
static int check_retval(void* mem, int retval, const char* funcname);

/*
 *-------------------------------
 * Main Program
 *-------------------------------
 */

int main(int argc, char* argv[]) {
  UserData data = {{2.0, 3.5}, {4.0, 3.0}, 9.81};
  const char* checkpoint = argc > 1 ? argv[1] : "double_pendulum.gcp";
  SUNContext sunctx = NULL;
  N_Vector mass, y, y_second, lambda;
  void *mem, *second;
  sunrealtype t, t_second, last, largest, position, velocity;
  double vertical;
  int retval, iout, i, failed = 0;

  if (SUNContext_Create(SUN_COMM_NULL, &sunctx)) return 1;

  /* Masses and start: the upper rod is level, the lower one hangs, and the masses move sideways */

  mass = N_VNew_Serial(NQ, sunctx);
  y = N_VNew_Serial(2 * NQ, sunctx);
  y_second = N_VNew_Serial(2 * NQ, sunctx);
  lambda = N_VNew_Serial(NG, sunctx);
  if (!mass || !y || !y_second || !lambda) return 1;
  for (i = 0; i < NQ; i++) Ith(mass, i) = data.mass[i / 3];
  N_VConst(0.0, y);
  Ith(y, 0) = Ith(y, 3) = data.length[0];
  Ith(y, 5) = -data.length[1];
  Ith(y, NQ + 1) = 1.2 * data.mass[0];
  Ith(y, NQ + 4) = -2.0 * data.mass[1];

  /* Two integrators: the second one is for the restart */

  mem = create(&data, mass, y, sunctx);
  second = create(&data, mass, y, sunctx);
  if (!mem || !second) return 1;
  retval = GnomonRootInit(mem, 1, plane);
  if (check_retval(mem, retval, "GnomonRootInit")) return 1;

  /* In loop, call GnomonEvolve, print results, and test for error. Break out of loop when NOUT output times have been
     reached. */

  printf("\nDouble spherical pendulum\n\n");
  iout = 0;
  t = T0;
  while (iout < NOUT) {
    retval = GnomonEvolve(mem, T1 + iout * TADD, y, &t, GNOMON_NORMAL);
    if (check_retval(mem, retval, "GnomonEvolve")) return 1;
    if (retval == GNOMON_ROOT_RETURN) {
      printf("    passes the plane y = 0 at t = %.12f, y2 = %.1e\n", t, Ith(y, 4));
      continue;
    }
    retval = GnomonGetEnergyError(mem, &last, &largest);
    if (check_retval(mem, retval, "GnomonGetEnergyError")) return 1;
    printf("t = %5.2f   q2 = %9.6f %9.6f %9.6f   energy error = %8.1e\n", t, Ith(y, 3), Ith(y, 4), Ith(y, 5), last);
    iout++;
    if (iout == NOUT / 2) {
      retval = GnomonSaveCheckpoint(mem, checkpoint);
      if (check_retval(mem, retval, "GnomonSaveCheckpoint")) return 1;
    }
  }

  /* Once more from the checkpoint */

  retval = GnomonLoadCheckpoint(second, checkpoint);
  if (check_retval(second, retval, "GnomonLoadCheckpoint")) return 1;
  for (iout = NOUT / 2; iout < NOUT; iout++) {
    retval = GnomonEvolve(second, T1 + iout * TADD, y_second, &t_second, GNOMON_NORMAL);
    if (check_retval(second, retval, "GnomonEvolve")) return 1;
  }
  failed += memcmp(N_VGetArrayPointer(y), N_VGetArrayPointer(y_second), 2 * NQ * sizeof(double)) != 0;
  printf("\nRestarted from t = %g: %s\n", T1 + (NOUT / 2 - 1) * TADD, failed ? "ANOTHER STATE" : "the same state");
  remove(checkpoint);

  /* Print multipliers and final statistics */

  retval = GnomonGetMultipliers(mem, lambda);
  if (check_retval(mem, retval, "GnomonGetMultipliers")) return 1;
  printf("Multipliers: %.10f %.10f\n", Ith(lambda, 0), Ith(lambda, 1));
  printf("\nFinal Statistics:\n");
  retval = GnomonPrintAllStats(mem, stdout, SUN_OUTPUTFORMAT_TABLE);
  if (check_retval(mem, retval, "GnomonPrintAllStats")) return 1;

  /* Check the invariants */

  retval = GnomonGetConstraintNorms(mem, &position, &velocity);
  if (check_retval(mem, retval, "GnomonGetConstraintNorms")) return 1;
  retval = GnomonGetEnergyError(mem, &last, &largest);
  if (check_retval(mem, retval, "GnomonGetEnergyError")) return 1;
  vertical = -data.length[0] * 2.0 * data.mass[1] + data.length[0] * 1.2 * data.mass[0];
  for (i = 0; i < NQ; i += 3) vertical -= Ith(y, i) * Ith(y, NQ + i + 1) - Ith(y, i + 1) * Ith(y, NQ + i);
  failed += !(largest < TOL) + !(position < TOL) + !(fabs(vertical) < TOL);
  printf("\n%s\n", failed ? "FAILURE" : "SUCCESS");

  /* Free memory */

  N_VDestroy(mass);
  N_VDestroy(y);
  N_VDestroy(y_second);
  N_VDestroy(lambda);
  GnomonFree(&mem);
  GnomonFree(&second);
  SUNContext_Free(&sunctx);
  return failed ? 1 : 0;
}

/*
 *-------------------------------
 * Functions called by the integrator
 *-------------------------------
 */

/*
 * U = G (m1 z1 + m2 z2)
 */

static int potential(sunrealtype t, N_Vector q, sunrealtype* U, void* user_data) {
  const UserData* data = user_data;
  (void)t;
  *U = data->gravity * (data->mass[0] * Ith(q, 2) + data->mass[1] * Ith(q, 5));
  return 0;
}

/*
 * grad U
 */

static int gradient(sunrealtype t, N_Vector q, N_Vector grad, void* user_data) {
  const UserData* data = user_data;
  (void)t;
  (void)q;
  N_VConst(0.0, grad);
  Ith(grad, 2) = data->gravity * data->mass[0];
  Ith(grad, 5) = data->gravity * data->mass[1];
  return 0;
}

/*
 * g1, g2
 */

static int constraints(sunrealtype t, N_Vector q, N_Vector g, void* user_data) {
  const UserData* data = user_data;
  int i;
  (void)t;
  Ith(g, 0) = -0.5 * data->length[0] * data->length[0];
  Ith(g, 1) = -0.5 * data->length[1] * data->length[1];
  for (i = 0; i < 3; i++) {
    const double d = Ith(q, 3 + i) - Ith(q, i);
    Ith(g, 0) += 0.5 * Ith(q, i) * Ith(q, i);
    Ith(g, 1) += 0.5 * d * d;
  }
  return 0;
}

/*
 * G = dg/dq; G is zero on entry
 */

static int jacobian(sunrealtype t, N_Vector q, SUNMatrix G, void* user_data) {
  int i;
  (void)t;
  (void)user_data;
  for (i = 0; i < 3; i++) {
    const double d = Ith(q, 3 + i) - Ith(q, i);
    IJth(G, 0, i) = Ith(q, i);
    IJth(G, 1, i) = -d;
    IJth(G, 1, 3 + i) = d;
  }
  return 0;
}

/*
 * y2, whose zeros are looked for
 */

static int plane(sunrealtype t, N_Vector y, sunrealtype* gout, void* user_data) {
  (void)t;
  (void)user_data;
  gout[0] = Ith(y, 4);
  return 0;
}

/*
 *-------------------------------
 * Private helper functions
 *-------------------------------
 */

/* Create an integrator for the problem, NULL where that fails. */

static void* create(UserData* data, N_Vector mass, N_Vector y, SUNContext sunctx) {
  void* mem = GnomonCreate(sunctx);
  int retval;
  if (!mem) return NULL;

  /* The problem */

  retval = GnomonSetUserData(mem, data);
  if (check_retval(mem, retval, "GnomonSetUserData")) return NULL;
  retval = GnomonSetMassDiagonal(mem, mass);
  if (check_retval(mem, retval, "GnomonSetMassDiagonal")) return NULL;
  retval = GnomonSetPotentialFn(mem, potential);
  if (check_retval(mem, retval, "GnomonSetPotentialFn")) return NULL;
  retval = GnomonSetGradientFn(mem, gradient);
  if (check_retval(mem, retval, "GnomonSetGradientFn")) return NULL;
  retval = GnomonSetConstraintFn(mem, NG, constraints);
  if (check_retval(mem, retval, "GnomonSetConstraintFn")) return NULL;
  retval = GnomonSetConstraintJacFn(mem, jacobian, NULL);
  if (check_retval(mem, retval, "GnomonSetConstraintJacFn")) return NULL;
  retval = GnomonSetDegrees(mem, 1, 2);
  if (check_retval(mem, retval, "GnomonSetDegrees")) return NULL;

  /* The method, and the start */

  retval = GnomonSetScheme(mem, "energy-momentum", NULL);
  if (check_retval(mem, retval, "GnomonSetScheme")) return NULL;
  retval = GnomonSetStep(mem, H);
  if (check_retval(mem, retval, "GnomonSetStep")) return NULL;
  retval = GnomonInit(mem, T0, y);
  if (check_retval(mem, retval, "GnomonInit")) return NULL;
  return mem;
}

/* Check function return value: print the last message, which is one sentence, for a negative flag. */

static int check_retval(void* mem, int retval, const char* funcname) {
  if (retval >= 0) return 0;
  fprintf(stderr, "\nGNOMON_ERROR: %s() failed with %s: %s\n\n", funcname, GnomonGetReturnFlagName(retval),
          GnomonGetLastMessage(mem));
  return 1;
}
