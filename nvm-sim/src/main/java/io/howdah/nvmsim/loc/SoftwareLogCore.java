package io.howdah.nvmsim.loc;

import static io.howdah.nvmsim.loc.VersionTable.NONE;
import static io.howdah.nvmsim.timing.MemoryDevice.LINE_WORDS;
import static io.howdah.nvmsim.timing.MemoryDevice.PS_PER_NS;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * S-WAL: write-ahead logging by software (LOC, §II-B and §V-B). The first store to a line copies it
 * to a block of the log, through the cache; later accesses of the transaction go there, so that no
 * eviction can bring an uncommitted line home. A commit writes the blocks back and waits, writes
 * the commit record and waits, copies the lines home and waits, and truncates.
 *
 * <p>The log has two halves. The transactions take turns, so that one may fill its half while the
 * truncation of the one before is still on its way.
 *
 * <pre>
 *   head word 0: SID of the first group (40 bits) | half (1) | groups of the committed transaction (23)
 * </pre>
 */
final class SoftwareLogCore extends TransactionCore {
  static final int GROUPS_MASK = (1 << 23) - 1;
  static final int HALF_SHIFT = 23;
  static final int SID_SHIFT = 24;

  private static final int SLOT = 0;

  private final VersionTable versions;
  private final int halfGroups;
  private final long firstSlotLine;
  private final long[] head = new long[LINE_WORDS];
  private final long[] meta;
  private int half;
  private int blocks;
  private long firstSid = 1;
  private long openTx;
  private long lastCommitted;
  private int permit;

  SoftwareLogCore(CoreConfig config, @Nullable Contents contents) {
    super(config, contents);
    versions = new VersionTable(1, contents != null);
    halfGroups = config.logGroups() / 2;
    firstSlotLine = config.logLine() + LogLayout.HEAD_LINES;
    meta = new long[halfGroups * LINE_WORDS];
    if (contents != null) {
      for (int group = 0; group < config.logGroups(); group++) {
        long metaLine = firstSlotLine + (long) group * LogLayout.GROUP_LINES + LogLayout.META;
        firstSid = Math.max(firstSid, contents.word(metaLine, 0) + 1);
      }
    }
  }

  @Override
  public long begin() {
    compute(1);
    if (openTx != 0) {
      throw new IllegalStateException("S-WAL runs one transaction at a time");
    }
    openTx = nextTxId++;
    permit = newPermit();
    return openTx;
  }

  @Override
  public void load(long address) {
    int version = versions.latest(line(address));
    if (version == NONE) {
      super.load(address);
    } else {
      memoryInstruction();
      nowPs = caches.access(nowPs, versions.place(version), false);
    }
  }

  @Override
  public void store(long txId, long address, long value) {
    requireOpen(txId);
    long line = line(address);
    int version = versions.latest(line);
    if (version == NONE) {
      version = copyToLog(txId, line);
    }
    memoryInstruction();
    long place = versions.place(version);
    if (!caches.storeHit(place, permit)) {
      nowPs = caches.access(nowPs, place, true);
      caches.permit(place, permit);
    }
    long[] words = versions.words();
    if (words != null) {
      words[versions.wordsOffset(version) + word(address)] = value;
    }
  }

  private int copyToLog(long txId, long line) {
    int group = blocks / LogLayout.BLOCKS;
    if (group == halfGroups) {
      throw new LogAreaFullException(config.logGroups(), 1);
    }
    int index = blocks++ % LogLayout.BLOCKS;
    int version = versions.create(line, SLOT, NONE);
    long place = groupLine(group) + index;
    versions.setLogged(version, place);
    long[] words = versions.words();
    if (words != null && contents != null) {
      contents.copyTo(line, words, versions.wordsOffset(version));
    }
    copyLine(line, place);
    memoryInstruction();
    nowPs = caches.access(nowPs, groupLine(group) + LogLayout.META, true);
    int at = group * LINE_WORDS;
    if (index == 0) {
      Arrays.fill(meta, at, at + LINE_WORDS, 0);
      meta[at] = firstSid + group;
    }
    meta[at + 1 + index] = LogLayout.tag(0, txId, 0, line);
    return version;
  }

  /** Eight loads and eight stores; only the first of each can miss. */
  private void copyLine(long from, long to) {
    for (int i = 0; i < LINE_WORDS; i++) {
      memoryInstruction();
    }
    nowPs = caches.access(nowPs, from, false);
    for (int i = 0; i < LINE_WORDS; i++) {
      memoryInstruction();
    }
    nowPs = caches.access(nowPs, to, true);
  }

