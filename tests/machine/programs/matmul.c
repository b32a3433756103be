// matmul: C: matrices of int, float and double, by pointers.
#include <stdio.h>

enum { n = 72 };
static int ai[n][n], bi[n][n];
static float af[n][n], bf[n][n];
static double ad[n][n], bd[n][n];

int main(void) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      ai[i][j] = i * j - 3;
      bi[i][j] = i ^ j;
      af[i][j] = (float)i / (float)(j + 1);
      bf[i][j] = (float)(i - j);
      ad[i][j] = 1.0 / (i + j + 1);
      bd[i][j] = i * 0.5 - j;
    }
  unsigned si = 0;
  float sf = 0;
  double sd = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      unsigned ti = 0;
      float tf = 0;
      double td = 0;
      for (int k = 0; k < n; ++k) {
        ti += (unsigned)ai[i][k] * (unsigned)bi[k][j];
        tf += af[i][k] * bf[k][j];
        td += ad[i][k] * bd[k][j];
      }
      si = si * 31 + ti;
      sf += tf;
      sd -= td * td;
    }
  printf("%u %a %a\n", si, (double)sf, sd);
  return 0;
}
