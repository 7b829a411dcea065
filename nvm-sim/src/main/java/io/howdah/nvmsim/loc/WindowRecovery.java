package io.howdah.nvmsim.loc;

import static io.howdah.nvmsim.timing.MemoryDevice.LINE_WORDS;

/**
 * Recovery of H-WAL, EC-WAL and LOC-WAL from the memory log area (LOC, §III-C): count tags, apply
 * pairs from the last to the first, cut at the first incomplete transaction, bring the rest home.
 */
final class WindowRecovery {
  /**
   * A head that was not durable in time may leave one complete window before the last one, and two
   * if home writes go on beside the next window. Of transactions without work no more than a window
   * lie between the durable head and the last one.
   */
  private static final int MAX_TRANSACTIONS = 3 * TransactionWindowCore.MAX_DEGREE;

  private final CoreConfig config;
  private final Contents contents;
  private final boolean commitRecords;
  private final int slots;
  private final long firstSlotLine;
  private final long startSid;
  private final long firstTxId;

  private final int[] logged = new int[MAX_TRANSACTIONS];
  private final int[] txCount = new int[MAX_TRANSACTIONS];
  private final boolean[] voided = new boolean[MAX_TRANSACTIONS];
  private final boolean[] recorded = new boolean[MAX_TRANSACTIONS];
  private final boolean[] complete = new boolean[MAX_TRANSACTIONS];
  private final int[][] left = new int[MAX_TRANSACTIONS][MAX_TRANSACTIONS];

  /** Per home line the place of the block that wins, and its transaction; 0 if there is none. */
  private final long[] winner;

  private final int[] winnerTx;
  private long nextSid;

  WindowRecovery(CoreConfig config, Contents contents, boolean commitRecords) {
    this.config = config;
    this.contents = contents;
    this.commitRecords = commitRecords;
    slots = config.logGroups();
    firstSlotLine = config.logLine() + LogLayout.HEAD_LINES;
    long head = contents.word(config.logLine(), 0);
    startSid = LogLayout.headSid(head);
    firstTxId = LogLayout.headTx(head, contents.word(config.logLine(), 1));
    if (startSid < 1 || firstTxId < 1) {
      throw new DamagedLogException("its head is 0x" + Long.toHexString(head));
    }
    winner = new long[(int) config.homeLines()];
    winnerTx = new int[winner.length];
    nextSid = startSid;
  }

  /** Recovers, and returns the last transaction that is kept. */
  long recover() {
    for (int slot = 0; slot < slots; slot++) {
      nextSid = Math.max(nextSid, contents.word(metaLine(slot), 0) + 1);
    }
    for (long sid = startSid; sid < startSid + slots; sid++) {
      if (contents.word(metaLine((int) (sid % slots)), 0) == sid) {
        count(sid);
      }
    }
    decide();
    int kept = cut();
    choose(kept);
    for (int home = 0; home < winner.length; home++) {
      if (winner[home] != 0) {
        sendCopy(winner[home], home);
      }
    }
    contents.sink().waited();
    writeHead(kept);
    contents.sink().waited();
    scrub();
    return firstTxId + kept - 1;
  }

  private long metaLine(int slot) {
    return firstSlotLine + (long) slot * LogLayout.GROUP_LINES + LogLayout.META;
  }

  /** First step: the tags of one group, and the entries in it. */
  private void count(long sid) {
    int slot = (int) (sid % slots);
    long lap = sid / slots;
    for (int i = 0; i < LogLayout.BLOCKS; i++) {
      long tag = contents.word(metaLine(slot), 1 + i);
      if (tag == 0) {
        continue;
      }
      if (!LogLayout.isOfLap(tag, lap)) {
        // A commit record is a line of its own, which a cut may tear even where groups are atomic.
        if (config.atomicGroups() && !commitRecords) {
          throw new DamagedLogException(sid, slot, "tag " + i + " is of another lap");
        }
        continue;
      }
      int tx = transaction(LogLayout.tagTx(tag), sid, slot);
      long home = LogLayout.tagHome(tag);
      if (home == LogLayout.ENTRIES) {
        entries(metaLine(slot) - LogLayout.META + i, sid, slot);
      } else if (home == LogLayout.COMMIT_RECORD) {
        recorded[tx] = true;
      } else if (home >= config.homeLines()) {
        throw new DamagedLogException(sid, slot, "tag " + i + " names home line " + home);
      } else {
        logged[tx]++;
      }
      int txCnt = LogLayout.tagCount(tag);
      if (txCnt != 0) {
        setCount(tx, txCnt, sid, slot);
      }
    }
  }

  private void setCount(int tx, int count, long sid, int slot) {
    if (txCount[tx] != 0 && txCount[tx] != count) {
      throw new DamagedLogException(
          sid,
          slot,
          "transaction "
              + (firstTxId + tx)
              + " has a second TxCnt "
              + count
              + " beside "
              + txCount[tx]);
    }
    txCount[tx] = count;
  }

