// Exhaustive, order-theoretic check of PARTITION: every history of N committed transactions in LSN order
// (lane, read set, write set, value of the stable LSN it filtered against) and every durable prefix per
// partition. No interleaving: that is dlog.cpp's job.
#include "explore.h"
#ifndef NT
#define NT 4
#endif
enum { P = 3, W = 2 };
static int lane[NT], rd[NT], wr[NT], sg[NT], rv[NT][W], ov[NT][W], dep[NT];
static long hist, cuts;
static bool filter = true, lsnReplay = false;
static const char* bad;
static int badd[P], badS;
static bool badRec[NT];
static void judge() {
  int cnt[P] = {}, ord[P][NT];
  for (int i = 0; i < NT; i++) ord[lane[i]][cnt[lane[i]]++] = i;
  int d[P];
  int floor = 0;
  for (int i = 0; i < NT; i++)
    if (sg[i] > floor) floor = sg[i];
  for (d[0] = 0; d[0] <= cnt[0]; d[0]++)
    for (d[1] = 0; d[1] <= cnt[1]; d[1]++)
      for (d[2] = 0; d[2] <= cnt[2]; d[2]++) {
        bool dur[NT] = {}, rec[NT] = {};
        for (int p = 0; p < P; p++)
          for (int k = 0; k < d[p]; k++) dur[ord[p][k]] = true;
        int S = 0;
        while (S < NT && dur[S]) S++;  // LSN of transaction i is i+1
        if (S < floor) continue;
        cuts++;
        for (int i = 0; i < S; i++) rec[i] = true;
        for (int p = 0; p < P; p++) {
          bool stop = false;
          for (int k = 0; k < d[p]; k++) {
            int i = ord[p][k];
            if (i < S) continue;
            if (dep[i] > S) stop = true;
            if (!stop || (mut("noStop") && dep[i] <= S)) rec[i] = true;
          }
        }
        const char* b = nullptr;
        for (int i = 0; i < NT; i++) {
          if (dur[i] && dep[i] <= S && !rec[i]) b = "acknowledgeable PARTITION transaction is not recovered";
          if (rec[i])
            for (int w = 0; w < W; w++)
              if (rd[i] >> w & 1) {
                int last = 0;
                for (int j = 0; j < i; j++)
                  if (rec[j] && (wr[j] >> w & 1)) last = j + 1;
                if (last != rv[i][w]) b = "a survivor read a version that is lost";
              }
          if (mut("strictOverwrite") && rec[i])
            for (int w = 0; w < W; w++)
              if ((wr[i] >> w & 1) && ov[i][w] && !rec[ov[i][w] - 1])
                b = "a survivor overwrote a version that is lost";
        }
        if (!b && !lsnReplay) {
          int pm[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
          for (auto& q : pm)
            for (int w = 0; w < W; w++) {
              int a = 0, z = 0;
              for (int i = 0; i < NT; i++)
                if (rec[i] && (wr[i] >> w & 1)) {
                  a = i + 1;
                  if (i < S) z = i + 1;
                }
              for (int p : q)
                for (int k = 0; k < d[p]; k++) {
                  int i = ord[p][k];
                  if (i >= S && rec[i] && (wr[i] >> w & 1)) z = i + 1;
                }
              if (a != z) b = "partition-order replay of survivors breaks write-write order";
            }
        }
        if (b) {
          bad = b;
          memcpy(badd, d, sizeof d);
          badS = S;
          memcpy(badRec, rec, sizeof rec);
          return;
        }
      }
}
static void gen(int i, int maxLane) {
  if (bad) return;
  if (i == NT) {
    hist++;
    judge();
    return;
  }
  for (int l = 0; l <= (maxLane < P - 1 ? maxLane + 1 : P - 1); l++)
    for (int r = 0; r < 1 << W; r++)
      for (int w = 1; w < 1 << W; w++)
        for (int g = i ? sg[i - 1] : 0; g <= (filter ? i : 0); g++) {
          lane[i] = l;
          rd[i] = r;
          wr[i] = w;
          sg[i] = g;
          int dp = 0;
          for (int x = 0; x < W; x++) {
            rv[i][x] = ov[i][x] = 0;
            for (int j = 0; j < i; j++)
              if (wr[j] >> x & 1) {
                if (r >> x & 1) rv[i][x] = j + 1;
                if (w >> x & 1) ov[i][x] = j + 1;
              }
            for (int q = 0; q < 2; q++) {
              int v = q ? (mut("noOverwriteDep") ? 0 : ov[i][x]) : rv[i][x];
              if (v > g && lane[v - 1] != l && v > dp) dp = v;
            }
          }
          if (!mut("noTaint"))
            for (int j = 0; j < i; j++)
              if (lane[j] == l && dep[j] > dp) dp = dep[j];
          dep[i] = dp;
          gen(i + 1, l > maxLane ? l : maxLane);
          if (bad) return;
        }
}
int main(int c, char** v) {
  bool trace = false;
  for (int i = 1; i < c; i++) {
    std::string a = v[i];
    if (a == "-m")
      MUTATIONS = v[++i];
    else if (a == "-nofilter")
      filter = false;
    else if (a == "-lsnReplay")
      lsnReplay = true;
    else if (a == "-t")
      trace = true;
    else
      return usage(v[0], "[-m MUTATION,...] [-nofilter] [-lsnReplay] [-t]");
  }
  gen(0, -1);
  printf("cuts N=%d%s%s%s%s %s: %ld histories, %ld cuts%s%s\n", NT, *MUTATIONS ? " " : "", MUTATIONS,
         filter ? "" : " (no stable filter)", lsnReplay ? " (LSN-ordered replay)" : "", bad ? "BROKEN" : "holds", hist,
         cuts, bad ? ": " : "", bad ? bad : "");
  if (bad && trace) {
    for (int i = 0; i < NT; i++)
      printf("    LSN %d lane %d reads %d writes %d filtered at stable=%d dep=%d %s\n", i + 1, lane[i], rd[i],
             wr[i], sg[i], dep[i], badRec[i] ? "recovered" : "not recovered");
    printf("    durable prefix lengths %d,%d,%d  S=%d\n", badd[0], badd[1], badd[2], badS);
  }
  return verdict(!bad);
}
