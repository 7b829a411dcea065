package io.howdah.nvmsim.loc;

import static io.howdah.nvmsim.loc.VersionTable.CACHED;
import static io.howdah.nvmsim.loc.VersionTable.NONE;

import io.howdah.nvmsim.timing.machine.CacheHierarchy;
import org.jspecify.annotations.Nullable;

/**
 * Hardware logging with one copy of a line in the cache (LOC, §III and §IV-C): a window of
 * transactions executes, then its blocks are logged, then they go home. H-WAL has windows of one
 * transaction and a commit record; EC-WAL drops the record; LOC-WAL has larger windows.
 */
final class LogWindowCore extends TransactionWindowCore {
  private static final int NO_VERSION = CacheHierarchy.NO_OWNER;

  private final boolean commitRecords;
  private final LogWriter log;
  private final WindowEntries entries;
  private long lastCommitted;

  /** Home writes are sent, and the head does not say so yet. */
  private boolean truncationDue;

  /** First group of the window. */
  private long windowSid;

  LogWindowCore(CoreConfig config, @Nullable Contents contents, int degree, boolean commitRecords) {
    super(config, contents, degree);
    this.commitRecords = commitRecords;
    if (contents != null) {
      long head = config.logLine();
      nextTxId = LogLayout.headTx(contents.word(head, 0), contents.word(head, 1));
    }
    log = new LogWriter(this, degree, commitRecords);
    entries = new WindowEntries(degree);
    windowSid = log.nextSid();
  }

  /**
   * Without speculation an evicted block forces all blocks of its transaction out (§III-B); with
   * it, only itself.
   */
  @Override
  long evicted(long evictedPs, long line, boolean dirty, int owner) {
    nowPs = evictedPs;
    if (owner != NO_VERSION && versions.state(owner) == CACHED) {
      if (degree == 1) {
        int slot = versions.slot(owner);
        for (int v = versions.firstOf(slot); v != NONE; v = versions.nextOfSame(v)) {
          logEarly(v);
        }
        states.permit[slot] = newPermit();
      } else {
        logEarly(owner);
      }
    }
    return nowPs;
  }

  @Override
  long evictedOlder(long evictedPs, long line, int owner) {
    nowPs = evictedPs;
    logEarly(owner);
    return nowPs;
  }

  /** Logs a version before its window ends. Its tag has no TxCnt: the transaction may go on. */
  private void logEarly(int version) {
    if (versions.state(version) == CACHED) {
      traffic.overflows++;
      int slot = versions.slot(version);
      logVersion(version, txId(slot), 0);
    }
  }

  private void logVersion(int version, long txId, int txCount) {
    long place =
        log.add(
            txId, txCount, versions.line(version), versions.words(), versions.wordsOffset(version));
    states.logged[versions.slot(version)]++;
    versions.setLogged(version, place);
  }

  @Override
  void supersede(int older) {
    if (versions.state(older) == CACHED) {
      nowPs = caches.keepOlder(nowPs, versions.line(older));
    }
  }

  /** First rescue rule (§III-B): what an abort uncovers goes to the log from the cache. */
  @Override
  void uncovered(long line, int version) {
    if (version == NONE || versions.state(version) != CACHED) {
      return;
    }
    caches.dropOlder(line, version);
    logEarly(version);
  }

  @Override
  void completeWindow() {
    if (nothingToDo()) {
      log.sendPartial();
      if (truncationDue) {
        await();
      }
      truncate();
      if (nextTxId - log.durableTxId() > MAX_DEGREE) {
        await();
      }
      report();
      return;
    }
    long ownTxId = txId(0);
    writeLog();
    log.waitForGroups();
    if (commitRecords) {
      writeCommitRecords();
      await();
    }
    report();
    if (truncationDue) {
      // The wait for this window's log was also one for the home writes of the window before.
      log.truncate(windowSid, ownTxId);
    }
    windowSid = log.nextSid();
    goHome();
    truncationDue = true;
    if (!overlaps()) {
      await();
      truncate();
    }
  }

  private void await() {
    waitForMemory();
    log.headIsDurable();
  }

  /**
   * Only aborted and empty transactions: the head alone steps over them, durable before anything
   * later is reported. Recovery looks at a bounded number of transactions behind the head that it
   * finds, so no more than a window of them may follow the durable one.
   */
  private boolean nothingToDo() {
    for (int slot = 0; slot < states.begun(); slot++) {
      if (states.state[slot] == TxStates.COMMITTED && versions.firstOf(slot) != NONE) {
        return false;
      }
    }
    return true;
  }

  private boolean overlaps() {
    return config.homeOverlap() && degree > 1;
  }

  private void truncate() {
    log.truncate(log.nextSid(), nextTxId);
    windowSid = log.nextSid();
    truncationDue = false;
  }

  private void report() {
    lastCommitted = nextTxId - 1;
    if (contents != null) {
      contents.sink().reported(lastCommitted);
    }
  }

  /**
   * Sends what the log needs: the latest version of each line and the entries. The last block of a
   * transaction carries its TxCnt; that of one without a block is an entry.
   */
  private void writeLog() {
    entries.clear();
    nowPs += pathPs();
    for (int slot = 0; slot < states.begun(); slot++) {
      int last = NONE;
      int pending = 0;
      for (int v = versions.firstOf(slot); v != NONE; v = versions.nextOfSame(v)) {
        if (versions.state(v) != CACHED) {
          continue;
        }
        if (versions.next(v) == NONE) {
          pending++;
          last = v;
        } else {
          traffic.coalesced++;
          states.left[slot]++;
          entries.pair(slot, versions.slot(versions.next(v)));
        }
      }
      int total = states.logged[slot] + pending + states.left[slot];
      if (total > LogLayout.MAX_TX_COUNT) {
        throw new TransactionTooLargeException(txId(slot), total);
      }
      for (int v = versions.firstOf(slot); v != NONE; v = versions.nextOfSame(v)) {
        if (versions.state(v) == CACHED && versions.next(v) == NONE) {
          bringDown(versions.line(v));
          logVersion(v, txId(slot), v == last ? total : 0);
        }
      }
      if (states.state[slot] == TxStates.ABORTED) {
        entries.voided(slot);
      } else if (total == 0) {
        entries.voided(slot);
      } else if (last == NONE) {
        entries.counted(slot, total);
      }
    }
    if (!commitRecords) {
      entries.send(log, txId(0), txId(states.begun() - 1));
    }
  }

  private void writeCommitRecords() {
    for (int slot = 0; slot < states.begun(); slot++) {
      if (states.state[slot] == TxStates.COMMITTED && states.logged[slot] > 0) {
        log.sendCommitRecord(txId(slot));
      }
    }
  }

  /** In-place writes (§IV-C, checkpointing): the latest version of each line. */
  private void goHome() {
    for (int v = 0; v < versions.count(); v++) {
      long line = versions.line(v);
      if (versions.state(v) == VersionTable.DROPPED || versions.next(v) != NONE) {
        continue;
      }
      if (caches.find(line) == CacheHierarchy.ABSENT) {
        nowPs = memory.read(nowPs, versions.place(v));
      } else {
        nowPs += portPs();
        caches.clean(line);
        caches.disown(line);
      }
      traffic.homeWrites++;
      writeHome(line, versions.words(), versions.wordsOffset(v));
    }
  }

  @Override
  public void flush() {
    requireNoneOpen();
    if (states.begun() > 0) {
      endWindow();
    }
    if (truncationDue) {
      await();
      truncate();
    }
  }

  @Override
  public long lastCommittedTxId() {
    return lastCommitted;
  }
}
