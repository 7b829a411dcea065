package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What docs/objects.md says of calls in a body that do not take its transaction. */
final class CallsInABodyTest {

  private final WordStore store =
      WordStore.inMemory(WordOptions.defaults().withMaxSize(1 << 22).withOrecs(1 << 16));

  private final PersistentMap<String, Long> map = store.map("map", Codec.utf8(), Codec.int64());
  private final PersistentMap<String, Long> other = store.map("other", Codec.utf8(), Codec.int64());
  private final PersistentQueue<String> queue = store.queue("queue", Codec.utf8());

  @AfterEach
  void close() {
    store.close();
  }

  private void rolledBack(TxBody<RuntimeException> body) {
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      body.run(tx);
                      throw tx.abort();
                    }))
        .isInstanceOf(TransactionAbortedException.class);
  }

  private Long read(PersistentMap<String, Long> from, String key) {
    return store.read(tx -> from.getOrDefault(tx, key, -1L));
  }

  @Test
  void readsDoNotSeeWhatTheBodyHasWritten() {
    store.run(tx -> map.put(tx, "a", 1L));
    rolledBack(
        tx -> {
          map.put(tx, "a", 2L);
          assertThat(read(map, "a")).isEqualTo(1L);
          assertThat(map.asMap()).containsEntry("a", 1L);
          assertThat(map.asMap(tx)).containsEntry("a", 2L);
          queue.add(tx, "q");
          assertThat(queue.asBlockingQueue().peek()).isNull();
          long nested = tx.call((Tx inner) -> map.getOrDefault(inner, "a", -1L));
          assertThat(nested).isEqualTo(2L);
        });
    assertThat(read(map, "a")).isEqualTo(1L);
  }

  @Test
  void changesStayThoughTheBodyIsRolledBack() {
    rolledBack(
        tx -> {
          map.put(tx, "a", 2L);
          store.run(inner -> other.put(inner, "run", 1L));
          other.asMap().put("view", 1L);
          assertThat(queue.asBlockingQueue().add("q")).isTrue();
          PersistentMap<String, Long> made = store.map("made", Codec.utf8(), Codec.int64());
          made.asMap().put("b", 3L);
        });
    assertThat(read(map, "a")).isEqualTo(-1L);
    assertThat(read(other, "run")).isEqualTo(1L);
    assertThat(read(other, "view")).isEqualTo(1L);
    assertThat(queue.asBlockingQueue()).contains("q"); // once for each time that the body has run
    assertThat(store.map("made", Codec.utf8(), Codec.int64()).asMap()).containsEntry("b", 3L);
  }

  @Test
  void expiredEntriesAreReclaimedThoughTheBodyIsRolledBack() {
    PersistentMap<String, Long> expiring =
        store.map("expiring", Codec.utf8(), Codec.int64(), Expiry.perEntry());
    store.run(tx -> expiring.expiry().putUntil(tx, "a", 1L, Instant.EPOCH));
    rolledBack(
        tx -> {
          map.put(tx, "a", 2L);
          long _ = expiring.expiry().reclaim();
        });
    long stored = store.read(tx -> expiring.expiry().storedEntries(tx));
    assertThat(stored).isZero();
  }
}
