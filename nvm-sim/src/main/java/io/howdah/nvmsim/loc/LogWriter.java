package io.howdah.nvmsim.loc;

import static io.howdah.nvmsim.timing.MemoryDevice.LINE_WORDS;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Packs blocks into groups and sends them (LOC, §III-A). A group goes out when it has seven blocks
 * or when the window ends. The log area is a ring: a slot is used again only when a durable head
 * says that its group is no longer needed.
 */
final class LogWriter {
  private final TransactionCore core;
  private final int slots;
  private final long firstSlotLine;
  private final int degree;

  /**
   * META goes out after its blocks are durable: without atomic groups, and if nothing else waits.
   */
  private final boolean metaLater;

  private final long[] group = new long[LogLayout.GROUP_LINES * LINE_WORDS];
  private int blocks;
  private long sid;
  private long headSid;
  private long durableSid;
  private long headTxId;
  private long durableTxId;
  private long[] laterLines = new long[16];
  private long[] laterMeta = new long[16 * LINE_WORDS];
  private int later;

  LogWriter(TransactionCore core, int degree, boolean commitRecords) {
    this.core = core;
    this.degree = degree;
    CoreConfig config = core.config;
    slots = config.logGroups();
    firstSlotLine = config.logLine() + LogLayout.HEAD_LINES;
    metaLater = !config.atomicGroups() && !commitRecords;
    sid = core.contents == null ? 1 : LogLayout.headSid(core.contents.word(config.logLine(), 0));
    headSid = sid;
    durableSid = sid;
    headTxId = core.nextTxId;
    durableTxId = headTxId;
  }

  /** Adds a data block of a transaction and returns the line it goes to. */
  long add(long txId, int txCount, long home, long @Nullable [] words, int offset) {
    if (words != null) {
      System.arraycopy(words, offset, group, blocks * LINE_WORDS, LINE_WORDS);
    }
    core.traffic.logBlocks++;
    long place = firstSlotLine + sid % slots * LogLayout.GROUP_LINES + blocks;
    addBlock(LogLayout.tag(lap(), txId, txCount, home));
    return place;
  }

  /** Adds a block of entries; the last block of a window may be partly filled. */
  void addEntries(long txId, long[] entries, int from, int count) {
    Arrays.fill(group, blocks * LINE_WORDS, (blocks + 1) * LINE_WORDS, 0);
    System.arraycopy(entries, from, group, blocks * LINE_WORDS, count);
    core.traffic.entryBlocks++;
    addBlock(LogLayout.tag(lap(), txId, 0, LogLayout.ENTRIES));
  }

  private long lap() {
    return sid / slots;
  }

  private void addBlock(long tag) {
    int meta = LogLayout.META * LINE_WORDS;
    if (blocks == 0) {
      Arrays.fill(group, meta, meta + LINE_WORDS, 0);
      group[meta] = sid;
    }
    group[meta + 1 + blocks] = tag;
    blocks++;
    if (blocks == LogLayout.BLOCKS) {
      send();
    }
  }

  /** Sends the group that is not full. */
  void sendPartial() {
    if (blocks > 0) {
      send();
    }
  }

  private void send() {
    long line = slotLine();
    core.traffic.logMeta++;
    if (core.config.atomicGroups()) {
      for (int i = 0; i < blocks; i++) {
        core.nowPs = core.memory.write(core.nowPs, line + i);
      }
      core.nowPs = core.memory.write(core.nowPs, line + LogLayout.META);
      if (core.contents != null) {
        core.contents.sendGroup(line, group, blocks);
      }
    } else {
      for (int i = 0; i < blocks; i++) {
        sendLine(line + i, i * LINE_WORDS);
      }
      if (metaLater) {
        holdMeta(line + LogLayout.META);
      } else {
        sendLine(line + LogLayout.META, LogLayout.META * LINE_WORDS);
      }
    }
    blocks = 0;
    sid++;
  }

  private void sendLine(long line, int offset) {
    core.nowPs = core.memory.write(core.nowPs, line);
    if (core.contents != null) {
      core.contents.sendLine(line, group, offset);
    }
  }

  private void holdMeta(long line) {
    if (later == laterLines.length) {
      laterLines = Arrays.copyOf(laterLines, 2 * later);
      laterMeta = Arrays.copyOf(laterMeta, 2 * later * LINE_WORDS);
    }
    laterLines[later] = line;
    System.arraycopy(group, LogLayout.META * LINE_WORDS, laterMeta, later * LINE_WORDS, LINE_WORDS);
    later++;
  }

  /** Waits until all blocks are durable with their META. */
  void waitForGroups() {
    sendPartial();
    if (later > 0) {
      core.waitForMemory();
      for (int i = 0; i < later; i++) {
        core.nowPs = core.memory.write(core.nowPs, laterLines[i]);
        if (core.contents != null) {
          core.contents.sendLine(laterLines[i], laterMeta, i * LINE_WORDS);
        }
      }
      later = 0;
    }
    waited();
  }

  private void waited() {
    core.waitForMemory();
    durableSid = headSid;
    headIsDurable();
  }

  /** Someone waited for memory since the last {@link #truncate}. */
  void headIsDurable() {
    durableTxId = headTxId;
  }

  /** The first transaction of the newest head that is known to be durable. */
  long durableTxId() {
    return durableTxId;
  }

  /** Sends a commit record: a META line without blocks, in a group of its own. */
  void sendCommitRecord(long txId) {
    long line = slotLine();
    int meta = LogLayout.META * LINE_WORDS;
    Arrays.fill(group, meta, meta + LINE_WORDS, 0);
    group[meta] = sid;
    group[meta + 1] = LogLayout.tag(lap(), txId, 0, LogLayout.COMMIT_RECORD);
    core.traffic.commitRecords++;
    sendLine(line + LogLayout.META, meta);
    sid++;
  }

  /** SID of the next group to be sent. */
  long nextSid() {
    return sid;
  }

  /**
   * Frees the groups before one: durable with the next wait.
   *
   * @param firstSid the first group still needed
   * @param firstTxId the first transaction whose groups are
   */
  void truncate(long firstSid, long firstTxId) {
    headSid = firstSid;
    headTxId = firstTxId;
    core.traffic.headWrites++;
    long line = core.config.logLine();
    core.nowPs = core.memory.write(core.nowPs, line);
    if (core.contents != null) {
      long[] head = new long[LINE_WORDS];
      LogLayout.putHead(head, 0, firstSid, firstTxId);
      core.contents.sendLine(line, head, 0);
    }
  }

  private long slotLine() {
    if (sid - durableSid >= slots) {
      if (headSid == durableSid) {
        throw new LogAreaFullException(slots, degree);
      }
      waited();
      if (sid - durableSid >= slots) {
        throw new LogAreaFullException(slots, degree);
      }
    }
    return firstSlotLine + sid % slots * LogLayout.GROUP_LINES;
  }
}