  /** Place of a transaction after the head's first one, from the low bits of its id. */
  private int transaction(long lowBits, long sid, int slot) {
    long tx = (lowBits - firstTxId) & LogLayout.TX_ID_MASK;
    if (tx >= MAX_TRANSACTIONS) {
      throw new DamagedLogException(
          sid, slot, "transaction " + lowBits + " does not follow the head's " + firstTxId);
    }
    return (int) tx;
  }

  private void entries(long line, long sid, int slot) {
    for (int word = 0; word < LogLayout.ENTRIES_PER_BLOCK; word++) {
      long entry = contents.word(line, word);
      if (entry == 0) {
        continue;
      }
      if (LogLayout.hasReservedBits(entry)) {
        throw new DamagedLogException(sid, slot, "entry 0x" + Long.toHexString(entry));
      }
      int tx = transaction(LogLayout.entryTx(entry), sid, slot);
      switch (LogLayout.entryKind(entry)) {
        case LogLayout.PAIR -> {
          int later = transaction(LogLayout.entryLater(entry), sid, slot);
          if (later <= tx) {
            throw new DamagedLogException(sid, slot, "a pair points back");
          }
          left[tx][later] += LogLayout.entryBlocks(entry);
        }
        case LogLayout.COUNT -> setCount(tx, LogLayout.entryCount(entry), sid, slot);
        default -> voided[tx] = true;
      }
    }
  }

  /** Second step: "these pairs are checked in the reverse sequence, from tail to head". */
  private void decide() {
    for (int tx = MAX_TRANSACTIONS - 1; tx >= 0; tx--) {
      if (voided[tx] || commitRecords) {
        complete[tx] = voided[tx] || recorded[tx];
        continue;
      }
      int count = logged[tx];
      for (int later = tx + 1; later < MAX_TRANSACTIONS; later++) {
        if (complete[later]) {
          count += left[tx][later];
        }
      }
      complete[tx] = txCount[tx] != 0 && count == txCount[tx];
    }
  }

  /**
   * Third step: everything from the first incomplete transaction on is discarded. So are those
   * before it that had left a block to one behind it: the paper stops one step earlier and would
   * lose that block, since a complete transaction behind an incomplete one is discarded all the
   * same.
   */
  private int cut() {
    int kept = 0;
    while (kept < MAX_TRANSACTIONS && complete[kept]) {
      kept++;
    }
    int before;
    do {
      before = kept;
      for (int tx = 0; tx < kept; tx++) {
        if (leavesBehind(tx, kept)) {
          kept = tx;
        }
      }
    } while (kept < before);
    return kept;
  }

  private boolean leavesBehind(int tx, int kept) {
    for (int later = kept; later < MAX_TRANSACTIONS; later++) {
      if (left[tx][later] > 0) {
        return true;
      }
    }
    return false;
  }

  /** The block of the latest transaction wins; of one transaction's, the one logged last. */
  private void choose(int kept) {
    for (long sid = startSid; sid < startSid + slots; sid++) {
      int slot = (int) (sid % slots);
      if (contents.word(metaLine(slot), 0) != sid) {
        continue;
      }
      for (int i = 0; i < LogLayout.BLOCKS; i++) {
        long tag = contents.word(metaLine(slot), 1 + i);
        boolean valid = LogLayout.isOfLap(tag, sid / slots);
        long home = LogLayout.tagHome(tag);
        if (!valid || home >= config.homeLines()) {
          continue;
        }
        int tx = transaction(LogLayout.tagTx(tag), sid, slot);
        if (tx < kept && complete[tx] && !voided[tx] && tx >= winnerTx[(int) home]) {
          winner[(int) home] = metaLine(slot) - LogLayout.META + i;
          winnerTx[(int) home] = tx;
        }
      }
    }
  }

  private void sendCopy(long from, long home) {
    long[] words = new long[LINE_WORDS];
    contents.copyTo(from, words, 0);
    contents.sendLine(home, words, 0);
  }

  private void writeHead(int kept) {
    long[] head = new long[LINE_WORDS];
    LogLayout.putHead(head, 0, nextSid, firstTxId + kept);
    contents.sendLine(config.logLine(), head, 0);
  }

  /**
   * A cut may leave tags of this lap under an old SID. Once the head is past them they are removed:
   * the slot's next group may have the same lap.
   */
  private void scrub() {
    long[] zeroes = new long[LINE_WORDS];
    for (int slot = 0; slot < slots; slot++) {
      for (int word = 0; word < LINE_WORDS; word++) {
        if (contents.word(metaLine(slot), word) != 0) {
          contents.sendLine(metaLine(slot), zeroes, 0);
          break;
        }
      }
    }
    contents.sink().waited();
  }
}
