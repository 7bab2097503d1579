// What the blob c has: a kernel, and functions that return one number each.
struct args {
  int n;
};
constexpr int block_size = 64;
template <int N> int run(int);
template <int N> int block();
template <int N> short align(const args &);
template <int N> float scale();
template <int N> double factor(const args &);
template <int N> double limit();
template <int N> float none();
struct kind {
  int V;
  int block() const;
  int many() const;
};
int late();
