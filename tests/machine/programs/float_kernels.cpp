// float_kernels: n-body, matrix multiplication, an FFT and a root finder, in float and double; all digits printed.
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

namespace {

template <class T>
T matrix_trace(int n) {
  std::vector<T> a(static_cast<std::size_t>(n * n)), b(a.size()), c(a.size());
  for (int k = 0; k < n * n; ++k) {
    a[static_cast<std::size_t>(k)] = T(1) / T(k + 1);
    b[static_cast<std::size_t>(k)] = std::sqrt(T(k));
  }
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        c[static_cast<std::size_t>(i * n + j)] +=
            a[static_cast<std::size_t>(i * n + k)] * b[static_cast<std::size_t>(k * n + j)];
  T trace = 0;
  for (int i = 0; i < n; ++i) trace += c[static_cast<std::size_t>(i * n + i)];
  return trace;
}

template <class T>
T fft_energy(std::size_t n) {
  std::vector<std::complex<T>> x(n);
  for (std::size_t k = 0; k < n; ++k) x[k] = {std::sin(T(k) / 3), std::cos(T(k) / 5)};
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n / 2;
    for (; (j & bit) != 0; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t length = 2; length <= n; length *= 2) {
    std::complex<T> const step = std::polar(T(1), T(-2 * 3.14159265358979323846) / T(length));
    for (std::size_t i = 0; i < n; i += length) {
      std::complex<T> w = 1;
      for (std::size_t k = i; k < i + length / 2; ++k, w *= step) {
        auto const odd = x[k + length / 2] * w;
        x[k + length / 2] = x[k] - odd;
        x[k] += odd;
      }
    }
  }
  T energy = 0;
  for (auto const& v : x) energy += std::norm(v);
  return energy;
}

double n_body(int steps) {
  double x[3] = {0, 1, 2.5}, v[3] = {0.1, -0.2, 0.05}, m[3] = {3, 1, 0.1};
  for (int s = 0; s < steps; ++s) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double const d = x[j] - x[i];
        if (i != j) v[i] += 1e-3 * m[j] * d / (std::fabs(d * d * d) + 0.01);
      }
    for (int i = 0; i < 3; ++i) x[i] += 1e-3 * v[i];
  }
  return x[0] + x[1] * x[2];
}

}  // namespace

int main() {
  std::printf("%.9g %.17g\n", static_cast<double>(matrix_trace<float>(40)), matrix_trace<double>(60));
  std::printf("%.9g %.17g\n", static_cast<double>(fft_energy<float>(1024)), fft_energy<double>(2048));
  std::printf("%.17g\n", n_body(20'000));
  double root = 1;
  for (int k = 0; k < 60; ++k) root -= (std::exp(root) - 3 * root * root) / (std::exp(root) - 6 * root);
  std::printf("%.17g %a %.17g %.17g\n", root, std::tgamma(4.5), std::erf(0.3), std::fma(1e16, 1e16, -1e32));
}
