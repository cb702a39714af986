#include <cstddef>

// OpenBLAS's multiplication as three loops, for programs under sanitizers: it is measured by nobody, and every read of it is watched.
extern "C" void cblas_sgemm(
    int, int, int, int m, int n, int k, float, const float *a, int lda, const float *b, int ldb, float, float *c, int ldc) {
    for (size_t row = 0; row < size_t(m); row++)
        for (size_t column = 0; column < size_t(n); column++) {
            float sum = 0;
            for (size_t i = 0; i < size_t(k); i++) sum += a[row * size_t(lda) + i] * b[i * size_t(ldb) + column];
            c[row * size_t(ldc) + column] = sum;
        }
}
