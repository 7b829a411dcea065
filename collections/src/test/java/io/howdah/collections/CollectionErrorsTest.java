package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.codec.derived.Codecs;
import io.howdah.core.TransactionStateException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What collections refuse, how they name it, and that a refused transaction leaves no trace. */
final class CollectionErrorsTest {

  private static final WordOptions SMALL =
      WordOptions.defaults().withMaxSize(1 << 26).withOrecs(1 << 12).withPartitions(2);

  private final WordStore store = WordStore.inMemory(SMALL);
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

  /** Strings; says of itself what it is told to. */
  private record Told(String name, int fixedLength) implements Codec<String> {
    @Override
    public void encode(String value, Encoder out) {
      Codec.utf8().encode(value, out);
    }

    @Override
    public String decode(Decoder in) {
      return Codec.utf8().decode(in);
    }
  }

  @Test
  @SuppressWarnings("NullAway") // what it is about
  void aCodecWithANameOrALengthThatNoneMayHaveIsRefused() {
    String longest = "n".repeat(1000);
    store.map("longest", Codec.utf8(), new Told(longest, Codec.VARIABLE));
    store.set("fixed", new Told("f", 1 << 20));
    for (String name : new String[] {null, "", longest + "n"}) {
      assertThatThrownBy(() -> store.list("list", new Told(name, Codec.VARIABLE)))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining(Told.class.getName())
          .hasMessageContaining("it has 1 to 1000");
    }
    for (int length : new int[] {-2, (1 << 20) + 1}) {
      assertThatThrownBy(() -> store.map("map", new Told("k", length), Codec.utf8()))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("codec k says that its values have " + length + " bytes");
    }
    assertThat(store.<SortedMap<String, String>, RuntimeException>read(store::collections))
        .doesNotContainKeys("list", "map");
  }

  @Test
  @SuppressWarnings("NullAway") // what it is about
  void aCodecThatDecodesNullIsRefusedWhereverAValueIsRead() {
    Codec<String> blank =
        Codecs.map("blank", Codec.utf8(), text -> text.isEmpty() ? null : text, text -> text);
    PersistentMap<Long, String> values = store.map("values", Codec.int64(), blank);
    store.run(tx -> values.put(tx, 1L, ""));
    for (TxBody<RuntimeException> read :
        List.<TxBody<RuntimeException>>of(
            tx -> values.get(tx, 1L), tx -> values.entries(tx).forEach(_ -> {}))) {
      assertThatThrownBy(() -> store.run(read))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("blank")
          .hasMessageContaining("null");
    }
    PersistentMap<Long, String> written =
        store.map(
            "written",
            Codec.int64(),
            Codecs.map("other", Codec.utf8(), text -> text, text -> text.isEmpty() ? null : text));
    assertThatThrownBy(() -> store.run(tx -> written.put(tx, 1L, "")))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("codec other returned null");
    store.run(tx -> values.remove(tx, 1L));
  }

