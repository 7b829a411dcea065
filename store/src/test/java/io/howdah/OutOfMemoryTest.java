package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.WriteSet;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No memory, or no thread, where one was needed. */
@Timeout(60)
final class OutOfMemoryTest {

  private static final StoreOptions SMALL =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withOrecs(1 << 10)
          .withPartitions(2)
          .withRingBytes(1 << 16);

  /** A write set whose tables cannot grow keeps what it has, and the body may go on. */
  @Test
  @Tag("scaled")
  void aWriteSetThatCannotGrowStaysAsItWas() throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx48m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                FullHeap.class.getName(),
                String.valueOf(70 * Integer.getInteger("howdah.stride", 5)))
            .inheritIO()
            .start();
    assertThat(child.waitFor(50, TimeUnit.SECONDS)).isTrue();
    assertThat(child.exitValue()).isZero();
  }

  /** The child JVM, whose heap is small. */
  static final class FullHeap {

    private FullHeap() {}

    public static void main(String[] args) {
      int step = Integer.parseInt(args[0]);
      int refused = 0;
      for (int spareKilobytes = 40; spareKilobytes < 6000; spareKilobytes += step) {
        refused += attempt(spareKilobytes);
      }
      // Nothing is proved if the heap never was full at the right moment.
      System.exit(refused > 3 ? 0 : 2);
    }

    /** Fills the heap but for so much, and the set until it is refused. */
    private static int attempt(int spareKilobytes) {
      WriteSet set = new WriteSet();
      byte[] spare = new byte[spareKilobytes << 10];
      List<byte[]> ballast = new ArrayList<>();
      int count = 0;
      int refused = 0;
      try {
        for (int size = 1 << 20; size >= 1 << 10; size >>= 1) {
          fill(ballast, size);
        }
        spare = null;
        for (; count < 200_000; count++) {
          set.put(8L * count, count);
        }
      } catch (OutOfMemoryError e) {
        refused = 1;
      }
      ballast.clear();
      require(spare == null && set.count() == count);
      for (int more = 0; more < 300; more++) {
        for (int i = Math.max(0, count - 300); i < count; i++) {
          require(set.find(8L * i) >= 0 && set.value(set.find(8L * i)) == i);
        }
        require(set.find(8L * count) < 0);
        set.put(8L * count, count);
        count++;
        require(set.count() == count);
      }
      return refused;
    }

    private static void fill(List<byte[]> ballast, int size) {
      try {
        while (true) {
          ballast.add(new byte[size]);
        }
      } catch (OutOfMemoryError e) {
        // as intended
      }
    }

    private static void require(boolean holds) {
      if (!holds) {
        System.err.println("the write set is not what was put into it");
        Runtime.getRuntime().halt(1);
      }
    }
  }

  @Test
  void anErrorWhileClosingStillReleasesTheLock() {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    AtomicBoolean armed = new AtomicBoolean();
    Storage storage = disk.storage();
    Storage failing =
        (Storage)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Storage.class},
                (_, method, arguments) -> {
                  if (armed.get() && List.of("create", "open").contains(method.getName())) {
                    throw new OutOfMemoryError("injected into " + method.getName());
                  }
                  try {
                    return method.invoke(storage, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    Store store = Store.open(SMALL.withStorage(failing));
    store.run(TxOptions.async(), tx -> tx.root(0, tx.allocate(8)));
    armed.set(true);
    assertThatThrownBy(store::close).isInstanceOf(OutOfMemoryError.class);
    try (Store again = Store.open(SMALL.withStorage(disk.storage()))) {
      assertThat((long) again.read(tx -> tx.root(0))).isNotZero();
    }
  }

  /** As where the number of threads is limited: the opening fails and leaves nothing behind. */
  @Test
  void anOpeningThatGetsNoThreadLeavesNoneBehindAndNoLock() throws Exception {
    for (String refused : List.of("howdah-segments", "howdah-flusher", "howdah-watch")) {
      SimulatedDisk disk = SimulatedDisk.seeded(1);
      Limited execution = new Limited(refused);
      assertThatThrownBy(
              () -> Store.open(SMALL.withStorage(disk.storage()).withExecution(execution)))
          .isInstanceOf(StorageException.class)
          .hasCauseInstanceOf(OutOfMemoryError.class);
      for (Thread thread : execution.started) {
        thread.join(30_000);
        assertThat(thread.isAlive()).as(refused + " refused, " + thread.getName()).isFalse();
      }
      Store.open(SMALL.withStorage(disk.storage())).close();
    }
  }

  /** Gets no thread of a given name. */
  private static final class Limited implements Execution {

    private final String refused;
    private final List<Thread> started = new CopyOnWriteArrayList<>();

    Limited(String refused) {
      this.refused = refused;
    }

    @Override
    public Thread start(String name, Runnable body) {
      if (name.equals(refused)) {
        parkNanos(this, 300_000_000); // those that started before have come to their rest
        throw new OutOfMemoryError("unable to create native thread: " + name);
      }
      Thread thread = Execution.system().start(name, body);
      started.add(thread);
      return thread;
    }

    @Override
    public long nanoTime() {
      return Execution.system().nanoTime();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      Execution.system().parkNanos(blocker, nanos);
    }

    @Override
    public void unpark(Thread thread) {
      Execution.system().unpark(thread);
    }

    @Override
    public void spinWait() {
      Execution.system().spinWait();
    }

    @Override
    public void yieldNow() {
      Execution.system().yieldNow();
    }

    @Override
    public int availableProcessors() {
      return Execution.system().availableProcessors();
    }
  }
}
