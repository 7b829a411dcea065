package io.howdah.archives3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.ArchiveReport;
import io.howdah.Store;
import io.howdah.StoreArchives;
import io.howdah.StoreOptions;
import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveMoment;
import io.howdah.archives3.FaultyHttp.Fault;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.s3.S3Client;

/** Stores with an archive in a bucket. */
final class S3ArchiveTest {

  private static final Duration NEVER = Duration.ofHours(1);

  @TempDir private Path folder;

  private final String bucket = LocalS3.bucket();

  private static StoreOptions options() {
    return StoreOptions.defaults().withMaxSize(1 << 20);
  }

  private Archive archive() {
    return Archive.in(LocalS3.address(bucket, "shop"));
  }

  private static long put(Store store, long value) {
    return store.run(
        TxOptions.sync(),
        tx -> {
          if (tx.root(0) == 0) {
            tx.root(0, tx.allocate(64));
          }
          tx.putLong(tx.root(0), value);
        });
  }

  private static long value(Path directory) {
    try (Store store = Store.open(directory)) {
      return store.read(tx -> tx.root(0) == 0 ? 0L : tx.getLong(tx.root(0)));
    }
  }

  /** Requires that each LSN of each range is restored to the value of its commit. */
  private long requireRestored(Archive archive, Map<Long, Long> values, String name) {
    long last = 0;
    int restores = 0;
    for (ArchiveReport.Range range : StoreArchives.list(archive).ranges()) {
      for (long lsn = range.fromLsn(); lsn <= range.lsn(); lsn++) {
        Path target = folder.resolve(name + "-" + restores++);
        StoreArchives.restore(archive, target, ArchiveMoment.atLsn(lsn));
        assertThat(value(target)).as("LSN %d", lsn).isEqualTo(values.getOrDefault(lsn, 0L));
      }
      last = range.lsn();
    }
    return last;
  }

  @Test
  void eachLsnIsRestoredFromABucket() {
    byte[] key = new byte[32];
    key[3] = 7;
    TreeMap<Long, Long> values = new TreeMap<>();
    Archive to =
        Archive.to(LocalS3.address(bucket, "shop"), NEVER)
            .withCompression(true)
            .withKey(key)
            .withKeep(Duration.ofDays(7));
    try (Store store = Store.open(folder.resolve("store"), options().withArchive(to))) {
      for (long i = 1; i <= 5; i++) {
        values.put(put(store, i), i);
        store.admin().updateArchive();
      }
      assertThat(store.admin().archive().orElseThrow().problem()).isEmpty();
    }
    Archive archive = archive().withKey(key);
    assertThat(StoreArchives.isArchive(archive)).isTrue();
    assertThat(StoreArchives.verify(archive).damages()).isEmpty();
    assertThat(requireRestored(archive, values, "restored"))
        .isGreaterThanOrEqualTo(values.lastKey());
    // A second run of the same store continues the archive, and another store may not.
    try (Store store = Store.open(folder.resolve("store"), options().withArchive(to))) {
      put(store, 6);
      store.admin().updateArchive();
    }
    assertThat(StoreArchives.list(archive).ranges()).hasSize(2);
    try (Store other = Store.open(folder.resolve("other"), options().withArchive(to))) {
      assertThatThrownBy(() -> other.admin().updateArchive())
          .hasMessageContaining("s3://" + bucket + "/shop holds the archive of store");
    }
  }

  @Test
  void anEmptyPlaceHasNoArchive() {
    assertThat(StoreArchives.isArchive(archive())).isFalse();
    assertThatThrownBy(() -> StoreArchives.list(archive()))
        .hasMessageContaining("there is no archive in s3://" + bucket + "/shop");
  }

  @Test
  void aBucketThatIsAwayIsTriedAgain() {
    AtomicInteger isAway = new AtomicInteger();
    try (S3Client client =
            LocalS3.client(
                LocalS3.LIMITS, (_, _) -> isAway.get() == 1 ? Fault.SLOW_DOWN : Fault.NONE);
        Store store = Store.open(folder.resolve("store"), options().withArchive(over(client)))) {
      put(store, 1);
      store.admin().updateArchive();
      isAway.set(1);
      long lsn = put(store, 2);
      assertThatThrownBy(() -> store.admin().updateArchive())
          .hasMessageContaining("s3://" + bucket + "/shop/");
      assertThat(store.admin().archive().orElseThrow().failedAttempts()).isPositive();
      isAway.set(0);
      assertThat(store.admin().updateArchive().lsn()).isGreaterThanOrEqualTo(lsn);
      assertThat(store.admin().archive().orElseThrow().gaps()).isZero();
    }
    StoreArchives.restore(archive(), folder.resolve("restored"), ArchiveMoment.latest());
    assertThat(value(folder.resolve("restored"))).isEqualTo(2);
  }

  private Archive over(S3Client client) {
    return Archive.to(() -> S3Archives.over(client, bucket, "shop"), NEVER);
  }

  /** The machine dies at a request of the archive, which the object store has carried out. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20})
  void aCrashAtARequestLosesNothingThatWasPromised(int crash) {
    TreeMap<Long, Long> values = new TreeMap<>();
    long promised = 0;
    S3Limits once =
        new S3Limits(1, Duration.ofMillis(1), Duration.ofSeconds(20), Duration.ofSeconds(60));
    try (S3Client client =
            LocalS3.client(
                once,
                (number, _) ->
                    number < crash
                        ? Fault.NONE
                        : number == crash ? Fault.NO_ANSWER : Fault.NOT_SENT);
        Store store = Store.open(folder.resolve("store"), options().withArchive(over(client)))) {
      for (long i = 1; i <= 4; i++) {
        long lsn = put(store, i);
        values.put(lsn, i);
        store.admin().updateArchive();
        promised = lsn;
      }
    } catch (RuntimeException e) {
      assertThat(e).hasMessageContaining("s3://" + bucket);
    }
    long last = StoreArchives.isArchive(archive()) ? requireRestored(archive(), values, "r") : 0;
    assertThat(last).isGreaterThanOrEqualTo(promised);
  }
}
