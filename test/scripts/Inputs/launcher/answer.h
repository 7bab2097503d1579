#pragma once
inline int answer() { return 1; }
