package io.howdah.txn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.TransactionStateException;
import io.howdah.txn.codec.Codec;
import io.howdah.txn.codec.CodecException;
import io.howdah.txn.codec.Decoder;
import io.howdah.txn.codec.Encoder;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What collections refuse, how they name it, and that a refused transaction leaves no trace. */
final class CollectionErrorsTest {

  private static final StoreOptions SMALL =
      StoreOptions.defaults().maxSize(1 << 26).orecs(1 << 12).partitions(2);

  private final Store store = Store.inMemory(SMALL);
  private final PersistentMap<String, Long> map =
      store.map("accounts", Codec.utf8(), Codec.int64());

  @AfterEach
  void close() {
    store.read(
        tx -> {
          assertThat(map.size(tx)).as("entries of failed transactions").isZero();
          return 0;
        });
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  @Test
  @SuppressWarnings("NullAway") // that is the point
  void nullsAreRefused() {
    assertThatThrownBy(() -> store.run(tx -> map.put(tx, null, 1L)))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("key")
        .hasMessageContaining("\"accounts\"");
    assertThatThrownBy(() -> store.run(tx -> map.put(tx, "a", null)))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("value")
        .hasMessageContaining("\"accounts\"");
  }

  @Test
  void keysAndValuesBeyondTheLimitAreRefused() {
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      map.put(tx, "a", 1L);
                      try {
                        map.put(tx, "k".repeat(PersistentCollection.MAX_KEY_BYTES + 1), 1L);
                      } catch (EntryTooLargeException e) {
                        // the transaction has ended all the same
                      }
                    }))
        .isInstanceOf(EntryTooLargeException.class)
        .hasMessageContaining("\"accounts\"")
        .hasMessageContaining("65537")
        .hasMessageContaining("65536");
    PersistentMap<Long, byte[]> large = store.map("large", Codec.int64(), Codec.bytes());
    int limit = PersistentCollection.MAX_VALUE_BYTES;
    assertThatThrownBy(() -> store.run(tx -> large.put(tx, 1L, new byte[limit + 1])))
        .isInstanceOf(EntryTooLargeException.class)
        .hasMessageContaining(String.valueOf(limit + 1));
    assertThatThrownBy(() -> store.run(tx -> large.put(tx, 1L, new byte[3 * limit])))
        .isInstanceOf(EntryTooLargeException.class);
    store.run(tx -> large.put(tx, 1L, new byte[limit]));
    store.run(tx -> assertThat(large.get(tx, 1L)).hasSize(limit));
  }

  @Test
  void aNameIsOneCollection() {
    assertThatThrownBy(() -> store.map("accounts", Codec.utf8(), Codec.utf8()))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("\"accounts\" is a map of utf8 to int64")
        .hasMessageContaining("map of utf8 to utf8");
    assertThatThrownBy(() -> store.sortedMap("accounts", Codec.utf8(), Codec.int64()))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("sorted map");
    assertThatThrownBy(() -> store.counter("")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.counter("n".repeat(256)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("256");
    assertThat(store.map("accounts", Codec.utf8(), Codec.int64())).isNotNull();
  }

  @Test
  void transactionsOfAnotherStoreAreRefused() {
    try (Store other = Store.inMemory(SMALL)) {
      assertThatThrownBy(() -> other.run(tx -> map.put(tx, "a", 1L)))
          .isInstanceOf(TransactionStateException.class)
          .hasMessageContaining("\"accounts\" belongs to another store");
    }
  }

  @Test
  void iteratorsEndWithTheirTransaction() {
    PersistentSortedMap<Long, Long> sorted =
        store.sortedMap("sorted", Codec.int64(), Codec.int64());
    store.run(
        tx -> {
          sorted.put(tx, 1L, 1L);
          sorted.put(tx, 2L, 1L);
        });
    List<Iterator<?>> iterators = new ArrayList<>();
    store.run(
        tx -> {
          iterators.add(map.iterator(tx));
          iterators.add(map.keys(tx).iterator());
          Iterator<?> begun = sorted.entries(tx).iterator();
          begun.next();
          iterators.add(begun);
        });
    for (Iterator<?> iterator : iterators) {
      assertThatThrownBy(iterator::next).isInstanceOf(TransactionStateException.class);
    }
    Tx ended = store.call(tx -> tx);
    assertThatThrownBy(() -> map.get(ended, "a")).isInstanceOf(TransactionStateException.class);
  }

  @Test
  void droppedCollectionsAreRefused() {
    PersistentList<Long> list = store.list("list", Codec.int64());
    store.run(tx -> list.add(tx, 1L));
    assertThat(store.drop("list")).isTrue();
    assertThat(store.drop("list")).isFalse();
    PersistentList<Long> again = store.list("list", Codec.int64());
    assertThatThrownBy(() -> store.run(tx -> list.add(tx, 2L)))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("\"list\" was dropped");
    assertThat((long) store.read(again::size)).isZero();
  }

  /** Encodes every key differently, as one that mutates what it encodes does. */
  private static final class Restless implements Codec<StringBuilder> {
    @Override
    public String name() {
      return "restless";
    }

    @Override
    public void encode(StringBuilder value, Encoder out) {
      Codec.utf8().encode(value.append('x').toString(), out);
    }

    @Override
    public StringBuilder decode(Decoder in) {
      return new StringBuilder(Codec.utf8().decode(in));
    }
  }

  @Test
  void aCodecThatMutatesKeysIsFoundOut() {
    PersistentMap<StringBuilder, Long> restless =
        store.map("restless", new Restless(), Codec.int64());
    assertThatThrownBy(() -> store.run(tx -> restless.put(tx, new StringBuilder("k"), 1L)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("codec restless")
        .hasMessageContaining("\"restless\"");
    assertThat((long) store.read(restless::size)).isZero();
  }

  @Test
  void indexesOutsideAListAreRefused() {
    PersistentList<Long> list = store.list("list", Codec.int64());
    for (long index : new long[] {-1, 0, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> store.read(tx -> list.get(tx, index)))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessageContaining(String.valueOf(index));
    }
    PersistentBlob blob = store.blob("blob");
    assertThatThrownBy(() -> store.read(tx -> blob.read(tx, 0, 1)))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void readOnlyTransactionsDoNotWrite() {
    assertThatThrownBy(
            () ->
                store.read(
                    tx -> {
                      map.put(tx, "a", 1L);
                      return 0;
                    }))
        .isInstanceOf(TransactionStateException.class);
  }
}
