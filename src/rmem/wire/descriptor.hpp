// descriptor: an owned file descriptor.
#pragma once

#include <unistd.h>

namespace tess::rmem {

class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int number) : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(other.release()) {}
  descriptor& operator=(descriptor&& other) noexcept {
    if (this != &other) {
      if (number_ >= 0) close(number_);
      number_ = other.release();
    }
    return *this;
  }
  ~descriptor() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int release() noexcept {
    int const number = number_;
    number_ = -1;
    return number;
  }

 private:
  int number_ = -1;
};

}  // namespace tess::rmem
