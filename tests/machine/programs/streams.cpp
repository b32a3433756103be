// streams: iostream: numbers, manipulators, string streams, locale-free formatting, reading from standard input.
#include <iomanip>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>

int main() {
  std::cout << std::hex << std::showbase << 255 << ' ' << std::oct << 8 << std::dec << ' ' << std::setw(8)
            << std::setfill('*') << 42 << ' ' << std::scientific << 12345.678 << ' ' << std::fixed
            << std::setprecision(3) << 2.0 / 3 << ' ' << std::boolalpha << true << '\n';
  std::istringstream in{"12 0x1f 3.5e2 word -7"};
  int a = 0, b = 0;
  double c = 0;
  std::string d;
  long e = 0;
  in >> a >> std::hex >> b >> std::dec >> c >> d >> e;
  std::cout << a << ' ' << b << ' ' << c << ' ' << d << ' ' << e << '\n';
  std::ostringstream out;
  for (int k = 0; k < 1000; ++k) out << k * k << (k % 10 == 9 ? '\n' : ' ');
  std::string const text = out.str();
  std::cout << text.size() << ' ' << text.substr(text.size() - 30);
  std::string const rest{std::istreambuf_iterator<char>{std::cin}, {}};
  std::cout << "standard input: " << rest.size() << '\n';
  std::cerr << "to standard error\n";
}
