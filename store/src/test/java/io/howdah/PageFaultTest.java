package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.HowdahException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.UnavailablePageException;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.flush.ForceNote;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A page of the region cannot be had: whatever needed it is told by type, never by the JVM's raw
 * error, and has not happened; the store goes on, unless pages are lost for good.
 */
final class PageFaultTest {

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withPartitions(2)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 12);

  private static final long LOST = 32768;
  private static final long KEPT = 16384;

  private final UnavailableMemory region = new UnavailableMemory(Regions.anonymous(1 << 20));
  private final Store store = TestStores.inMemory(OPTIONS, region);

  @AfterEach
  void close() {
    store.close();
  }

  private void requireUnavailable(ThrowingCallable use) {
    region.takeAway(LOST);
    try {
      assertThatThrownBy(use)
          .isInstanceOf(UnavailablePageException.class)
          .hasMessageContaining("the operation that needed it had no effect")
          .hasCauseInstanceOf(InternalError.class);
      assertThat((long) store.read(tx -> tx.getLong(KEPT))).as("other pages").isZero();
    } finally {
      region.giveBack();
    }
    for (int i = 1; i <= 4; i++) {
      long value = i;
      store.run(tx -> tx.putLong(LOST, value));
      assertThat((long) store.read(tx -> tx.getLong(LOST))).isEqualTo(value);
    }
    store.run(tx -> tx.putLong(LOST, 0));
  }

  @Test
  void readsAreTold() {
    requireUnavailable(() -> store.read(tx -> tx.getLong(LOST)));
    requireUnavailable(
        () ->
            store.read(
                tx -> {
                  tx.getLongs(new long[] {KEPT, LOST}, new long[2]);
                  return 0;
                }));
  }

  @Test
  void transactionsThatReadAreToldAndHaveNotHappened() {
    requireUnavailable(
        () ->
            store.run(
                tx -> {
                  tx.putLong(KEPT, 7);
                  tx.getLong(LOST);
                }));
    requireUnavailable(
        () -> store.callWithReceipt(TxOptions.sync().withIrrevocable(), tx -> tx.getLong(LOST)));
  }

  @Test
  void transactionsThatWriteAreToldBeforeTheyCommit() {
    requireUnavailable(
        () ->
            store.run(
                tx -> {
                  tx.putLong(KEPT, 7);
                  tx.putLong(LOST, 7);
                }));
  }

  /** Whatever else was read: the orecs of some of these words have the last bits of the other's. */
  @Test
  void transactionsThatReadSomeWordsAndWriteAnotherAreToldBeforeTheyCommit() {
    requireUnavailable(
        () ->
            store.run(
                tx -> {
                  for (int i = 0; i < 16; i++) {
                    tx.getLong(KEPT + 256L * i);
                  }
                  tx.putLong(LOST, 7);
                }));
  }

  @Test
  void sessionsAndExplicitTransactionsAreToldWhereTheyReadAndWhereTheyCommit() {
    Session session = store.session();
    requireUnavailable(
        () -> {
          try {
            session.begin().putLong(LOST, 7);
            session.commit();
          } finally {
            session.abort();
          }
        });
    requireUnavailable(
        () -> {
          Session txSession = store.session();
          Tx tx = txSession.begin();
          try {
            tx.putLong(LOST, 7);
            txSession.commit();
          } finally {
            txSession.abort();
          }
        });
  }

  @Test
  void aBodysOwnInternalErrorIsNotTouched() {
    InternalError own = new InternalError("of the body");
    assertThatThrownBy(
            () ->
                store.run(
                    _ -> {
                      throw own;
                    }))
        .isSameAs(own);
  }

  @Test
  void aPageThatIsGoneWithinTheCommitStopsTheStoreAndIsNamed() {
    // The words are stored once the record is published, where there is no way back.
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      tx.putLong(LOST, 7);
                      region.takeAwayOnStore(LOST);
                    }))
        .isInstanceOf(StoreFailedException.class)
        .hasCauseInstanceOf(UnavailablePageException.class);
    assertThatThrownBy(() -> store.read(tx -> tx.getLong(KEPT)))
        .isInstanceOf(StoreFailedException.class)
        .hasCauseInstanceOf(UnavailablePageException.class);
  }

  // ---- Real files.

  /** Makes a store of 1 MiB of data and shortens its image while it is open. */
  private static void truncate(Path directory) throws IOException {
    try (FileChannel image =
        FileChannel.open(directory.resolve("image"), StandardOpenOption.WRITE)) {
      image.truncate(1 << 20);
    }
  }

  private static StoreOptions onDisk() {
    return OPTIONS.withMaxSize(4 << 20);
  }

  @Test
  void anImageThatIsTruncatedStopsTheStoreAndIsNamed(@TempDir Path directory) throws IOException {
    long array;
    try (Store made = Store.open(directory, onDisk())) {
      array = made.call(tx -> tx.allocate(3 << 19));
      made.run(tx -> tx.putLong(array + (1 << 20), 1));
    }
    Store open = Store.open(directory, onDisk());
    assertThat((long) open.read(tx -> tx.getLong(array))).isZero();
    truncate(directory);
    StoreFailedException told =
        catchThrowableOfType(
            StoreFailedException.class, () -> open.read(tx -> tx.getLong(array + (1 << 20))));
    assertThat(told.getCause())
        .isInstanceOfSatisfying(
            CorruptStoreException.class,
            e -> {
              assertThat(e.file()).isEqualTo(directory.resolve("image").toString());
              assertThat(e.offset()).isEqualTo(1 << 20);
            })
        .hasMessageContaining("truncated")
        .hasMessageContaining("pages from 256 on")
        .hasMessageContaining("backup");
    assertThatThrownBy(() -> open.run(tx -> tx.putLong(array, 1)))
        .isInstanceOf(StoreFailedException.class)
        .hasMessageContaining("truncated");
    assertThatThrownBy(open::close).isInstanceOf(HowdahException.class);
  }

  /** The flusher meets the fault, and the store tells of the file behind it. */
  @Test
  void aForceNoteThatIsTruncatedStopsTheStoreAndIsNamed(@TempDir Path directory)
      throws IOException {
    Store open = Store.open(directory, onDisk());
    open.run(TxOptions.sync(), tx -> tx.allocate(8));
    try (FileChannel note =
        FileChannel.open(directory.resolve(ForceNote.NAME), StandardOpenOption.WRITE)) {
      note.truncate(0);
    }
    assertThatThrownBy(() -> open.run(TxOptions.sync(), tx -> tx.allocate(8)))
        .isInstanceOf(StoreFailedException.class)
        .cause()
        .isInstanceOfSatisfying(
            CorruptStoreException.class,
            e -> assertThat(e.file()).isEqualTo(directory.resolve(ForceNote.NAME).toString()))
        .hasMessageContaining("truncated");
    assertThatThrownBy(open::close).isInstanceOf(HowdahException.class);
  }

  @Test
  void aReaderOfATruncatedImageIsToldTheSame(@TempDir Path directory) throws IOException {
    long array;
    try (Store made = Store.open(directory, onDisk())) {
      array = made.call(tx -> tx.allocate(3 << 19));
      made.run(tx -> tx.putLong(array + (1 << 20), 1));
    }
    try (Store reader = Store.open(directory, onDisk().withReadOnly(true))) {
      truncate(directory);
      assertThatThrownBy(() -> reader.read(tx -> tx.getLong(array + (1 << 20))))
          .isInstanceOf(StoreFailedException.class)
          .hasCauseInstanceOf(CorruptStoreException.class);
    }
  }
}
