package io.howdah.nvmsim.queue;

import io.howdah.nvmsim.mem.PersistentImage;
import java.util.ArrayList;
import java.util.List;

/**
 * Recovery of both queues: the records inside {@code [tail, head)} are valid, everything else is
 * not. Reads nothing but head, tail and those records.
 */
public final class QueueRecovery {
  /**
   * What was recovered.
   *
   * @param tail position of the oldest record
   * @param head position after the newest
   * @param entries the whole records, oldest first
   * @param damage what is wrong with head, tail or a record, empty if the image is sound
   */
  public record Outcome(long tail, long head, List<QueueEntry> entries, List<String> damage) {
    public Outcome {
      entries = List.copyOf(entries);
      damage = List.copyOf(damage);
    }

    public boolean isSound() {
      return damage.isEmpty();
    }
  }

  private QueueRecovery() {}

  /** Recovers the queue that lies at the addresses of {@code memory} from an image. */
  public static Outcome recover(PersistentImage image, QueueMemory memory) {
    long head = image.getLong(memory.head);
    long tail = image.getLong(memory.tail);
    List<String> damage = new ArrayList<>();
    List<QueueEntry> entries = new ArrayList<>();
    if (tail < 0
        || head < tail
        || head - tail > memory.dataLength
        || head % memory.slotLength != 0
        || tail % memory.slotLength != 0) {
      damage.add(
          "tail "
              + tail
              + " and head "
              + head
              + " do not bound at most "
              + memory.spec.capacity()
              + " records of "
              + memory.slotLength
              + " bytes");
      return new Outcome(tail, head, entries, damage);
    }
    for (long position = tail; position < head; position += memory.slotLength) {
      long slot = memory.slot(position);
      long first = image.getLong(slot);
      int length = (int) first;
      int thread = (int) (first >>> 32);
      long operation = image.getLong(slot + Long.BYTES);
      boolean whole = length == memory.spec.entryLength();
      for (int i = 2; whole && i < memory.recordWords; i++) {
        whole =
            image.getLong(slot + (long) i * Long.BYTES)
                == RecordContent.word(length, thread, operation, i);
      }
      if (whole) {
        entries.add(new QueueEntry(thread, operation));
      } else {
        damage.add("record at position " + position + " is torn or was never written");
      }
    }
    return new Outcome(tail, head, entries, damage);
  }
}
