package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.core.RegionFullException;
import io.howdah.txn.ConflictException;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What replacing values guards, and what it does not. */
final class GuardedSlotTest {

  private static final int LIMIT_BYTES = 1 << 16;

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 22).withMaxTransactionBytes(LIMIT_BYTES));
  private final PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void whatIsRolledBackGuardsNothing() {
    store.run(tx -> map.put(tx, 1L, 1L));
    WordSession readerSession = store.session();
    Tx reader = readerSession.begin();
    assertThat(map.get(reader, 1L)).isEqualTo(1L);
    long block = store.call(tx -> tx.allocate(64));
    store.run(
        tx -> {
          for (int i = 0; i < LIMIT_BYTES; i++) {
            Savepoint savepoint = tx.savepoint();
            map.put(tx, 1L, 2L);
            tx.rollBack(savepoint);
          }
          tx.putLong(block, 1);
        });
    map.put(reader, 2L, 2L);
    readerSession.commit();
  }

  /** The put meets the conflict already if its key, by its hash, is in the bucket of the other. */
  private void requireConflict(WordSession readerSession, Tx reader) {
    try (readerSession) {
      assertThatThrownBy(
              () -> {
                map.put(reader, 2L, 2L);
                readerSession.commit();
              })
          .isInstanceOf(ConflictException.class);
    }
  }

  @Test
  void whatIsReplacedConflictsWithWhoHasReadIt() {
    store.run(tx -> map.put(tx, 1L, 1L));
    WordSession readerSession = store.session();
    Tx reader = readerSession.begin();
    assertThat(map.get(reader, 1L)).isEqualTo(1L);
    store.run(tx -> map.put(tx, 1L, 2L));
    requireConflict(readerSession, reader);
  }

  @Test
  void whatWasReplacedBeforeASavepointStaysGuardedAfterTheRollBack() {
    store.run(tx -> map.put(tx, 1L, 1L));
    store.run(tx -> map.put(tx, 3L, 3L));
    WordSession readerSession = store.session();
    Tx reader = readerSession.begin();
    assertThat(map.get(reader, 1L)).isEqualTo(1L);
    store.run(
        tx -> {
          map.put(tx, 1L, 2L);
          Savepoint savepoint = tx.savepoint();
          map.put(tx, 3L, 4L);
          tx.rollBack(savepoint);
        });
    requireConflict(readerSession, reader);
  }

  @Test
  void guardsTakeNothingFromWhatATransactionMayWrite() {
    int entries = LIMIT_BYTES / Long.BYTES - 1;
    for (long i = 0; i < entries; i++) {
      long key = i;
      store.run(tx -> map.put(tx, key, key));
    }
    store.run(
        tx -> {
          for (long i = 0; i < entries; i++) {
            map.put(tx, i, -i);
          }
        });
    assertThat(store.<Long, RuntimeException>read(tx -> map.getOrDefault(tx, 7L, 0L)))
        .isEqualTo(-7L);
  }

  @Test
  void addingWhatASetHasChangesNothing() {
    PersistentSet<Long> set = store.set("set", Codec.int64());
    store.run(tx -> set.add(tx, 1L));
    WordSession readerSession = store.session();
    Tx reader = readerSession.begin();
    assertThat(set.contains(reader, 1L)).isTrue();
    long block = store.call(tx -> tx.allocate(64));
    store.run(
        tx -> {
          assertThat(set.add(tx, 1L)).isFalse();
          tx.putLong(block, 1);
        });
    set.add(reader, 2L);
    readerSession.commit();
  }

  /** The last entry of a region that is full: no word behind it may be read. */
  @Test
  void theLastEntryIsFound() {
    try (WordStore small = WordStore.inMemory(WordOptions.defaults().withMaxSize(1 << 20))) {
      PersistentSet<String> set = small.set("set", Codec.utf8());
      int added = 0;
      try {
        while (true) {
          String element = "%08d".formatted(added);
          small.run(tx -> set.add(tx, element));
          added++;
        }
      } catch (RegionFullException e) {
        assertThat(added).isPositive();
      }
      for (int i = 0; i < added; i++) {
        String element = "%08d".formatted(i);
        assertThat(small.<Boolean, RuntimeException>read(tx -> set.contains(tx, element))).isTrue();
      }
    }
  }
}
