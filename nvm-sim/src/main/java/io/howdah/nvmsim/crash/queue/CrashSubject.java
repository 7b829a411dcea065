package io.howdah.nvmsim.crash.queue;

import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.queue.BarrierPoint;
import io.howdah.nvmsim.queue.QueueSpec;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A queue program under a model, and what we expect of its recovery.
 *
 * @param queue name of the queue
 * @param model name of the model; "racing" is epoch persistency for the program without the
 *     barriers inside its locks
 * @param program the queue as it runs under that model
 * @param persistency the model
 */
public record CrashSubject(
    String queue, String model, QueueSpec program, PersistencyModel persistency) {
  private static final String RACING = "racing";

  private static final List<QueueSpec> QUEUES =
      List.of(
          QueueSpec.cwl(),
          QueueSpec.twoLockListed(),
          QueueSpec.twoLockPaper(),
          QueueSpec.twoLockFenced(),
          QueueSpec.twoLockRepaired());

  /** The queues by name. */
  public static List<String> queues() {
    return QUEUES.stream().map(QueueSpec::name).toList();
  }

  /** The models by name. */
  public static List<String> models() {
    return List.of("strict", "buffered-strict", "epoch", RACING, "strand", "bpfs");
  }

  /**
   * Finds a subject.
   *
   * @throws IllegalArgumentException if there is no such queue or model, naming those there are
   */
  public static CrashSubject of(String queue, String model) {
    QueueSpec spec =
        QUEUES.stream()
            .filter(q -> q.name().equals(queue))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "no queue \"" + queue + "\", there are " + queues()));
    if (model.equals(RACING)) {
      QueueSpec racing = spec.without(BarrierPoint.AFTER_LOCK).without(BarrierPoint.BEFORE_UNLOCK);
      return new CrashSubject(queue, model, racing, Models.EPOCH);
    }
    PersistencyModel persistency =
        Models.all().stream()
            .filter(m -> m.name().equals(model))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "no model \"" + model + "\", there are " + models()));
    return new CrashSubject(queue, model, spec, persistency);
  }

  /** The same subject with another program. */
  public CrashSubject with(QueueSpec other) {
    return new CrashSubject(queue, model, other, persistency);
  }

  /** Whether persists follow program order whatever the barriers. */
  private boolean strict() {
    return persistency.observesAccesses();
  }

  /**
   * Whether every failure should leave the queue recoverable, with at least two threads.
   *
   * <ul>
   *   <li>Strict persistency needs no barrier.
   *   <li>Copy While Locked holds under every model: its threads meet in the persistent head.
   *   <li>Two-Lock Concurrent hands a finished record to the thread that persists the head through
   *       a volatile flag. As listed, the copy and the flag are in one epoch, so the copy need not
   *       be durable before the head. A barrier between them repairs that, except for BPFS, which
   *       does not see the flag.
   * </ul>
   */
  public boolean expectedSafe() {
    if (strict() || queue.equals("CWL")) {
      return true;
    }
    return persistency.tracksVolatile()
        && (queue.equals("2LC-fenced") || queue.equals("2LC-repaired"));
  }

  /**
   * Barriers of the program whose loss alone must break recovery in the runs of {@link
   * CrashCampaign}. Runs as small as those do not need every barrier that larger ones do.
   */
  public Set<BarrierPoint> neededBarriers() {
    EnumSet<BarrierPoint> needed = EnumSet.noneOf(BarrierPoint.class);
    if (strict()) {
      return needed;
    }
    if (program.checked()) {
      // The barriers inside the lock order the tail too, unless a strand begins after them or the
      // model does not see the lock.
      if (!program.has(BarrierPoint.AFTER_LOCK) || !model.equals("epoch")) {
        needed.add(BarrierPoint.AROUND_TAIL);
      }
    }
    needed.add(BarrierPoint.BEFORE_HEAD);
    if (program.has(BarrierPoint.AFTER_COPY)) {
      needed.add(BarrierPoint.AFTER_COPY);
    }
    return needed;
  }
}
