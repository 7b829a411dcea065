package io.howdah.nvmsim.loc;

import static io.howdah.nvmsim.loc.VersionTable.NONE;
import static io.howdah.nvmsim.timing.MemoryDevice.LINE_WORDS;

import io.howdah.nvmsim.timing.machine.CacheHierarchy;
import org.jspecify.annotations.Nullable;

/**
 * What LOC and Kiln share: transactions in windows, and several versions of a line in the cache
 * (LOC, §III-B). Transactions may overlap; the caller's concurrency control must see to it that
 * none writes a line after a later one did.
 */
abstract class TransactionWindowCore extends TransactionCore {
  /** Transactions in one window at most (the paper varies it from 1 to 32). */
  public static final int MAX_DEGREE = 32;

  final int degree;
  final VersionTable versions;
  final TxStates states;

  TransactionWindowCore(CoreConfig config, @Nullable Contents contents, int degree) {
    super(config, contents);
    if (degree < 1 || degree > MAX_DEGREE) {
      throw new IllegalArgumentException(
          "speculation degree must be 1 to " + MAX_DEGREE + ": " + degree);
    }
    this.degree = degree;
    versions = new VersionTable(degree, contents != null);
    states = new TxStates(degree);
  }

  /** A version stops being the latest of its line, which is in the cache. */
  abstract void supersede(int older);

  /**
   * Later versions of a line were aborted and left the cache.
   *
   * @param version that is the latest again, or {@link VersionTable#NONE}: the line is as before
   *     the window
   */
  abstract void uncovered(long line, int version);

  /** Makes the window durable; it has transactions, and none is active. */
  abstract void completeWindow();

  /** A flushed line that L1 or L2 changed goes to the last level first. */
  final void bringDown(long line) {
    if (caches.isDirtyAboveLastLevel(line)) {
      nowPs += portPs();
      caches.writeBackToLastLevel(line);
    }
  }

  final long txId(int slot) {
    return nextTxId - states.begun() + slot;
  }

  private int slot(long txId, String what) {
    long slot = txId - (nextTxId - states.begun());
    if (slot < 0 || slot >= states.begun() || states.state[(int) slot] != TxStates.ACTIVE) {
      throw new IllegalStateException(
          what + ": transaction " + txId + " is not active; the next one is " + nextTxId);
    }
    return (int) slot;
  }

  @Override
  public long begin() {
    compute(1);
    if (states.isFull()) {
      requireNoneOpen();
      endWindow();
    }
    states.begin(newPermit());
    return nextTxId++;
  }

  @Override
  public boolean canBegin() {
    return !states.isFull() || !states.anyActive();
  }

  final void requireNoneOpen() {
    if (states.anyActive()) {
      throw new IllegalStateException(
          "the window cannot end: one of its " + states.begun() + " transactions is active");
    }
  }

  @Override
  public void store(long txId, long address, long value) {
    int slot = slot(txId, "store");
    memoryInstruction();
    long line = line(address);
    if (!caches.storeHit(line, states.permit[slot])) {
      boolean wasDirty = caches.isDirty(line);
      nowPs = caches.access(nowPs, line, true);
      claim(line, slot, wasDirty);
      caches.permit(line, states.permit[slot]);
    }
    long[] words = versions.words();
    if (words != null) {
      words[versions.wordsOffset(versions.latest(line)) + word(address)] = value;
    }
  }

  /** Makes the latest version of a line the transaction's own. */
  private void claim(long line, int slot, boolean wasDirty) {
    int before = versions.latest(line);
    if (before != NONE && versions.slot(before) == slot) {
      if (versions.state(before) != VersionTable.CACHED) {
        versions.setState(before, VersionTable.CACHED);
        caches.own(line, before);
      }
      return;
    }
    if (before == NONE) {
      firstVersion(line, wasDirty);
    } else {
      if (versions.slot(before) > slot) {
        throw new IllegalStateException(
            "line " + line + " was already written by a later transaction");
      }
      supersede(before);
    }
    int version = versions.create(line, slot, before);
    long[] words = versions.words();
    if (words != null && contents != null) {
      int offset = versions.wordsOffset(version);
      if (before == NONE) {
        contents.copyTo(line, words, offset);
      } else {
        System.arraycopy(words, versions.wordsOffset(before), words, offset, LINE_WORDS);
      }
    }
    caches.own(line, version);
  }

  /** The window writes a line it had not written, which the cache may have held as changed. */
  void firstVersion(long line, boolean wasDirty) {}

  @Override
  public void commit(long txId) {
    int slot = slot(txId, "commit");
    compute(1);
    traffic.transactions++;
    states.state[slot] = TxStates.COMMITTED;
    settle();
    if (states.isFull() && !states.anyActive()) {
      endWindow();
    }
  }

  /**
   * "One version can be removed only when one of its succeeding versions has been committed"
   * (§III-B), and with it all transactions before, or a cascading abort could still uncover it.
   */
  private void settle() {
    int from = states.settled();
    int to = states.settle();
    for (int slot = from; slot < to; slot++) {
      for (int v = versions.firstOf(slot); v != NONE; v = versions.nextOfSame(v)) {
        int older = versions.previous(v);
        if (versions.state(v) != VersionTable.DROPPED && older != NONE) {
          caches.dropOlder(versions.line(v), older);
        }
      }
    }
  }

  final void endWindow() {
    completeWindow();
    versions.clear();
    states.clear();
  }

  @Override
  public void abort(long txId) {
    int first = slot(txId, "abort");
    compute(1);
    for (int slot = states.begun() - 1; slot >= first; slot--) {
      if (states.state[slot] != TxStates.ABORTED) {
        if (states.state[slot] == TxStates.COMMITTED) {
          traffic.transactions--;
        }
        states.state[slot] = TxStates.ABORTED;
        for (int v = versions.firstOf(slot); v != NONE; v = versions.nextOfSame(v)) {
          dropVersion(v, first);
        }
      }
    }
    settle();
  }

  /** The cascade goes from the last version of a line to the first, so each is the latest. */
  private void dropVersion(int version, int firstAborted) {
    if (versions.state(version) == VersionTable.DROPPED) {
      return;
    }
    long line = versions.line(version);
    int below = versions.previous(version);
    versions.drop(version);
    caches.discard(line);
    caches.dropOlder(line, version);
    boolean survives = below != NONE && versions.slot(below) < firstAborted;
    if (below == NONE || survives) {
      uncovered(line, below);
    }
  }

  @Override
  int ownerOf(long line) {
    int version = versions.latest(line);
    return version == NONE ? CacheHierarchy.NO_OWNER : version;
  }

  @Override
  long memoryLine(long line) {
    int version = versions.latest(line);
    return version == NONE || versions.state(version) != VersionTable.LOGGED
        ? line
        : versions.place(version);
  }

  @Override
  public long peek(long address) {
    if (contents == null) {
      throw new IllegalStateException("this core has no contents");
    }
    long line = line(address);
    int version = versions.latest(line);
    long[] words = versions.words();
    return version == NONE || words == null
        ? contents.word(line, word(address))
        : words[versions.wordsOffset(version) + word(address)];
  }
}