  @Test
  void whatNoBlockOfTheStoreCanHoldIsRefusedByItsSize() {
    try (WordStore tiny = WordStore.inMemory(SMALL.withMaxSize(1 << 20))) {
      long most = tiny.maxBlockBytes();
      byte[] large = new byte[(int) most];
      byte[] fitting = new byte[(int) most / 2];
      PersistentMap<Long, byte[]> values = tiny.map("values", Codec.int64(), Codec.bytes());
      PersistentSortedMap<Long, byte[]> sorted =
          tiny.sortedMap("sorted", Codec.int64(), Codec.bytes());
      PersistentList<byte[]> list = tiny.list("list", Codec.bytes());
      PersistentQueue<byte[]> queue = tiny.queue("queue", Codec.bytes());
      for (TxBody<RuntimeException> change :
          List.<TxBody<RuntimeException>>of(
              tx -> values.put(tx, 1L, large),
              tx -> sorted.put(tx, 1L, large),
              tx -> list.add(tx, large),
              tx -> queue.add(tx, large))) {
        assertThatThrownBy(() -> tiny.run(change))
            .isInstanceOf(EntryTooLargeException.class)
            .hasMessageContaining(large.length + " bytes")
            .hasMessageContaining("the longest block has " + most)
            .hasMessageContaining("PersistentBlob")
            .hasMessageContaining("withMaxSize");
      }
      tiny.run(tx -> values.put(tx, 1L, fitting));
      tiny.run(tx -> values.remove(tx, 1L));
      Blocks.assertNothingLeaks(tiny);
    }
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
    PersistentSortedMap<String, Long> sorted =
        store.sortedMap("sorted", Codec.utf8(), Codec.int64());
    PersistentSet<String> set = store.set("set", Codec.utf8());
    PersistentList<String> list = store.list("list", Codec.utf8());
    PersistentQueue<String> queue = store.queue("queue", Codec.utf8());
    Map<String, TxBody<RuntimeException>> calls = new LinkedHashMap<>();
    calls.put("key for map of utf8 to int64 \"accounts\"", tx -> map.get(tx, null));
    calls.put("key for map of utf8 to int64 \"accounts\" ", tx -> map.remove(tx, null));
    calls.put("key for map of utf8 to int64 \"accounts\"  ", tx -> map.containsKey(tx, null));
    calls.put("key for sorted map of utf8 to int64 \"sorted\"", tx -> sorted.put(tx, null, 1L));
    calls.put("key for sorted map of utf8 to int64 \"sorted\" ", tx -> sorted.floor(tx, null));
    calls.put("value for sorted map of utf8 to int64 \"sorted\"", tx -> sorted.put(tx, "a", null));
    String keyOfMultimap = "key for multimap";
    PersistentMultimap<String, Long> multimap =
        store.multimap("multimap", Codec.utf8(), Codec.int64());
    calls.put(keyOfMultimap, tx -> multimap.put(tx, null, 1L));
    calls.put(keyOfMultimap + " ", tx -> multimap.put(tx, "a", null));
    calls.put(keyOfMultimap + " ".repeat(2), tx -> multimap.values(tx, null));
    List<TxBody<RuntimeException>> ofMultimap =
        List.of(
            tx -> multimap.put(tx, null, null),
            tx -> multimap.remove(tx, null, 1L),
            tx -> multimap.remove(tx, "a", null),
            tx -> multimap.removeAll(tx, null),
            tx -> multimap.contains(tx, null, 1L),
            tx -> multimap.contains(tx, "a", null),
            tx -> multimap.containsKey(tx, null),
            tx -> multimap.page(tx, null, 1L, 1));
    for (int i = 0; i < ofMultimap.size(); i++) {
      calls.put(keyOfMultimap + " ".repeat(3 + i), ofMultimap.get(i));
    }
    Index<Long, Long> byValue = Index.of("by value", value -> value, Codec.int64());
    PersistentIndex<Long, String, Long> index =
        store.map("indexed", Codec.utf8(), Codec.int64(), byValue).index(byValue);
    calls.put("key for indexed map of utf8 to int64 \"indexed\"", tx -> index.entries(tx, null));
    calls.put("element for set of utf8 \"set\"", tx -> set.add(tx, null));
    calls.put("element for list of utf8 \"list\"", tx -> list.add(tx, null));
    calls.put("element for queue of utf8 \"queue\"", tx -> queue.add(tx, null));
    calls.forEach(
        (culprit, call) ->
            assertThatThrownBy(() -> store.run(call))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining(culprit.strip())
                .hasMessageContaining(" is null"));
    for (TxBody<RuntimeException> search :
        List.<TxBody<RuntimeException>>of(
            tx -> sorted.range(tx, Range.prefix(new Object[] {null})),
            tx -> multimap.withPrefix(tx, new Object[] {null}),
            tx -> index.withPrefix(tx, new Object[] {null}))) {
      assertThatThrownBy(() -> store.run(search)).isInstanceOf(CodecException.class);
    }
  }

