package io.howdah.replica.log;

import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lsn;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * Tells after which entries a replay may begin: those behind which no record waits for a later
 * entry, be it for a cut that reaches it or, as a part of a large transaction, for its commit
 * (docs/protocol.md, R76). A function of the entries that count. Used by one thread.
 */
public final class OpenRecords {

  /** Partitions with parts whose commit has not come. */
  private final BitSet parts = new BitSet();

  private long largestLsn;
  private long cut;

  /** Begins an epoch: what waited is dropped. */
  public void beginEpoch() {
    parts.clear();
    largestLsn = 0;
    cut = 0;
  }

  /** Adds a batch that counts, and whose records are valid. */
  public void add(Entry.Batch batch) {
    ByteBuffer bytes = batch.bytes();
    cut = batch.cut();
    int at = bytes.position() + BatchLayout.HEADER_LENGTH;
    int sections = bytes.getInt(bytes.position() + BatchLayout.SECTION_COUNT_OFFSET);
    for (int i = 0; i < sections; i++) {
      int partition = bytes.getInt(at + BatchLayout.SECTION_PARTITION_OFFSET);
      int end =
          at
              + BatchLayout.SECTION_HEADER_LENGTH
              + bytes.getInt(at + BatchLayout.SECTION_LENGTH_OFFSET);
      for (at += BatchLayout.SECTION_HEADER_LENGTH; at < end; ) {
        long head = bytes.getLong(at);
        if (RedoRecordLayout.kind(head) == RedoRecordLayout.KIND_PART) {
          parts.set(partition);
        } else {
          // Any other record ends the parts before it: a transaction has its partition alone until
          // its commit, and parts without a commit are dropped.
          parts.clear(partition);
          long lsn = Lsn.dense(bytes.getLong(at + RedoRecordLayout.LSN_OFFSET));
          largestLsn = Math.max(largestLsn, lsn);
        }
        at += RedoRecordLayout.length(head);
      }
    }
  }

  /** Returns whether a replay may begin behind the entries that were added. */
  public boolean isEmpty() {
    return parts.isEmpty() && largestLsn <= cut;
  }
}
