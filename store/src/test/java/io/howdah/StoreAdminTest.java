package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.txn.TxOptions;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an administrator sees of a store and does to it, and what is refused where. */
final class StoreAdminTest {

  private static final StoreOptions SMALL =
      StoreOptions.defaults()
          .withMaxSize(2 << 20)
          .withPartitions(2)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10);

  @TempDir Path folder;

  private static void commits(Store store, int count) {
    for (int i = 0; i < count; i++) {
      store.run(TxOptions.sync(), tx -> tx.putLong(8192, tx.getLong(8192) + 1));
    }
  }

  /** All attributes of the bean, beside what the API tells in the same moment of a quiet store. */
  @Test
  void theBeanTellsWhatTheApiTells() throws Exception {
    Path directory = folder.resolve("store");
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName name =
        new ObjectName("io.howdah:type=Store,directory=" + ObjectName.quote(directory.toString()));
    try (Store store = Store.open(directory, SMALL.withManagementBean(true))) {
      long before = store.admin().stats().commits();
      commits(store, 20);
      try (Session session = store.session()) {
        session.begin().putLong(8192, 1);
        session.abort();
      }
      store.admin().checkpoint();
      commits(store, 5);
      store.durability().awaitStable(store.admin().stats().lsn());
      Map<String, Object> told = new HashMap<>();
      for (MBeanAttributeInfo attribute : server.getMBeanInfo(name).getAttributes()) {
        told.put(attribute.getName(), server.getAttribute(name, attribute.getName()));
      }
      StoreStats stats = store.admin().stats();
      CheckpointStats checkpoints = store.admin().checkpointStats();
      assertThat(stats.commits()).isEqualTo(before + 25);
      assertThat(stats.totalAborts()).isEqualTo(1);
      assertThat(stats.forces()).isPositive();
      assertThat(checkpoints.replayBytes()).isPositive();
      assertThat(checkpoints.logBytes()).isPositive();
      Map<String, Object> expected = new HashMap<>();
      expected.put("Commits", stats.commits());
      expected.put("Aborts", stats.totalAborts());
      expected.put("Lsn", stats.lsn());
      expected.put("StableLsn", stats.stableLsn());
      expected.put("Forces", stats.forces());
      expected.put("Stalled", false);
      expected.put("StalledSinceMillis", 0L);
      expected.put("StallReason", "");
      expected.put("StallPartition", -1L);
      expected.put("Checkpoints", 1L);
      expected.put("CheckpointRunning", false);
      expected.put("ReplayWordsLeft", 0L);
      expected.put("ReplayDone", true);
      expected.put("ReplayBytes", checkpoints.replayBytes());
      expected.put("LogBytes", checkpoints.logBytes());
      expected.put("CommitsBlocked", false);
      expected.put("ExpectedRecoveryMillis", checkpoints.expectedRecovery().toMillis());
      assertThat(told).containsAllEntriesOf(expected).hasSize(StoreFigure.all().size() + 1);
    }
  }

  @Test
  void theSocketTellsWhatTheApiTells() {
    Path directory = folder.resolve("store");
    try (Store store = Store.open(directory, SMALL.withAdminSocket(true))) {
      long before = store.admin().stats().commits();
      commits(store, 20);
      store.read(TxOptions.async(), tx -> tx.getLong(8192));
      Map<String, Long> told = AdminClient.figures(directory);
      StoreStats stats = store.admin().stats();
      StoreSpace space = store.admin().space();
      assertThat(stats.commits()).isEqualTo(before + 20);
      assertThat(stats.readOnlyCommits()).isPositive();
      assertThat(told)
          .containsEntry("commits", stats.commits())
          // The one that has read how much space is used was not counted yet.
          .containsEntry("readOnlyCommits", stats.readOnlyCommits() - 1)
          .containsEntry("usedBytes", space.usedBytes())
          .containsEntry("freeBytes", space.freeBytes())
          .containsEntry("reclaimableBytes", space.reclaimableBytes())
          .containsEntry("aborts", 0L)
          .containsEntry("lsn", stats.lsn())
          .containsEntry("stableLsn", stats.stableLsn())
          .containsEntry("forces", stats.forces())
          .containsEntry("reclaimedEntries", 0L)
          .containsEntry("stalled", 0L)
          .containsEntry("replayWordsLeft", 0L)
          .containsEntry("replayDone", 1L)
          .containsEntry("allocatedBytes", stats.allocatedBytes())
          .containsEntry("capacityBytes", stats.capacityBytes())
          .containsEntry("memoryLimitBytes", stats.memoryLimitBytes())
          .containsKey("memoryBytes")
          .containsOnlyKeys(StoreFigure.all().stream().map(StoreFigure::name).toList());
      StoreStats typed = AdminClient.stat(directory);
      assertThat(typed.commits()).isEqualTo(stats.commits());
      assertThat(typed.aborts()).isEqualTo(stats.aborts());
      assertThat(typed.stall()).isEmpty();
      assertThat(typed.maxBlockBytes()).isEqualTo(stats.maxBlockBytes());
      assertThat(typed.capacityBytes()).isEqualTo(stats.capacityBytes());
      long lsn = AdminClient.checkpoint(directory);
      assertThat(lsn).isEqualTo(stats.lsn());
      assertThat(store.admin().checkpointStats().taken()).isEqualTo(1);
    }
  }

  @Test
  void aStoreInMemoryHasNoFiles() {
    try (Store store = Store.inMemory(SMALL)) {
      StoreAdmin admin = store.admin();
      assertThatIllegalStateException()
          .isThrownBy(admin::checkpoint)
          .withMessageContaining("in memory");
      assertThatIllegalStateException()
          .isThrownBy(admin::checkpointStats)
          .withMessageContaining("in memory");
      assertThatIllegalStateException()
          .isThrownBy(() -> admin.backup(folder.resolve("backup")))
          .withMessageContaining("in memory");
      assertThatIllegalStateException()
          .isThrownBy(admin::recoveryReport)
          .withMessageContaining("in memory");
      assertThatIllegalStateException().isThrownBy(admin::lastStop);
      assertThat(folder.resolve("backup")).doesNotExist();
      assertThat(admin.replayStats().isDone()).isTrue();
      assertThat(admin.stats().forces()).isZero();
      assertThat(admin.stats().stall()).isEmpty();
      assertThat(admin.stats().stableLsn()).isEqualTo(admin.stats().lsn());
    }
  }

  @Test
  void aStoreForReadingOnlyTakesNoCheckpoint() {
    Path directory = folder.resolve("store");
    Store.open(directory, SMALL).close();
    try (Store store = Store.open(directory, SMALL.withReadOnly(true))) {
      assertThatThrownBy(() -> store.admin().checkpoint())
          .isInstanceOf(ReadOnlyStoreException.class)
          .hasMessageContaining("for reading only");
      assertThatThrownBy(() -> store.admin().backup(folder.resolve("backup")))
          .isInstanceOf(ReadOnlyStoreException.class);
      assertThat(folder.resolve("backup")).doesNotExist();
      assertThat(store.admin().lastStop()).isEqualTo(LastStop.CLEAN);
    }
  }

  @Test
  void aClosedStoreSaysSoAndHowItWasOpened() {
    Path directory = folder.resolve("store");
    Store store = Store.open(directory, SMALL);
    StoreAdmin admin = store.admin();
    store.close();
    assertThatThrownBy(admin::stats).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(admin::checkpoint).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(admin::checkpointStats).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(admin::inspect).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(admin::orphans).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> admin.drop("map")).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> admin.backup(folder.resolve("backup")))
        .isInstanceOf(StoreClosedException.class);
    assertThat(admin.options().maxSize()).isEqualTo(2 << 20);
    assertThat(admin.lastStop()).isEqualTo(LastStop.CLEAN);
    assertThat(admin.recoveryReport()).isNotNull();
  }

  @Test
  void aBackupGoesNowhereButToAnEmptyDirectory() {
    Path directory = folder.resolve("store");
    try (Store store = Store.open(directory, SMALL)) {
      commits(store, 3);
      BackupReport report = store.admin().backup(folder.resolve("backup"));
      assertThat(report.lsn()).isEqualTo(store.admin().stats().lsn());
      assertThatThrownBy(() -> store.admin().backup(folder.resolve("backup")))
          .isInstanceOf(UnsupportedStoreException.class)
          .hasMessageContaining("empty");
      assertThatThrownBy(() -> store.admin().backup(directory))
          .isInstanceOf(RuntimeException.class);
      commits(store, 3);
    }
    try (Store copy = Store.open(folder.resolve("backup"), SMALL)) {
      assertThat((long) copy.read(tx -> tx.getLong(8192))).isEqualTo(3);
    }
  }

  @Test
  void collectionsAreNamedReadAndDropped() {
    try (Store store = Store.inMemory(SMALL)) {
      PersistentMap<String, Long> map = store.map("map", Codec.utf8(), Codec.int64());
      PersistentSortedMap<Long, String> sorted =
          store.sortedMap("sorted", Codec.int64(), Codec.utf8());
      store.run(
          tx -> {
            map.put(tx, "a", 1L);
            sorted.put(tx, 2L, "b");
          });
      StoreAdmin admin = store.admin();
      assertThat(store.read(admin::collections).keySet()).containsExactly("map", "sorted");
      assertThat(store.read(admin::types)).isEmpty();
      PersistentMap<String, Long> read = admin.mapToRead("map", Codec.utf8(), Codec.int64());
      assertThat((long) store.read(tx -> read.getOrDefault(tx, "a", 0L))).isEqualTo(1L);
      PersistentSortedMap<Long, String> readSorted =
          admin.sortedMapToRead("sorted", Codec.int64(), Codec.utf8());
      String value = store.read(tx -> readSorted.getOrDefault(tx, 2L, ""));
      assertThat(value).isEqualTo("b");
      assertThat(admin.orphans()).isEmpty();
      assertThat(admin.drop("map")).isTrue();
      assertThat(admin.drop("map")).isFalse();
      assertThat(store.read(admin::collections).keySet()).containsExactly("sorted");
    }
  }
}
