package io.howdah.nvmsim.crash.queue;

import io.howdah.nvmsim.crash.RecoveryOracle;
import io.howdah.nvmsim.mem.PersistentImage;
import io.howdah.nvmsim.queue.QueueEntry;
import io.howdah.nvmsim.queue.QueueMemory;
import io.howdah.nvmsim.queue.QueueRecovery;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.TraceBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a recovered queue must be: the records at the positions from tail to head, each whole, each
 * the one the run inserted at that position. So entries come back in insert order, none torn, none
 * invented, none missing between two others.
 */
final class QueueOracle implements RecoveryOracle {
  private final QueueMemory queue;

  /** Inserted at each position. */
  private final Map<Long, QueueEntry> inserted = new HashMap<>();

  /** Reads from the trace of a run what was inserted where. */
  QueueOracle(QueueMemory queue, TraceBuffer trace) {
    this.queue = queue;
    int slotLength = queue.spec().slotLength();
    Map<Long, Long> lap = new HashMap<>();
    Map<Long, Integer> thread = new HashMap<>();
    for (int i = 0; i < trace.count(); i++) {
      long offset = trace.address(i) - queue.dataAddress();
      if (!Event.isPersist(trace.packed(i)) || offset < 0 || offset >= queue.dataLength()) {
        continue;
      }
      long slot = offset / slotLength;
      if (offset % slotLength == 0) {
        thread.put(slot, (int) (trace.value(i) >>> Integer.SIZE));
        lap.merge(slot, 1L, Long::sum);
      } else if (offset % slotLength == Long.BYTES) {
        long position = (lap.getOrDefault(slot, 0L) - 1) * queue.dataLength() + slot * slotLength;
        inserted.put(position, new QueueEntry(thread.getOrDefault(slot, -1), trace.value(i)));
      }
    }
  }

  @Override
  public List<String> violations(PersistentImage image) {
    QueueRecovery.Outcome found = QueueRecovery.recover(image, queue);
    if (!found.isSound()) {
      return found.damage();
    }
    List<String> wrong = new ArrayList<>();
    long position = found.tail();
    for (QueueEntry entry : found.entries()) {
      if (!entry.equals(inserted.get(position))) {
        wrong.add(
            "position "
                + position
                + " holds "
                + entry
                + ", inserted was "
                + inserted.get(position));
      }
      position += queue.spec().slotLength();
    }
    return wrong;
  }

  /** What recovery returns, for a report. */
  String describe(PersistentImage image) {
    QueueRecovery.Outcome found = QueueRecovery.recover(image, queue);
    StringBuilder text = new StringBuilder(128);
    text.append("tail=").append(found.tail()).append(" head=").append(found.head());
    for (QueueEntry entry : found.entries()) {
      text.append(", insert ").append(entry.operation()).append(" of thread ");
      text.append(entry.thread());
    }
    return text.toString();
  }
}
