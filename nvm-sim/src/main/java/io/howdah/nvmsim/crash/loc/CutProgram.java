package io.howdah.nvmsim.crash.loc;

import static io.howdah.nvmsim.timing.MemoryDevice.LINE_WORDS;

import io.howdah.nvmsim.loc.TransactionCore;
import io.howdah.nvmsim.schedule.SplitMix;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A random program for small runs: short transactions on a few lines, some of them overlapping,
 * some aborted, with loads between them that move the cache. After each step the core must read
 * what its software expects.
 */
final class CutProgram {
  private static final int TRANSACTIONS = 20;
  private static final int MAX_STORES = 4;
  private static final int ABORT_PERCENT = 15;
  private static final int FLUSH_PERCENT = 6;
  private static final int OVERLAP_PERCENT = 30;

  private final TransactionCore core;
  private final PersistTape tape;
  private final int homeLines;
  private final SplitMix random;
  private final boolean overlaps;
  private final History history;
  private final long firstTxId;

  /** Open transactions, the earliest first; at most two. */
  private final List<Long> open = new ArrayList<>();

  /** The latest transaction that wrote each line, aborted ones included. */
  private final long[] writer;

  private long lastBegun;
  private long value;
  private String broken = "";

  CutProgram(
      TransactionCore core,
      PersistTape tape,
      int homeLines,
      SplitMix random,
      long[] memory,
      boolean overlaps) {
    this.core = core;
    this.tape = tape;
    this.homeLines = homeLines;
    this.random = random;
    this.overlaps = overlaps;
    writer = new long[homeLines];
    firstTxId = core.nextTxId();
    lastBegun = firstTxId - 1;
    value = firstTxId << 32;
    history = new History(Arrays.copyOf(memory, homeLines * LINE_WORDS), firstTxId);
  }

  History history() {
    return history;
  }

  long firstTxId() {
    return firstTxId;
  }

  /** Runs the program; returns what went wrong while no power was cut, or nothing. */
  String run() {
    for (int i = 0; i < TRANSACTIONS && broken.isEmpty(); i++) {
      begin();
      if (overlaps
          && random.below(100) < OVERLAP_PERCENT
          && lastBegun + 1 < firstTxId + TRANSACTIONS) {
        storeSome();
        if (core.canBegin()) {
          begin();
          i++;
        }
      }
      storeSome();
      while (!open.isEmpty() && broken.isEmpty()) {
        storeSome();
        end(open.get(random.below(open.size())));
        verify();
      }
      if (random.below(100) < FLUSH_PERCENT) {
        core.flush();
      }
    }
    core.flush();
    verify();
    return broken;
  }

  private void begin() {
    lastBegun = core.begin();
    open.add(lastBegun);
    history.begin();
  }

  private void storeSome() {
    for (long txId : open) {
      int stores = random.below(MAX_STORES + 1);
      for (int i = 0; i < stores; i++) {
        int line = random.below(homeLines);
        int word = line * LINE_WORDS + random.below(LINE_WORDS);
        core.load((long) random.below(homeLines) * LINE_WORDS * Long.BYTES);
        if (writer[line] <= txId) {
          writer[line] = txId;
          core.store(txId, (long) word * Long.BYTES, ++value);
          history.store(txId, word, value);
        }
      }
    }
  }

  private void end(long txId) {
    if (random.below(100) < ABORT_PERCENT) {
      history.abort(txId);
      core.abort(txId);
      open.removeIf(other -> other >= txId);
      for (int line = 0; line < homeLines; line++) {
        writer[line] = Math.min(writer[line], txId);
      }
      finished();
    } else {
      open.remove(txId);
      // The window may end within the call, and then the transaction has been committed before.
      finished();
      core.commit(txId);
    }
  }

  /** All before the earliest open one are finished. */
  private void finished() {
    tape.finished(open.isEmpty() ? lastBegun : open.getFirst() - 1);
  }

  private void verify() {
    for (int i = 0; i < homeLines && broken.isEmpty(); i++) {
      int word = random.below(homeLines * LINE_WORDS);
      long read = core.peek((long) word * Long.BYTES);
      if (read != history.current(word)) {
        broken = "word " + word + " reads " + read + ", expected " + history.current(word);
      }
    }
  }
}
