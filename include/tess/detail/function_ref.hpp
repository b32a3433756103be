// function_ref: refers to a callable for the duration of a call, like std::function_ref of C++26; owns nothing.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace tess::detail {

template <class Signature>
class function_ref;

template <class R, class... Args>
class function_ref<R(Args...)> {
 public:
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, function_ref>) && std::is_invocable_r_v<R, F&, Args...>
  function_ref(F&& f) noexcept {
    using target = std::remove_reference_t<F>;
    if constexpr (std::is_function_v<target>) {
      target_.function = reinterpret_cast<void (*)()>(&f);
      call_ = [](pointer p, Args... args) -> R {
        return reinterpret_cast<target*>(p.function)(std::forward<Args>(args)...);
      };
    } else {
      target_.object = std::addressof(f);
      call_ = [](pointer p, Args... args) -> R {
        return (*const_cast<target*>(static_cast<target const*>(p.object)))(std::forward<Args>(args)...);
      };
    }
  }

  R operator()(Args... args) const { return call_(target_, std::forward<Args>(args)...); }

 private:
  union pointer {
    void const* object;
    void (*function)();
  };
  pointer target_;
  R (*call_)(pointer, Args...);
};

}  // namespace tess::detail