  /** Whatever a body makes of a refusal, nothing of the transaction happens. */
  @Test
  @SuppressWarnings("NullAway") // that is the point
  void aRefusalThatIsSwallowedStillEndsTheTransaction() {
    PersistentList<Long> list = store.list("list", Codec.int64());
    PersistentBlob blob = store.blob("blob");
    PersistentMap<StringBuilder, Long> restless =
        store.map("restless", new Restless(), Codec.int64());
    List<TxBody<RuntimeException>> refused =
        List.of(
            tx -> map.put(tx, "b", null),
            tx -> map.get(tx, null),
            tx -> map.put(tx, "k".repeat(PersistentCollection.MAX_KEY_BYTES + 1), 1L),
            tx -> list.set(tx, 0, 1L),
            tx -> blob.read(tx, 1, 1),
            tx -> restless.put(tx, new StringBuilder("k"), 1L),
            tx -> map.put(tx, "an unpaired surrogate \ud800", 1L),
            tx -> map.get(tx, "\udfff"),
            tx -> tx.getLong(1),
            tx -> tx.free(8192));
    for (TxBody<RuntimeException> call : refused) {
      List<RuntimeException> thrown = new ArrayList<>();
      assertThatThrownBy(
              () ->
                  store.run(
                      tx -> {
                        map.put(tx, "a", 1L);
                        list.add(tx, 1L);
                        list.removeLast(tx);
                        try {
                          call.run(tx);
                        } catch (RuntimeException e) {
                          thrown.add(e);
                        }
                      }))
          .satisfies(e -> assertThat(thrown).containsExactly((RuntimeException) e));
    }
  }

  @Test
  void elementsBeyondTheLimitAreRefusedByEveryCollection() {
    String key = "k".repeat(PersistentCollection.MAX_KEY_BYTES + 1);
    byte[] value = new byte[PersistentCollection.MAX_VALUE_BYTES + 1];
    PersistentSortedMap<String, byte[]> sorted =
        store.sortedMap("sorted", Codec.utf8(), Codec.bytes());
    PersistentSet<String> set = store.set("set", Codec.utf8());
    PersistentList<byte[]> list = store.list("list", Codec.bytes());
    PersistentQueue<byte[]> queue = store.queue("queue", Codec.bytes());
    Map<String, TxBody<RuntimeException>> calls = new LinkedHashMap<>();
    calls.put("the key for sorted map of utf8 to bytes", tx -> sorted.put(tx, key, new byte[1]));
    calls.put("the value for sorted map of utf8 to bytes", tx -> sorted.put(tx, "a", value));
    calls.put("the element for set of utf8", tx -> set.add(tx, key));
    calls.put("the element for list of bytes", tx -> list.add(tx, value));
    calls.put("the element for queue of bytes", tx -> queue.add(tx, value));
    calls.forEach(
        (culprit, call) ->
            assertThatThrownBy(() -> store.run(call))
                .isInstanceOf(EntryTooLargeException.class)
                .hasMessageContaining(culprit)
                .hasMessageContaining("at most"));
    for (KeyedCollection<?, ?> each : List.of(map, sorted)) {
      store.run(tx -> assertThat(each.isEmpty(tx)).isTrue());
    }
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
    List<Runnable> others =
        List.of(
            () -> store.set("accounts", Codec.utf8()),
            () -> store.list("accounts", Codec.utf8()),
            () -> store.queue("accounts", Codec.utf8()),
            () -> store.counter("accounts"),
            () -> store.blob("accounts"),
            () -> store.map("accounts", Codec.int64(), Codec.utf8()),
            () ->
                store.map(
                    "accounts", Codec.utf8(), Codecs.of(MethodHandles.lookup(), Money.class)));
    for (Runnable other : others) {
      assertThatThrownBy(other::run)
          .isInstanceOf(CollectionMismatchException.class)
          .hasMessageContaining("\"accounts\" is a map of utf8 to int64");
    }
    assertThat(store.map("accounts", Codec.utf8(), Codec.int64())).isNotNull();
  }

  record Money(long cents) {}

  record Chain(Chain next) {}

  record Odd(Thread thread) {}

