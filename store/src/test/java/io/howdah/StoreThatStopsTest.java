package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreFailedException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A store that stops while it takes a checkpoint, or is backed up. */
@Timeout(120)
final class StoreThatStopsTest {

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withPartitions(1)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);

  private interface Watch {
    void before(String method, String file) throws Exception;
  }

  /** Passes calls on, after an action that gets the method's name, and that of the file. */
  private static <T> T watched(Class<T> port, T passedTo, String file, Watch watch) {
    return port.cast(
        Proxy.newProxyInstance(
            port.getClassLoader(),
            new Class<?>[] {port},
            (_, method, arguments) -> {
              watch.before(method.getName(), file);
              Object result;
              try {
                result = method.invoke(passedTo, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              return result instanceof StorageFile opened
                  ? watched(StorageFile.class, opened, (String) arguments[0], watch)
                  : result;
            }));
  }

  private static void stop(Store store, SimulatedDisk disk) {
    disk.inject(Fault.onNth(Operation.FORCE, 1).in("log/0").forEver());
    assertThatThrownBy(() -> store.run(TxOptions.sync(), tx -> tx.allocate(8)))
        .isInstanceOf(StoreFailedException.class);
  }

  /** Another process may have the store by then: that may be why this one has stopped. */
  @ParameterizedTest
  @CsvSource({"write,journal/0", "force,journal/0", "write,image", "force,image"})
  void aCheckpointChangesNothingAfterwards(String stopBefore, String file) {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    AtomicBoolean armed = new AtomicBoolean();
    List<Store> stores = new ArrayList<>();
    List<byte[]> files = new ArrayList<>();
    Storage watched =
        watched(
            Storage.class,
            disk.storage(),
            "",
            (method, name) -> {
              if (method.equals(stopBefore) && name.equals(file) && armed.getAndSet(false)) {
                stop(stores.getFirst(), disk);
                files.add(disk.contents("store.howdah"));
              }
            });
    Store store = Store.open(OPTIONS.withStorage(watched));
    stores.add(store);
    store.admin().checkpoint();
    store.run(tx -> tx.putLong(tx.allocate(8), 1));
    List<String> segments = disk.storage().list("log/0");
    armed.set(true);
    assertThatThrownBy(() -> store.admin().checkpoint()).isInstanceOf(StoreFailedException.class);
    assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
    assertThat(files).hasSize(1);
    assertThat(disk.contents("store.howdah")).isEqualTo(files.getFirst());
    assertThat(disk.storage().list("log/0")).containsAll(segments);
    disk.kill();
    disk.clearFaults();
    try (Store again = Store.open(OPTIONS.withStorage(disk.storage()))) {
      assertThat(again.admin().recoveryReport().foldedPages()).isNotNegative();
    }
  }

  /** The caller closes the target when it is told, so the copy has to be gone by then. */
  @Test
  void nothingIsLeftOfTheCopy() throws Exception {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    SimulatedDisk target = SimulatedDisk.seeded(2);
    Store store = Store.open(OPTIONS.withStorage(disk.storage()));
    store.run(tx -> tx.putLong(tx.allocate(8), 1));
    AtomicBoolean stopped = new AtomicBoolean();
    CountDownLatch closed = new CountDownLatch(1);
    Storage watched =
        watched(
            Storage.class,
            target.storage(),
            "",
            (method, _) -> {
              if (method.equals("close")) {
                closed.countDown();
              }
              if (method.equals("setSize") && stopped.compareAndSet(false, true)) {
                stop(store, disk);
                closed.await(1, TimeUnit.SECONDS); // a caller that does not wait for the copy
              }
            });
    assertThatThrownBy(() -> store.admin().backup(() -> watched))
        .isInstanceOf(StoreFailedException.class);
    assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
    target.kill();
    assertThat(target.storage().list("")).as("what is left of the copy").isEmpty();
  }
}
