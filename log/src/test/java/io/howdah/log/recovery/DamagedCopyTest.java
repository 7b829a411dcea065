package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Copies of drawn logs, whose batches hold LSNs beyond gaps, with each batch damaged, and cut off
 * before each batch. A copy is held to the LSN up to which it has everything: survivors beyond a
 * gap do not make up for what is missing before them.
 */
final class DamagedCopyTest {

  private static final int LOGS = Integer.getInteger("howdah.logs", 15);
  private static final int PARTITIONS = 3;
  private static final int COMMITS = 30;

  /** A log on a disk of its own, and what is known of it. */
  private static final class Drawn {
    final HandMadeLog log =
        new HandMadeLog(SimulatedDisk.seeded(9).storage(), PARTITIONS, RingLayout.MIN_CAPACITY);
    final List<Integer> offsets = new ArrayList<>();

    /** Up to where everything is in the batches up to each. */
    final List<Long> complete = new ArrayList<>(List.of(0L));

    /** The largest LSN in the batches up to each. */
    final List<Long> largest = new ArrayList<>(List.of(0L));

    private final TreeSet<Long> written = new TreeSet<>();

    Drawn(long seed) {
      SplittableRandom random = new SplittableRandom(seed);
      List<Deque<Long>> waiting = new ArrayList<>();
      for (int p = 0; p < PARTITIONS; p++) {
        waiting.add(new ArrayDeque<>());
      }
      for (long lsn = 1; lsn <= COMMITS; lsn++) {
        waiting.get(random.nextInt(PARTITIONS)).add(lsn);
      }
      log.placement = RingPlacement.ABSENT;
      log.segment();
      while (written.size() < COMMITS) {
        int before = written.size();
        for (int p = 0; p < PARTITIONS; p++) {
          for (int i = random.nextInt(4); i > 0 && !waiting.get(p).isEmpty(); i--) {
            long lsn = waiting.get(p).remove();
            log.commit(p, lsn);
            written.add(lsn);
          }
        }
        if (written.size() > before) {
          write();
        }
      }
    }

    private void write() {
      long stable = complete.getLast();
      long cut = stable;
      while (written.contains(cut + 1)) {
        cut++;
      }
      offsets.add(log.batch(cut, stable));
      complete.add(cut);
      largest.add(written.last());
    }

    RecoveredLog check() {
      return LogRecovery.check(log.storage, new HandMadeLog.OneProcessor(), log.superblock());
    }

    void zero(int from, int to) {
      log.write(from, ByteBuffer.allocateDirect(to - from));
    }
  }

  @Test
  void aCopyIsVerifiedUpToTheLsnUpToWhichItIsComplete() {
    int gaps = 0;
    for (long seed = 0; seed < LOGS; seed++) {
      int batches = new Drawn(seed).offsets.size();
      assertThat(new Drawn(seed).check().completeLsn()).as("seed %d", seed).isEqualTo(COMMITS);
      for (int batch = 0; batch < batches; batch++) {
        String what = "seed " + seed + ", batch " + (batch + 1) + " of " + batches;
        Drawn cut = new Drawn(seed);
        cut.zero(cut.offsets.get(batch), cut.log.offset);
        assertThat(cut.check().completeLsn())
            .as(what + " and all behind it are gone")
            .isEqualTo(cut.complete.get(batch));
        gaps += cut.largest.get(batch) > cut.complete.get(batch) ? 1 : 0;

        Drawn damaged = new Drawn(seed);
        damaged.zero(damaged.offsets.get(batch) + 120, damaged.offsets.get(batch) + 128);
        if (batch == batches - 1) {
          assertThat(damaged.check().completeLsn())
              .as(what + " is damaged")
              .isEqualTo(damaged.complete.get(batch));
        } else {
          assertThat(isRefused(damaged)).as(what + " is damaged").isTrue();
        }
      }
    }
    assertThat(gaps).as("logs that end behind a gap").isGreaterThan(LOGS);
  }

  private static boolean isRefused(Drawn drawn) {
    try {
      drawn.check();
      return false;
    } catch (CorruptStoreException e) {
      return e.file().startsWith("log/0/") && e.offset() > 0;
    }
  }
}
