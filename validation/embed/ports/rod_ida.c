/* A bob on a rod, with IDA.
 *
 *     q' = v - G^T gamma,   v' = (0, -g) - G^T lambda,   0 = (q.q - 1)/2,   0 = G v,   G = q^T
 *
 * g makes the period 2: at t = 1000 the bob is where it was released, at (1, 0) and at rest. */
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#ifndef SUN_COMM_NULL /* before SUNDIALS 7 */
#define SUN_COMM_NULL NULL
#endif
#define GRAVITY 13.750371636040745654980191559621114395801712

static int residual(sunrealtype t, N_Vector y, N_Vector yp, N_Vector F, void* user_data) {
  const double *q = NV_DATA_S(y), *v = q + 2, lambda = q[4], gamma = q[5];
  const double* rate = NV_DATA_S(yp);
  double* f = NV_DATA_S(F);
  (void)t, (void)user_data;
  f[0] = rate[0] - v[0] + q[0] * gamma;
  f[1] = rate[1] - v[1] + q[1] * gamma;
  f[2] = rate[2] + q[0] * lambda;
  f[3] = rate[3] + q[1] * lambda + GRAVITY;
  f[4] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  f[5] = q[0] * v[0] + q[1] * v[1];
  return 0;
}

int main(void) {
  SUNContext sunctx;
  SUNContext_Create(SUN_COMM_NULL, &sunctx);
  N_Vector y = N_VNew_Serial(6, sunctx), yp = N_VClone(y), id = N_VClone(y);
  SUNMatrix A = SUNDenseMatrix(6, 6, sunctx);
  SUNLinearSolver LS = SUNLinSol_Dense(y, A, sunctx);
  const double* s = NV_DATA_S(y);
  sunrealtype t;
  long int steps;
  N_VConst(0, y);
  NV_Ith_S(y, 0) = 1;
  N_VConst(0, yp);
  NV_Ith_S(yp, 3) = -GRAVITY;
  N_VConst(1, id);
  NV_Ith_S(id, 4) = NV_Ith_S(id, 5) = 0; /* lambda and gamma are algebraic */

  void* mem = IDACreate(sunctx);
  IDAInit(mem, residual, 0, y, yp);
  IDASStolerances(mem, 1e-8, 1e-8);
  IDASetLinearSolver(mem, LS, A);
  IDASetId(mem, id);
  IDASetSuppressAlg(mem, SUNTRUE);
  IDASetMaxNumSteps(mem, -1);
  IDASetStopTime(mem, 1000);
  if (IDASolve(mem, 1000, &t, y, yp, IDA_NORMAL) < 0) return 1;

  IDAGetNumSteps(mem, &steps);
  printf("t = %g: energy error %.0e, q off by %.0e, %ld steps\n", t,
         fabs((s[2] * s[2] + s[3] * s[3]) / 2 + GRAVITY * s[1]), hypot(s[0] - 1, s[1]), steps);
  IDAFree(&mem);
  SUNLinSolFree(LS);
  SUNMatDestroy(A);
  N_VDestroy(id);
  N_VDestroy(yp);
  N_VDestroy(y);
  SUNContext_Free(&sunctx);
  return 0;
}
