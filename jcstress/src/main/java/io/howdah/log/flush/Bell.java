package io.howdah.log.flush;

import io.howdah.core.Region;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitWords;
import io.howdah.log.commit.OneStep;
import io.howdah.log.commit.Slot;
import org.jspecify.annotations.Nullable;

/**
 * Waiters, those for room included, and the flusher's doorbell, for one state of a memory-model
 * test; taken in turn like {@link Slot}, since their queues are large. Each state waits for a new
 * LSN.
 */
final class Bell {

  private static final @Nullable Bell[] POOL = new Bell[Slot.POOL_SIZE];
  private static int next;

  final Region words = Regions.anonymous(CommitWords.lengthBytes(1));
  final OneStep execution = new OneStep();
  final Doorbell doorbell = new Doorbell(words, execution);
  final StabilityWaiters waiters = new StabilityWaiters(words, execution, doorbell, 0);
  final SpaceWaiters spaceWaiters =
      new SpaceWaiters(words, execution, doorbell, 5_000_000_000L, Long.MAX_VALUE);

  /** The LSN that the state waits for; all before it are stable. */
  long lsn;

  private Bell() {
    doorbell.flusherIs(Thread.currentThread());
  }

  static synchronized Bell take() {
    int index = next++ & POOL.length - 1;
    Bell bell = POOL[index];
    if (bell == null) {
      bell = new Bell();
      POOL[index] = bell;
    }
    bell.reset();
    return bell;
  }

  private void reset() {
    words.setLong(CommitWords.PARKED, 0);
    waiters.publishStable(lsn); // lets go of who the last state left in the queues
    spaceWaiters.wake();
    lsn++;
    execution.reset();
  }
}
