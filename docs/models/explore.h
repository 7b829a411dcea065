// Small explicit-state explorer: breadth-first, exact states, shortest counterexample.
//
// A model is a state S without padding (bytes only), a function that adds its successors, and a check of every
// state. A run prints one line that says "holds" or "BROKEN" and exits 0 or 1; run-all.sh knows which is wanted.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

typedef uint8_t u8;

static const char* MUTATIONS = "";  // comma-separated: what this run does wrong on purpose

static unsigned asked = 0;          // which of them, by position, the model ever asked for

static bool mut(const char* name) {
  size_t n = strlen(name);
  int i = 0;
  for (const char* p = MUTATIONS; *p; i++) {
    const char* end = strchr(p, ',');
    size_t len = end ? end - p : strlen(p);
    if (len == n && !strncmp(p, name, n)) {
      asked |= 1u << i;
      return true;
    }
    p += len + (end ? 1 : 0);
  }
  return false;
}

// The exit code: 0 holds, 1 broken, 3 if a mutation is none of this model's, so that a slip of the pen is no verdict.
static int verdict(bool held) {
  int i = 0;
  for (const char* p = MUTATIONS; *p; i++) {
    const char* end = strchr(p, ',');
    if (!(asked >> i & 1)) {
      fprintf(stderr, "the model never asked for mutation %d of %s\n", i + 1, MUTATIONS);
      return 3;
    }
    p = end ? end + 1 : p + strlen(p);
  }
  return held ? 0 : 1;
}

[[maybe_unused]] static int usage(const char* program, const char* options) {
  fprintf(stderr, "usage: %s %s\n", program, options);
  return 2;
}

template <class S>
struct Explorer {
  std::vector<S> st;
  std::vector<uint32_t> par;
  std::vector<uint16_t> act;
  struct Slot {
    uint32_t at = 0xffffffffu;  // index into st
    uint32_t tag;               // upper half of the state's hash: spares most looks at states that are others
  };
  std::vector<Slot> tab;  // open hashing
  size_t mask = 0;
  size_t limit = 40000000;
  bool truncated = false;
  std::function<void(const S&, Explorer&)> succ;
  std::function<const char*(const S&)> check;  // null = fine, else what broke
  std::function<std::string(uint16_t)> name;
  std::function<bool(const S&)> final;         // if set: a state without successors that is not final is a deadlock
  uint32_t cur = 0;
  const char* bad = nullptr;
  uint32_t badAt = 0;
  bool any = false;

  static uint64_t hash(const S& s) {
    const u8* p = (const u8*)&s;
    uint64_t x = 0x9E3779B97F4A7C15ull;
    size_t n = sizeof(S), i = 0;
    for (; i + 8 <= n; i += 8) {
      uint64_t w;
      memcpy(&w, p + i, 8);
      x = (x ^ w) * 0xff51afd7ed558ccdull;
      x ^= x >> 32;
    }
    for (; i < n; i++) {
      x = (x ^ p[i]) * 0xff51afd7ed558ccdull;
      x ^= x >> 29;
    }
    return x ^ (x >> 31);
  }
  void grow() {
    size_t n = tab.empty() ? 1 << 12 : tab.size() * 2;
    tab.assign(n, Slot());
    mask = n - 1;
    for (uint32_t i = 0; i < st.size(); i++) {
      uint64_t h = hash(st[i]);
      size_t k = h & mask;
      while (tab[k].at != 0xffffffffu) k = (k + 1) & mask;
      tab[k] = {i, uint32_t(h >> 32)};
    }
  }
  void add(const S& s, uint16_t a) {
    any = true;
    if (bad) return;
    if (st.size() * 2 >= tab.size()) grow();
    uint64_t h = hash(s);
    uint32_t tag = h >> 32;
    size_t k = h & mask;
    while (tab[k].at != 0xffffffffu) {
      if (tab[k].tag == tag && !memcmp(&st[tab[k].at], &s, sizeof(S))) return;
      k = (k + 1) & mask;
    }
    if (st.size() >= limit) {
      truncated = true;
      return;
    }
    tab[k] = {uint32_t(st.size()), tag};
    st.push_back(s);
    par.push_back(cur);
    act.push_back(a);
    if (const char* b = check(s)) {
      bad = b;
      badAt = st.size() - 1;
    }
  }
  bool run(const S& s0) {
    cur = 0;
    add(s0, 0xffff);
    for (uint32_t i = 0; i < st.size() && !bad; i++) {
      cur = i;
      any = false;
      S s = st[i];
      succ(s, *this);
      if (!any && final && !final(s)) {
        bad = "deadlock: nobody can go on";
        badAt = i;
      }
    }
    return !bad;
  }
  void trace(std::function<std::string(const S&)> show = nullptr) {
    std::vector<uint32_t> path;
    for (uint32_t i = badAt; i; i = par[i]) path.push_back(i);
    for (size_t k = path.size(); k--;)
      printf("    %2zu. %s%s\n", path.size() - k, name(act[path[k]]).c_str(), show ? show(st[path[k]]).c_str() : "");
    printf("    => %s\n", bad);
  }
};

// Counts over the programs of one run, and says the verdict.
struct Result {
  const char *model, *variant;
  size_t total = 0, largest = 0;
  int programs = 0, truncated = 0, at = 0;
  Result(const char* model, const char* variant) : model(model), variant(variant) {}
  template <class S> bool add(const Explorer<S>& e, bool ok, int program) {
    programs++;
    total += e.st.size();
    largest = std::max(largest, e.st.size());
    truncated += e.truncated;
    at = program;
    return ok;
  }
  std::string title() const {
    std::string r = model;
    if (*variant) r += std::string(" (") + variant + ")";
    r += *MUTATIONS ? std::string(" ") + MUTATIONS : " protocol";
    return r;
  }
  int broken(const char* why) const {
    printf("%-44s BROKEN after %zu states (program %d): %s\n", title().c_str(), total, at, why);
    return verdict(false);
  }
  int holds() const {
    printf("%-44s holds: %d programs, %zu states, largest %zu", title().c_str(), programs, total, largest);
    if (truncated) printf(", %d truncated", truncated);
    printf("\n");
    return verdict(true);
  }
};
