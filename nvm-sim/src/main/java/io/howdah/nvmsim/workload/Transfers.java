package io.howdah.nvmsim.workload;

import io.howdah.nvmsim.schedule.SplitMix;

/**
 * Transfers in the manner of TPC-B: an account, its teller and its branch change by an amount, and
 * a ring of history records gets one more. Accounts are 64 bytes, all others too.
 */
final class Transfers implements TransactionalWorkload {
  private static final int RECORD_BYTES = 64;
  private static final int TELLERS_PER_BRANCH = 10;
  private static final int BRANCHES = 8;
  private static final int HISTORY = 1024;

  private final TracedHeap heap;
  private final int accounts;
  private final long accountBase;
  private final long tellerBase;
  private final long branchBase;
  private final long historyBase;
  private final long historyCount;

  Transfers(TracedHeap heap, int footprint) {
    this.heap = heap;
    historyCount = heap.reserve(RECORD_BYTES, 64);
    branchBase = heap.reserve((long) BRANCHES * RECORD_BYTES, 64);
    tellerBase = heap.reserve((long) BRANCHES * TELLERS_PER_BRANCH * RECORD_BYTES, 64);
    historyBase = heap.reserve((long) HISTORY * RECORD_BYTES, 64);
    accounts = footprint / RECORD_BYTES - HISTORY;
    accountBase = heap.reserve((long) accounts * RECORD_BYTES, 64);
  }

  @Override
  public void populate(SplitMix random) {}

  @Override
  public void operate(SplitMix random) {
    heap.work(20);
    int account = random.below(accounts);
    int teller = random.below(BRANCHES * TELLERS_PER_BRANCH);
    long amount = random.below(2000) - 1000L;
    add(accountBase + (long) account * RECORD_BYTES, amount);
    add(tellerBase + (long) teller * RECORD_BYTES, amount);
    add(branchBase + (long) (teller / TELLERS_PER_BRANCH) * RECORD_BYTES, amount);
    long sequence = heap.load(historyCount);
    heap.store(historyCount, sequence + 1);
    long record = historyBase + sequence % HISTORY * RECORD_BYTES;
    heap.store(record, sequence);
    heap.store(record + 8, account);
    heap.store(record + 16, teller);
    heap.store(record + 24, amount);
  }

  private void add(long record, long amount) {
    heap.store(record, heap.load(record) + amount);
    heap.store(record + 8, heap.load(record + 8) + 1);
  }

  @Override
  public void check() {
    long inAccounts = sum(accountBase, accounts);
    long inTellers = sum(tellerBase, BRANCHES * TELLERS_PER_BRANCH);
    long inBranches = sum(branchBase, BRANCHES);
    if (inAccounts != inTellers || inTellers != inBranches) {
      throw new IllegalStateException(
          "sums differ: " + inAccounts + ", " + inTellers + ", " + inBranches);
    }
  }

  private long sum(long base, int records) {
    long sum = 0;
    for (int i = 0; i < records; i++) {
      sum += heap.load(base + (long) i * RECORD_BYTES);
    }
    return sum;
  }
}