  private long groupLine(int group) {
    return firstSlotLine + (long) (half * halfGroups + group) * LogLayout.GROUP_LINES;
  }

  private int groups() {
    return (blocks + LogLayout.BLOCKS - 1) / LogLayout.BLOCKS;
  }

  private void requireOpen(long txId) {
    if (txId != openTx || txId == 0) {
      throw new IllegalStateException("transaction " + txId + " is not open; open is " + openTx);
    }
  }

  @Override
  public void commit(long txId) {
    requireOpen(txId);
    compute(1);
    traffic.transactions++;
    if (versions.count() > 0) {
      writeBackLog();
      waitInSoftware();
      writeHead(firstSid << SID_SHIFT | (long) half << HALF_SHIFT | groups());
      waitInSoftware();
      report();
      copyHome();
      waitInSoftware();
      writeHead(0);
      firstSid += groups();
      half ^= 1;
    } else {
      report();
    }
    end();
  }

  private void report() {
    lastCommitted = openTx;
    if (contents != null) {
      contents.sink().reported(lastCommitted);
    }
  }

  private void writeBackLog() {
    for (int v = 0; v < versions.count(); v++) {
      writeBack(versions.place(v));
    }
    for (int group = 0; group < groups(); group++) {
      writeBack(groupLine(group) + LogLayout.META);
    }
  }

  private void copyHome() {
    for (int v = 0; v < versions.count(); v++) {
      long line = versions.line(v);
      copyLine(versions.place(v), line);
      writeBack(line);
    }
  }

  private void writeHead(long word) {
    head[0] = word;
    memoryInstruction();
    nowPs = caches.access(nowPs, config.logLine(), true);
    writeBack(config.logLine());
  }

  /** A write-back instruction: the line stays in the cache. */
  private void writeBack(long line) {
    compute(1);
    if (caches.isDirty(line)) {
      nowPs += portPs();
      caches.clean(line);
      send(line);
    }
  }

  private void waitInSoftware() {
    compute(1);
    nowPs += pathPs();
    waitForMemory();
    nowPs += config.softwareWaitNs() * PS_PER_NS;
  }

  private void send(long line) {
    nowPs = memory.write(nowPs, line);
    long at = line - firstSlotLine;
    if (line < config.logLine()) {
      traffic.homeWrites++;
      sendVersion(line, versions.latest(line));
    } else if (at < 0) {
      traffic.headWrites++;
      sendWords(line, head, 0);
    } else {
      int group = (int) (at / LogLayout.GROUP_LINES) - half * halfGroups;
      int index = (int) (at % LogLayout.GROUP_LINES);
      if (index == LogLayout.META) {
        traffic.logMeta++;
        sendWords(line, meta, group * LINE_WORDS);
      } else {
        traffic.logBlocks++;
        sendVersion(line, group * LogLayout.BLOCKS + index);
      }
    }
  }

  private void sendVersion(long line, int version) {
    if (versions.words() != null) {
      sendWords(line, versions.words(), versions.wordsOffset(version));
    }
  }

  private void sendWords(long line, long @Nullable [] words, int offset) {
    if (contents != null && words != null) {
      contents.sendLine(line, words, offset);
    }
  }

  @Override
  public void abort(long txId) {
    requireOpen(txId);
    compute(1);
    for (int v = 0; v < versions.count(); v++) {
      caches.discard(versions.place(v));
    }
    for (int group = 0; group < groups(); group++) {
      caches.discard(groupLine(group) + LogLayout.META);
    }
    firstSid += groups();
    end();
  }

  private void end() {
    versions.clear();
    blocks = 0;
    openTx = 0;
  }

  @Override
  public void flush() {}

  @Override
  public long lastCommittedTxId() {
    return lastCommitted;
  }

  @Override
  public long peek(long address) {
    if (contents == null) {
      throw new IllegalStateException("this core has no contents");
    }
    int version = versions.latest(line(address));
    long[] words = versions.words();
    return version == NONE || words == null
        ? contents.word(line(address), word(address))
        : words[versions.wordsOffset(version) + word(address)];
  }

  @Override
  long evicted(long evictedPs, long line, boolean dirty, int owner) {
    nowPs = evictedPs;
    if (dirty) {
      send(line);
    }
    return nowPs;
  }

  @Override
  long evictedOlder(long evictedPs, long line, int owner) {
    throw new IllegalStateException("S-WAL keeps no older copies");
  }
}
