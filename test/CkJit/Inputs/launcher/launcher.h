// Launchers as headers of kernel libraries have had them: the choice is made
// once, in a constructor, and what it comes to is kept in members.
#pragma once
#include <cstdio>
#include <functional>
#include <memory>
#include <type_traits>

namespace lib {
struct stream {
  int level = 0;
};
struct args {
  int n = 0;
};
struct choice {
  int which = 0, batch = 0;
};
template <int N> struct step {};
struct arch_t {};

template <typename Step, typename Arch> float first(const stream &, args);
template <typename Step, typename Arch> float second(const stream &, args);
template <typename Step, typename Arch> float third(const stream &, args);
template <typename Step, typename Arch> bool needs_zero();
template <typename Step, typename Arch> int splits(int n);
template <typename Step, typename Arch> size_t workspace_size(int batch);
template <typename Step, typename Arch> void pack(void *to, int batch);

inline namespace v2 {
template <typename... Steps> float launch(const stream &s, Steps... steps) {
  float r = 0; // their order matters
  return ((r = 2 * r + steps(s)), ...);
}

/// The steps: a template of a header, as the launchers are.
template <typename T0, typename T1, typename T2, typename Arch>
float run_steps(const stream &s, args a) {
  if constexpr (!std::is_same_v<T2, void>)
    return launch(s, [=](const stream &s_) { return first<T0, Arch>(s_, a); },
                  [&](const stream &s_) { return second<T1, Arch>(s_, a); },
                  [=](const stream &s_) { return third<T2, Arch>(s_, a); });
  else
    return launch(s, [=](const stream &s_) { return first<T0, Arch>(s_, a); },
                  [s, a](const stream &) { return second<T1, Arch>(s, a); });
}
} // namespace v2

/// All in the constructor, which the dispatcher writes.
struct open_launcher {
  std::function<float(args, const stream &)> run;
  int dq_splits = 0;
  bool zero = false;
  explicit open_launcher(const choice &);
};

/// init<>, with private members and captures of several kinds.
class packing_launcher {
public:
  std::function<float(args, const stream &)> run;
  std::function<void(char *)> prepare;
  size_t size = 0;
  explicit packing_launcher(const choice &t);

private:
  size_t host_size = 0;
  bool zero = true;
  std::unique_ptr<char[]> host;
  choice kept;
  std::function<void(void *)> pack_host;

  template <typename T0, typename T1, typename T2, typename Arch>
  void init(const choice &traits) {
    kept = traits;
    run = [](args a, const stream &s) {
      return run_steps<T0, T1, T2, Arch>(s, a);
    };
    host_size = workspace_size<T1, Arch>(traits.batch);
    if (host_size > 0) {
      host = std::make_unique<char[]>(host_size);
      pack_host = [batch = traits.batch](void *to) {
        pack<T1, Arch>(to, batch);
      };
      pack_host(host.get());
    }
    zero = needs_zero<T1, Arch>();
    prepare = [this](char *to) { *to = zero ? '0' : host ? host[0] : '-'; };
    size = host_size;
  }
};

/// The pattern does not fit: the type is asked for more than functions.
class sized_launcher {
public:
  std::function<float(args, const stream &)> run;
  int size = 0;
  explicit sized_launcher(const choice &t);

private:
  template <typename T0, typename T1, typename T2, typename Arch>
  void init(const choice &) {
    size = sizeof(T1);
    run = [](args a, const stream &s) { return second<T1, Arch>(s, a); };
  }
};

/// Nor here: a pointer to a function holds no slot.
class pointing_launcher {
public:
  float (*run)(args, const stream &) = nullptr;
  explicit pointing_launcher(const choice &t);

private:
  template <typename T> void init(const choice &) {
    run = [](args a, const stream &s) { return first<T, arch_t>(s, a); };
  }
};
} // namespace lib
