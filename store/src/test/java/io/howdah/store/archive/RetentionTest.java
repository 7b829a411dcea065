package io.howdah.store.archive;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.ForwardingSystem;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveMoment;
import io.howdah.archive.ArchiveTarget;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.store.archive.ArchiveIndex.Base;
import io.howdah.store.archive.ArchiveIndex.LogObject;
import io.howdah.store.archive.ArchiveIndex.Mark;
import io.howdah.store.archive.ArchiveIndex.Stretch;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * What retention removes of an archive of several runs and bases, for each moment that may be the
 * oldest one that is kept: that of each mark, and one millisecond before and after it.
 */
final class RetentionTest {

  private static final long MINUTE = 60_000;
  private static final int RUNS = 3;
  private static final int UPDATES_IN_RUN = 10;

  /** A base is made once a quarter of this has passed since the last one: every fourth update. */
  private static final Duration KEEP = Duration.ofHours(1);

  private final SimulatedDisk disk = SimulatedDisk.seeded(1);
  private final SimulatedDisk place = SimulatedDisk.seeded(2);
  private final AtomicLong millis = new AtomicLong(100 * MINUTE);

  /** A place of which nothing is removed: the test decides what goes. */
  private static ArchiveTarget keeping(ArchiveTarget target) {
    return (ArchiveTarget)
        Proxy.newProxyInstance(
            ArchiveTarget.class.getClassLoader(),
            new Class<?>[] {ArchiveTarget.class},
            (_, method, arguments) -> {
              if (method.getName().equals("remove")) {
                return null;
              }
              try {
                return method.invoke(target, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private Archive archive() {
    return Archive.to(() -> keeping(ArchiveTarget.over(place.storage())), Archive.MAX_INTERVAL)
        .withKeep(KEEP);
  }

  private void writeArchive() {
    StoreOptions options =
        StoreOptions.defaults()
            .withMaxSize(1 << 20)
            .withPartitions(2)
            .withRingBytes(1 << 16)
            .withOrecs(1 << 10)
            .withLogSegmentBytes(SegmentLayout.MIN_LENGTH)
            .withExecution(
                new ForwardingSystem() {
                  @Override
                  public long wallClockMillis() {
                    return millis.get();
                  }
                });
    for (int run = 0; run < RUNS; run++) {
      try (Store store = Store.open(options.withStorage(disk.storage()).withArchive(archive()))) {
        for (int update = 0; update < UPDATES_IN_RUN; update++) {
          millis.addAndGet(5 * MINUTE);
          store.run(TxOptions.sync(), tx -> tx.root(0, tx.allocate(64)));
          store.admin().updateArchive();
        }
      }
    }
  }

  private ArchiveIndex read(SimulatedDisk from) {
    try (ArchiveTarget target = ArchiveTarget.over(from.storage());
        PayloadCoding coding = new PayloadCoding(archive())) {
      return ArchiveIndex.read(target, coding);
    }
  }

  private static List<Mark> marks(Stretch stretch) {
    List<Mark> marks = new ArrayList<>();
    for (Optional<Mark> next = stretch.marks.firstFrom(0);
        next.isPresent();
        next = stretch.marks.firstFrom(next.get().lsn() + 1)) {
      marks.add(next.get());
    }
    return marks;
  }

  /** Returns the LSN as of which a time is restored; empty if it is not. */
  private static OptionalLong restored(ArchiveIndex index, long millis) {
    try {
      ArchiveMoment moment = ArchiveMoment.atTime(Instant.ofEpochMilli(millis));
      return OptionalLong.of(ArchiveRestore.plan(index, moment).lsn());
    } catch (IllegalArgumentException e) {
      return OptionalLong.empty();
    }
  }

  /** Returns the newest base with which a moment up to a time can be restored. */
  private static Optional<Base> oldestKept(ArchiveIndex index, long since) {
    return index.usableBases().stream()
        .filter(
            base ->
                marks(index.behind(base).orElseThrow()).stream()
                    .anyMatch(mark -> mark.lsn() >= base.lsn() && mark.millis() <= since))
        .max(Comparator.comparing(Base::object));
  }

  @Test
  void exactlyWhatNoKeptMomentNeedsIsRemoved() {
    writeArchive();
    ArchiveIndex index = read(place);
    assertThat(index.problems()).isEmpty();
    TreeSet<Long> times = new TreeSet<>();
    index.stretches().forEach(all -> marks(all).forEach(mark -> times.add(mark.millis())));
    Set<String> oldest = new HashSet<>();
    for (long time : times) {
      for (long since = time - 1; since <= time + 1; since++) {
        Optional<Base> kept = oldestKept(index, since);
        kept.ifPresent(base -> oldest.add(base.object()));
        SimulatedDisk left = place.fork();
        try (ArchiveTarget target = ArchiveTarget.over(left.storage())) {
          Retention.remove(target, Retention.removable(index, target.list(), since));
        }
        ArchiveIndex after = read(left);
        assertThat(after.problems()).as("kept since %d", since).isEmpty();
        assertKept(index, after, times, since);
        assertThat(after.bases().stream().map(Base::object))
            .as("bases that are kept since %d", since)
            .containsExactlyElementsOf(needed(index, kept));
        kept.ifPresent(base -> assertLogBegins(after, base));
      }
    }
    assertThat(oldest).as("bases that were the oldest kept").hasSizeGreaterThan(2 * RUNS);
  }

  private static void assertKept(
      ArchiveIndex before, ArchiveIndex after, Set<Long> times, long since) {
    assertThat(restored(after, since)).as("as of %d", since).isEqualTo(restored(before, since));
    for (long time : times) {
      if (time >= since) {
        assertThat(restored(after, time))
            .as("as of %d, kept since %d", time, since)
            .isEqualTo(restored(before, time));
      }
    }
  }

  /** Returns the oldest base that is kept, the newer ones, and what they refer to. */
  private static List<String> needed(ArchiveIndex index, Optional<Base> kept) {
    TreeSet<String> needed = new TreeSet<>();
    for (Base base : index.bases()) {
      if (kept.isEmpty() || base.object().compareTo(kept.get().object()) >= 0) {
        needed.add(base.object());
        needed.addAll(base.chain().objects());
      }
    }
    return List.copyOf(needed);
  }

  /** No log is left that ends before the first batch of the oldest kept base. */
  private static void assertLogBegins(ArchiveIndex after, Base kept) {
    Stretch first = after.stretches().getFirst();
    assertThat(first.run).isEqualTo(kept.run());
    List<LogObject> objects = first.objects;
    assertThat(objects.getFirst().firstBatch()).isLessThanOrEqualTo(kept.firstBatch());
    if (objects.size() > 1) {
      assertThat(objects.get(1).firstBatch()).isGreaterThan(kept.firstBatch());
    }
  }
}