  @Test
  void recordsThatCannotBeEncodedAreRefusedByTheirComponent() {
    assertThatThrownBy(() -> Codecs.of(MethodHandles.lookup(), Chain.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Chain.next embeds");
    assertThatThrownBy(() -> Codecs.of(MethodHandles.lookup(), Odd.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Odd.thread has the type java.lang.Thread");
  }

  @Test
  void transactionsOfAnotherStoreAreRefused() {
    try (WordStore other = WordStore.inMemory(SMALL)) {
      assertThatThrownBy(() -> other.run(tx -> map.put(tx, "a", 1L)))
          .isInstanceOf(TransactionStateException.class)
          .hasMessageContaining("\"accounts\" belongs to another store");
    }
  }

  @Test
  void iteratorsEndWithTheirTransaction() {
    PersistentSortedMap<Long, Long> sorted =
        store.sortedMap("sorted", Codec.int64(), Codec.int64());
    PersistentList<Long> list = store.list("list", Codec.int64());
    PersistentQueue<Long> queue = store.queue("queue", Codec.int64());
    PersistentSet<Long> set = store.set("set", Codec.int64());
    store.run(
        tx -> {
          sorted.put(tx, 1L, 1L);
          sorted.put(tx, 2L, 1L);
          list.add(tx, 1L);
          queue.add(tx, 1L);
          set.add(tx, 1L);
        });
    List<Iterator<?>> iterators = new ArrayList<>();
    store.run(
        tx -> {
          iterators.add(map.iterator(tx));
          iterators.add(map.keys(tx).iterator());
          Iterator<?> begun = sorted.entries(tx).iterator();
          begun.next();
          iterators.add(begun);
          iterators.add(sorted.range(tx, Range.reversed(Range.all())).iterator());
          Iterator<Long> elements = list.iterator(tx);
          assertThat(elements.hasNext()).isTrue();
          iterators.add(elements);
          iterators.add(queue.stream(tx).iterator());
          iterators.add(set.iterator(tx));
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
  private static final class Restless implements OrderedCodec<StringBuilder> {
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
    PersistentSortedMap<StringBuilder, Long> sorted =
        store.sortedMap("sorted", new Restless(), Codec.int64());
    PersistentSet<StringBuilder> set = store.set("set", new Restless());
    assertThatThrownBy(() -> store.run(tx -> sorted.put(tx, new StringBuilder("k"), 1L)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("codec restless")
        .hasMessageContaining("\"sorted\"");
    assertThatThrownBy(() -> store.run(tx -> set.add(tx, new StringBuilder("k"))))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("codec restless")
        .hasMessageContaining("\"set\"");
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
    for (int count : new int[] {1, -1, Integer.MAX_VALUE}) {
      assertThatThrownBy(() -> store.read(tx -> blob.read(tx, 0, count)))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessageContaining(count + " bytes from 0 on of blob \"blob\", whose length is 0");
    }
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

  /** Clears what it was given, with what the collection has written there. */
  private static final class Clearing implements Codec<String> {
    @Override
    public String name() {
      return "clearing";
    }

    @Override
    public void encode(String value, Encoder out) {
      EncodingBuffer.of(out).clear(); // not a method of the interface
      out.putByte(1);
    }

    @Override
    public String decode(Decoder in) {
      return "";
    }
  }

  @Test
  void aCodecThatClearsTheEncoderIsFoundOut() {
    PersistentMap<String, Long> keys = store.map("keys", new Clearing(), Codec.int64());
    PersistentMap<Long, String> values = store.map("values", Codec.int64(), new Clearing());
    PersistentSet<String> set = store.set("set", new Clearing());
    PersistentList<String> list = store.list("list", new Clearing());
    PersistentQueue<String> queue = store.queue("queue", new Clearing());
    for (TxBody<RuntimeException> call :
        List.<TxBody<RuntimeException>>of(
            tx -> keys.put(tx, "x", 1L),
            tx -> values.put(tx, 1L, "x"),
            tx -> set.add(tx, "x"),
            tx -> list.add(tx, "x"),
            tx -> queue.add(tx, "x"))) {
      assertThatThrownBy(() -> store.run(call))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("clearing");
    }
  }
}
