package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreFailedException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What can be seen of an open store from outside: JFR events, the JMX bean, the admin socket. */
class ObservationTest {

  private static final StoreOptions SMALL =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withPartitions(2)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10);

  @TempDir Path folder;

  private static long commit(Store store) {
    return store.run(
        tx -> {
          if (tx.root(0) == 0) {
            tx.root(0, tx.allocate(8));
          }
          tx.putLong(tx.root(0), tx.getLong(tx.root(0)) + 1);
        });
  }

  @Test
  void batchesCheckpointsAndRecoveriesAreRecorded() throws Exception {
    Path file = folder.resolve("events.jfr");
    CheckpointReport report;
    try (Recording recording = new Recording()) {
      recording.start();
      try (Store store = Store.open(folder.resolve("store"), SMALL)) {
        commit(store);
        report = store.admin().checkpoint();
      }
      recording.stop();
      recording.dump(file);
    }
    var events = RecordingFile.readAllEvents(file);
    Set<String> names =
        events.stream().map(event -> event.getEventType().getName()).collect(Collectors.toSet());
    assertThat(names).contains("io.howdah.Batch", "io.howdah.Checkpoint", "io.howdah.Recovery");
    RecordedEvent checkpoint =
        events.stream()
            .filter(event -> event.getEventType().getName().equals("io.howdah.Checkpoint"))
            .findFirst()
            .orElseThrow();
    assertThat(checkpoint.getLong("lsn")).isEqualTo(report.lsn());
    assertThat(checkpoint.getLong("bytes")).isEqualTo(report.writtenBytes());
  }

  @Test
  void aStoreThatStopsIsRecordedOnceWithTheCause() throws Exception {
    Path file = folder.resolve("events.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      SimulatedDisk disk = SimulatedDisk.seeded(1);
      Store store = Store.open(SMALL.withStorage(disk.storage()));
      disk.inject(Fault.onNth(Operation.FORCE, 1).with(Reason.IO).forEver());
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> store.run(TxOptions.sync(), tx -> tx.root(0, tx.allocate(8))))
            .isInstanceOf(StoreFailedException.class);
      }
      assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> stops =
        RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getEventType().getName().equals("io.howdah.StoreStopped"))
            .toList();
    assertThat(stops).hasSize(1);
    assertThat(stops.getFirst().getString("cause")).contains("StorageException");
  }

  @Test
  void theBeanShowsGaugesWhileTheStoreIsOpen() throws Exception {
    Path directory = folder.resolve("store");
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName name =
        new ObjectName("io.howdah:type=Store,directory=" + ObjectName.quote(directory.toString()));
    try (Store store = Store.open(directory, SMALL.withManagementBean(true))) {
      commit(store);
      assertThat((long) server.getAttribute(name, "ReplayBytes")).isPositive();
      store.admin().checkpoint();
      commit(store);
      assertThat(server.getAttribute(name, "Checkpoints")).isEqualTo(1L);
      assertThat(server.getAttribute(name, "Lsn")).isEqualTo(store.admin().stats().lsn());
      assertThat(server.getAttribute(name, "CheckpointRunning")).isEqualTo(false);
      assertThat(store.admin().checkpointStats().replayBytes()).isLessThan(64 << 10);
    }
    assertThat(server.isRegistered(name)).isFalse();
  }

  @Test
  @SuppressWarnings("try") // closed early, once more at the end
  void eachOfSeveralReadersHasABean() throws Exception {
    Path directory = folder.resolve("store");
    Store.open(directory, SMALL).close();
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName all =
        new ObjectName(
            "io.howdah:type=Store,directory=" + ObjectName.quote(directory.toString()) + ",*");
    StoreOptions reading = SMALL.withManagementBean(true).withReadOnly(true);
    try (Store first = Store.open(directory, reading);
        Store second = Store.open(directory, reading)) {
      assertThat(server.queryNames(all, null)).hasSize(2);
      first.close();
      assertThat(server.queryNames(all, null)).hasSize(1);
      assertThat(second.admin().stats().lsn()).isPositive();
    }
    assertThat(server.queryNames(all, null)).isEmpty();
  }

  @Test
  void anOpenStoreAnswersThroughItsSocketIfAskedTo() throws Exception {
    Path directory = folder.resolve("store");
    Path backup = folder.resolve("backup");
    try (Store store = Store.open(directory, SMALL.withAdminSocket(true))) {
      long lsn = commit(store);
      assertThat(AdminClient.stat(directory).lsn()).isEqualTo(lsn);
      assertThat(AdminClient.checkpoint(directory)).isEqualTo(lsn);
      assertThat(AdminClient.backup(directory, backup)).isEqualTo(lsn);
      assertThatThrownBy(() -> AdminClient.backup(directory, backup))
          .isInstanceOf(AdminClient.RefusedException.class)
          .hasMessageContaining("name an empty or a new directory");
      commit(store);
    }
    assertThatThrownBy(() -> AdminClient.stat(directory))
        .isInstanceOf(UnsupportedStoreException.class);
    assertThat(Files.exists(directory.resolve("store.admin"))).isFalse();
    try (Store copy = Store.open(backup, SMALL)) {
      long value = copy.read(tx -> tx.getLong(tx.root(0)));
      assertThat(value).isEqualTo(1);
    }
  }

  @Test
  void compactingKeepsTheDataAndGivesTheLogBack() throws Exception {
    Path directory = folder.resolve("store");
    try (Store store = Store.open(directory, SMALL)) {
      for (int i = 0; i < 10; i++) {
        commit(store);
      }
    }
    StoreBackups.compact(directory);
    try (var segments = Files.list(directory.resolve("log/0"))) {
      assertThat(segments).isEmpty();
    }
    for (long expected = 11; expected < 14; expected++) {
      try (Store store = Store.open(directory, SMALL)) {
        commit(store);
        long value = store.read(tx -> tx.getLong(tx.root(0)));
        assertThat(value).isEqualTo(expected);
      }
    }
  }
}
