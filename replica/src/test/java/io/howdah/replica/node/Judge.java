package io.howdah.replica.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the committed entries of a group's log mean, found out without the code under test: offsets
 * and rules are written down here once more.
 */
final class Judge {

  /** A transaction that the log has. */
  record Commit(long lsn, Map<Long, Long> writes) {}

  private final List<byte[]> log;
  private int judged;

  private long epoch;
  private long nonce;
  private long sequence;
  private int crc;
  private long cut;

  /** Commits that no cut has reached yet. */
  private final TreeMap<Long, Commit> open = new TreeMap<>();

  private final Map<Integer, Map<Long, Long>> parts = new HashMap<>();

  /** All commits, in the order of LSNs, which have no gaps. */
  final List<Commit> commits = new ArrayList<>();

  int voids;
  int epochs;
  int batches;

  Judge(List<byte[]> log) {
    this.log = log;
  }

  /** Judges the entries that are new. */
  void advance() {
    for (; judged < log.size(); judged++) {
      judge(ByteBuffer.wrap(log.get(judged)).order(ByteOrder.LITTLE_ENDIAN));
    }
  }

  long lastLsn() {
    return commits.size();
  }

  /** Returns the value of a word after the commit with an LSN. */
  long valueAt(long address, long lsn) {
    for (int i = (int) lsn - 1; i >= 0; i--) {
      Long value = commits.get(i).writes().get(address);
      if (value != null) {
        return value;
      }
    }
    return 0;
  }

  boolean isAt(long epochOfNode, long nonceOfNode, long sequenceOfNode) {
    return epochOfNode == epoch && nonceOfNode == nonce && sequenceOfNode == sequence;
  }

  Map<Long, Long> words() {
    Map<Long, Long> words = new HashMap<>();
    commits.forEach(commit -> words.putAll(commit.writes()));
    return words;
  }

  private void judge(ByteBuffer entry) {
    int kind = entry.getInt(12);
    long entryEpoch = entry.getLong(32);
    long entryNonce = entry.getLong(40);
    if (kind == 1) {
      boolean counts =
          entry.getLong(64) == epoch
              && entry.getLong(72) == nonce
              && entry.getLong(80) == sequence
              && (sequence == 0 || entry.getInt(88) == crc)
              && entry.getLong(96) == cut;
      if (!counts) {
        voids++;
        return;
      }
      epochs++;
      epoch = entryEpoch;
      nonce = entryNonce;
      sequence = 0;
      open.clear();
      parts.clear();
      return;
    }
    if (kind == 3) {
      return;
    }
    if (entryEpoch != epoch || entryNonce != nonce || entry.getLong(64 + 24) <= sequence) {
      voids++;
      return;
    }
    assertThat(entry.getLong(64 + 24)).isEqualTo(sequence + 1);
    batches++;
    sequence++;
    crc = entry.getInt(64 + 76);
    int at = 64 + 80;
    for (int section = entry.getInt(64 + 36); section > 0; section--) {
      int partition = entry.getInt(at);
      int end = at + 16 + entry.getInt(at + 4);
      for (at += 16; at < end; at += entry.getInt(at)) {
        record(entry, at, partition);
      }
    }
    cut = entry.getLong(64 + 40);
    while (!open.isEmpty() && open.firstKey() <= cut) {
      Commit commit = open.pollFirstEntry().getValue();
      assertThat(commit.lsn()).as("LSNs have no gaps").isEqualTo(lastLsn() + 1);
      commits.add(commit);
    }
    assertThat(lastLsn()).isEqualTo(cut);
  }

  private void record(ByteBuffer entry, int at, int partition) {
    long head = entry.getLong(at);
    int length = (int) head;
    int kind = entry.get(at + 4);
    Map<Long, Long> writes = new HashMap<>();
    for (int from = at + (kind == 4 ? 40 : 24); from < at + length - 8; ) {
      long word = entry.getLong(from);
      int run = (int) (word & 0xFFFF);
      for (int i = 0; i < run; i++) {
        writes.put((word >>> 16 << 3) + 8L * i, entry.getLong(from + 8 + 8 * i));
      }
      from += 8 + 8 * run;
    }
    if (kind == 3) {
      if (entry.getLong(at + 16) == 0) {
        parts.remove(partition);
      }
      parts.computeIfAbsent(partition, _ -> new HashMap<>()).putAll(writes);
      return;
    }
    long lsn = entry.getLong(at + 8) >>> 8;
    if (kind == 4) {
      Map<Long, Long> all = new HashMap<>(parts.getOrDefault(partition, Map.of()));
      all.putAll(writes);
      writes = all;
    }
    parts.remove(partition);
    open.put(lsn, new Commit(lsn, writes));
  }
}
