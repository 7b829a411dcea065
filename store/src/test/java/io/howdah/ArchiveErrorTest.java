package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveTarget;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A place of an archive that throws errors, from one of its calls on and at each later one: the
 * archive ends, and gives back all of its memory. The store goes on.
 */
final class ArchiveErrorTest {

  private static final int MOST_CALLS = 300;

  private static final SimulatedDisk DISK = SimulatedDisk.builder(1).unit(CrashUnit.SECTOR).build();

  private SimulatedDisk place = SimulatedDisk.builder(2).unit(CrashUnit.SECTOR).build();

  /** The buffers that the archive has passed to its place. */
  private final Queue<ByteBuffer> passed = new ConcurrentLinkedQueue<>();

  private final AtomicInteger callsLeft = new AtomicInteger(Integer.MAX_VALUE);

  private ArchiveTarget target() {
    ArchiveTarget target = ArchiveTarget.over(place.storage());
    return (ArchiveTarget)
        Proxy.newProxyInstance(
            ArchiveTarget.class.getClassLoader(),
            new Class<?>[] {ArchiveTarget.class},
            (_, method, arguments) -> {
              if (callsLeft.getAndDecrement() <= 0) {
                callsLeft.set(0);
                throw new LinkageError("the place of the test has an error");
              }
              if (arguments != null && arguments[arguments.length - 1] instanceof ByteBuffer some) {
                passed.add(some);
              }
              try {
                return method.invoke(target, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /**
   * Archives a store three times, with errors from a call on.
   *
   * @param calls how many calls succeed after the first time
   * @return whether there were errors
   */
  private boolean archive(SimulatedDisk disk, int calls) {
    Archive archive =
        Archive.to(this::target, Duration.ofHours(1)).withCompression(true).withKey(new byte[32]);
    boolean met = false;
    try (Store store =
        Store.open(ArchiveTest.OPTIONS.withStorage(disk.storage()).withArchive(archive))) {
      for (int i = 0; i < 3; i++) {
        ArchiveTest.put(store, i, 1);
        try {
          store.admin().updateArchive();
        } catch (RuntimeException e) {
          met = true;
        }
        if (i == 0) {
          callsLeft.set(calls);
        }
      }
      ArchiveTest.put(store, 5, 5); // the store goes on
    }
    callsLeft.set(Integer.MAX_VALUE);
    return met;
  }

  private void requireAllFreed(int calls) {
    for (ByteBuffer buffer : passed) {
      assertThat(MemorySegment.ofBuffer(buffer).scope().isAlive())
          .as("error at call %d", calls)
          .isFalse();
    }
    passed.clear();
  }

  @Test
  void anErrorOfThePlaceLeavesNoMemory() {
    int calls = 0;
    while (archive(DISK.fork(), calls)) {
      assertThat(passed).isNotEmpty();
      requireAllFreed(calls);
      place = SimulatedDisk.builder(2).unit(CrashUnit.SECTOR).build();
      calls++;
    }
    assertThat(calls).isBetween(5, MOST_CALLS);
  }

  /** The first base of a run is compared with the last one of the run before. */
  @Test
  void anErrorAtTheBeginningOfARunLeavesNoMemory() {
    SimulatedDisk disk = DISK.fork();
    SimulatedDisk former = place;
    assertThat(archive(disk, Integer.MAX_VALUE)).isFalse();
    passed.clear();
    int calls = 0;
    boolean met = true;
    while (met) {
      place = former.fork();
      callsLeft.set(calls++);
      met = archive(disk.fork(), Integer.MAX_VALUE);
      requireAllFreed(calls);
    }
    assertThat(calls).isBetween(5, MOST_CALLS);
  }
}
