package io.howdah.nvmsim.thynvm.workload;

import io.howdah.nvmsim.thynvm.system.Core;
import io.howdah.nvmsim.workload.AccessSink;
import java.util.Arrays;
import java.util.Locale;

/**
 * A program's stores in transactions with a software log, on persistent memory without ThyNVM. A
 * persist barrier waits a fixed time for what was flushed before it, as on the emulator that
 * pmemcached was measured on.
 */
public final class LoggedStores implements AccessSink {
  /** How stores are made atomic. */
  public enum Log {
    /** They are not. */
    NONE,
    /** Before a line's first change its old content goes to the log, with a barrier each. */
    UNDO_LINES,
    /**
     * Before each store the old word goes to the log, with a barrier, as a library does that has an
     * accessor for each field.
     */
    UNDO,
    /** New words go to the log; two barriers commit them, then they are stored in place. */
    REDO;

    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  private static final long LINE_MASK = ~63L;
  private static final int LINE_WORDS = 8;
  private static final int WORD = Long.BYTES;
  private static final long LOG_BASE = 1L << 30;
  private static final long LOG_LENGTH = 1L << 20;

  private final Core core;
  private final Log log;
  private final int barrierNs;
  private long[] stored = new long[64];
  private int count;
  private long logEnd;

  /**
   * Sends a program's accesses to a core.
   *
   * @param barrierNs what a persist barrier takes
   */
  public LoggedStores(Core core, Log log, int barrierNs) {
    this.core = core;
    this.log = log;
    this.barrierNs = barrierNs;
  }

  @Override
  public void work(int instructions) {
    core.work(instructions);
  }

  @Override
  public void load(long address) {
    core.load(address);
  }

  @Override
  public void store(long address) {
    switch (log) {
      case NONE -> core.store(address);
      case UNDO -> {
        add(address & LINE_MASK);
        long first = logEnd;
        core.load(address);
        logWord(address);
        logWord(address);
        persistLog(first);
        core.store(address);
      }
      case UNDO_LINES -> {
        if (add(address & LINE_MASK)) {
          logLine(address & LINE_MASK);
        }
        core.store(address);
      }
      case REDO -> {
        logWord(address);
        logWord(address);
        add(address);
      }
    }
  }

  /** Whether the address is new in this transaction; of redone words every one is kept. */
  private boolean add(long address) {
    for (int i = 0; log != Log.REDO && i < count; i++) {
      if (stored[i] == address) {
        return false;
      }
    }
    if (count == stored.length) {
      stored = Arrays.copyOf(stored, 2 * count);
    }
    stored[count++] = address;
    return true;
  }

  private void logLine(long line) {
    long first = logEnd;
    logWord(line);
    for (int i = 0; i < LINE_WORDS; i++) {
      core.load(line + (long) i * WORD);
      logWord(line);
    }
    persistLog(first);
  }

  private void logWord(long value) {
    core.work(value == 0 ? 1 : 2);
    core.store(LOG_BASE + logEnd % LOG_LENGTH);
    logEnd += WORD;
  }

  private void persistLog(long first) {
    for (long at = first & LINE_MASK; at < logEnd; at += LINE_WORDS * WORD) {
      core.writeBackLine(LOG_BASE + at % LOG_LENGTH);
    }
    core.pause(barrierNs);
  }

  /**
   * For data that nothing refers to yet: it is stored without a log, and written back with the
   * transaction's lines.
   */
  public AccessSink unlogged() {
    return new AccessSink() {
      @Override
      public void work(int instructions) {
        core.work(instructions);
      }

      @Override
      public void load(long address) {
        core.load(address);
      }

      @Override
      public void store(long address) {
        if (log == Log.UNDO || log == Log.UNDO_LINES) {
          add(address & LINE_MASK);
          core.store(address);
        } else {
          LoggedStores.this.store(address);
        }
      }
    };
  }

  /** Ends the transaction. */
  public void commit() {
    if (log == Log.NONE || count == 0) {
      return;
    }
    if (log == Log.REDO) {
      persistLog(Math.max(0, logEnd - 2L * WORD * count));
    } else {
      for (int i = 0; i < count; i++) {
        core.writeBackLine(stored[i]);
      }
      core.pause(barrierNs);
    }
    long record = logEnd;
    logWord(1);
    persistLog(record);
    for (int i = 0; log == Log.REDO && i < count; i++) {
      core.store(stored[i]);
    }
    count = 0;
  }
}
