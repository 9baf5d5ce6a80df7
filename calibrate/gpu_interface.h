// SPDX-License-Identifier: Apache-2.0
#pragma once
/* What simcal asks of libsimcal_cuda: a few C functions, so that simcal itself needs no CUDA and starts on any machine.
 */

#ifdef __cplusplus
extern "C" {
#endif

enum { ty_gpu_interface_version = 1, ty_gpu_most_samples = 64 };

typedef struct {
  double least_seconds;
  double most_seconds;
  int least;
  int most;
  double noise;
} TyGpuRule;

typedef struct {
  char error[768]; /* empty = good; else file:line and the library's words */
  char state[64];  /* empty, "not converged", "throttled" */
  int count;
  double seconds[ty_gpu_most_samples];
} TyGpuAnswer;

int ty_gpu_version(void);
/* Number of devices; -1 and one line why there is none. */
int ty_gpu_devices(char* why, int size);
/* "key=value" lines: name, memory, driver, runtime, clocks, and the data sheet's roofs as far as the driver knows them.
 */
void ty_gpu_describe(int device, char* text, int size);
/* Why a measurement cannot be done although there is a device; empty = it can. */
void ty_gpu_missing(const char* measurement, int device, char* why, int size);
/* "curve size unit" lines. */
void ty_gpu_cases(const char* measurement, int device, int quick, char* text, int size);
void ty_gpu_measure(const char* measurement, const char* curve, double size, int device, const TyGpuRule* rule,
                    TyGpuAnswer* answer);
/* Collectives across processes: this is rank of ranks; rank 0 writes its identity into the file, the others wait for
 * it. */
void ty_gpu_rendezvous(int rank, int ranks, const char* file, double seconds, char* error, int size);

#ifdef __cplusplus
}
#endif
