/* The plane pendulum of SUNDIALS' example cvPendulum_dns in Cartesian coordinates, with CVODE.
 *
 *     x'' = -x T,   y'' = -y T - g,   T = vx^2 + vy^2 - g y,        0 = (x^2 + y^2 - 1)/2,   0 = x vx + y vy
 *
 * The constraint was differentiated twice by hand to get T, and a projection brings the state back. g makes the period
 * 2: at t = 2, 4, .. the bob is where it was released, at (1, 0) and at rest. */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#define GRAVITY 13.750371636040745654980191559621114395801712
#define T_END 1000.0
#ifndef SUN_COMM_NULL /* before SUNDIALS 7 */
#define SUN_COMM_NULL NULL
#endif

static int right_hand_side(sunrealtype t, N_Vector y, N_Vector f, void* user_data) {
  const double *s = NV_DATA_S(y), tension = s[2] * s[2] + s[3] * s[3] - GRAVITY * s[1];
  (void)t;
  (void)user_data;
  NV_Ith_S(f, 0) = s[2];
  NV_Ith_S(f, 1) = s[3];
  NV_Ith_S(f, 2) = -s[0] * tension;
  NV_Ith_S(f, 3) = -s[1] * tension - GRAVITY;
  return 0;
}

/* corr: from the state to the nearest one on the circle with a tangent velocity; err: its part along the constraints */
static int project(sunrealtype t, N_Vector y, N_Vector corr, sunrealtype epsilon, N_Vector err, void* user_data) {
  const double* s = NV_DATA_S(y);
  const double r = hypot(s[0], s[1]), x = s[0] / r, z = s[1] / r, normal = x * s[2] + z * s[3];
  double* c = NV_DATA_S(corr);
  int i;
  (void)t;
  (void)epsilon;
  (void)user_data;
  c[0] = x - s[0];
  c[1] = z - s[1];
  c[2] = -normal * x;
  c[3] = -normal * z;
  if (err) {
    double* e = NV_DATA_S(err);
    for (i = 0; i < 4; i += 2) {
      const double along = x * e[i] + z * e[i + 1];
      e[i] -= along * x;
      e[i + 1] -= along * z;
    }
  }
  return 0;
}

static int run(SUNContext sunctx, double rtol, int with_projection) {
  N_Vector y = N_VNew_Serial(4, sunctx);
  SUNMatrix A = SUNDenseMatrix(4, 4, sunctx);
  SUNLinearSolver LS = SUNLinSol_Dense(y, A, sunctx);
  void* mem = CVodeCreate(CV_BDF, sunctx);
  const double* s = NV_DATA_S(y);
  double energy = 0, position = 0, velocity = 0, tout;
  long int steps;
  N_VConst(0.0, y);
  NV_Ith_S(y, 0) = 1.0;
  CVodeInit(mem, right_hand_side, 0.0, y);
  CVodeSStolerances(mem, rtol, rtol);
  CVodeSetLinearSolver(mem, LS, A);
  if (with_projection) CVodeSetProjFn(mem, project);
  CVodeSetMaxNumSteps(mem, 1000000);
  for (tout = 1; tout <= T_END; tout += 1) {
    sunrealtype t;
    CVodeSetStopTime(mem, tout);
    if (CVode(mem, tout, y, &t, CV_NORMAL) < 0) return 1;
    energy = fmax(energy, fabs((s[2] * s[2] + s[3] * s[3]) / 2 + GRAVITY * s[1]));
    position = fmax(position, fabs(s[0] * s[0] + s[1] * s[1] - 1) / 2);
    velocity = fmax(velocity, fabs(s[0] * s[2] + s[1] * s[3]));
  }
  CVodeGetNumSteps(mem, &steps);
  printf("rtol %.0e  %-36s energy %.0e  g %.0e  Gv %.0e  q %.0e  %6ld steps\n", rtol,
         with_projection ? "BDF with projection" : "BDF", energy, position, velocity, hypot(s[0] - 1, s[1]), steps);
  CVodeFree(&mem);
  SUNLinSolFree(LS);
  SUNMatDestroy(A);
  N_VDestroy(y);
  return 0;
}

int main(void) {
  SUNContext sunctx;
  int failed;
  SUNContext_Create(SUN_COMM_NULL, &sunctx);
  failed = run(sunctx, 1e-6, 0) || run(sunctx, 1e-6, 1) || run(sunctx, 1e-8, 1);
  SUNContext_Free(&sunctx);
  return failed;
}
