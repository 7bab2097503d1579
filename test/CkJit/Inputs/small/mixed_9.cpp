struct Large {
  double Values[5];
};
template <int Variant>
Large mixed(int A, float B, const char *C, double D, long E, Large F, int G,
            int H, int I, float J);
template <>
Large mixed<9>(int A, float B, const char *C, double D, long E, Large F, int G,
               int H, int I, float J) {
  return {
      {A + B + C[0], D + E, F.Values[0] + F.Values[4], double(G + H + I), J}};
}
