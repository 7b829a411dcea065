package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import io.howdah.txn.stm.TxHandle;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Codecs that use other collections of the store, in the transaction that they serve. */
final class NestedCodecTest {

  private static final int WORDS = 40;

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 26).withOrecs(1 << 14).withPartitions(2));
  private final PersistentMap<String, Long> numbers =
      store.map("numbers", Codec.utf8(), Codec.int64());
  private final PersistentSortedMap<Long, String> words =
      store.sortedMap("words", Codec.int64(), Codec.utf8());

  @SuppressWarnings("NullAway.Init") // each transaction begins with it: see run
  private Tx current;

  /** Keeps each string once, and numbers in its place. */
  private class Interned implements OrderedCodec<String> {
    @Override
    public String name() {
      return "interned";
    }

    @Override
    public void encode(String value, Encoder out) {
      Long number = numbers.get(current, value);
      if (number == null) {
        number = numbers.size(current);
        numbers.put(current, value, number);
        words.put(current, number, value);
      }
      out.putBigEndianLong(number);
    }

    @Override
    public String decode(Decoder in) {
      Tx tx = (Tx) Objects.requireNonNull(in.attachment());
      return Objects.requireNonNull(words.get(tx, in.getBigEndianLong()));
    }
  }

  private void run(TxBody<RuntimeException> body) {
    store.run(
        tx -> {
          current = tx;
          body.run(tx);
        });
  }

  private static String word(long i) {
    return "the word with number " + i;
  }

  private List<String> all() {
    return LongStream.range(0, WORDS).mapToObj(NestedCodecTest::word).toList();
  }

  @BeforeEach
  void startElsewhere() {
    run(tx -> new Interned().encode("something else", new EncodingBuffer()));
  }

  @AfterEach
  void close() {
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  @Test
  void mapsKeepWhatTheyAreGiven() {
    PersistentMap<String, String> map = store.map("map", new Interned(), new Interned());
    PersistentSortedMap<String, String> sorted =
        store.sortedMap("sorted", new Interned(), new Interned());
    run(
        tx -> {
          for (int i = 0; i < WORDS; i++) {
            map.put(tx, word(i), word(i + 1));
            sorted.put(tx, word(i), word(i + 1));
          }
        });
    run(
        tx -> {
          for (int i = 0; i < WORDS; i++) {
            assertThat(map.get(tx, word(i))).isEqualTo(word(i + 1));
            assertThat(sorted.get(tx, word(i))).isEqualTo(word(i + 1));
          }
          assertThat(map.keys(tx)).containsExactlyInAnyOrderElementsOf(all());
          assertThat(map.entries(tx))
              .allSatisfy(e -> assertThat(map.get(tx, e.getKey())).isEqualTo(e.getValue()))
              .hasSize(WORDS);
          assertThat(sorted.keys(tx).toList()).isEqualTo(all());
          map.forEach(tx, (k, v) -> assertThat(sorted.get(tx, k)).isEqualTo(v));
          assertThat(map.remove(tx, word(3))).isTrue();
          assertThat(map.containsKey(tx, word(3))).isFalse();
        });
  }

  @Test
  void theOthersKeepWhatTheyAreGiven() {
    PersistentSet<String> set = store.set("set", new Interned());
    PersistentList<String> list = store.list("list", new Interned());
    PersistentQueue<String> queue = store.queue("queue", new Interned());
    run(
        tx -> {
          all()
              .forEach(
                  word -> {
                    set.add(tx, word);
                    list.add(tx, word);
                    queue.add(tx, word);
                  });
        });
    run(
        tx -> {
          assertThat(set.stream(tx)).containsExactlyInAnyOrderElementsOf(all());
          assertThat(list.stream(tx).toList()).isEqualTo(all());
          assertThat(queue.stream(tx).toList()).isEqualTo(all());
          assertThat(list.remove(tx, 3)).isEqualTo(word(3));
          for (String word : all()) {
            assertThat(queue.poll(tx)).isEqualTo(word);
          }
        });
  }

  /** A codec whose words are interned themselves: two levels. */
  @Test
  void codecsNestInOneAnother() {
    PersistentList<String> inner = store.list("inner", new Interned());
    Codec<String> outer =
        new Codec<>() {
          @Override
          public String name() {
            return "outer";
          }

          @Override
          public void encode(String value, Encoder out) {
            out.putLong(inner.size(current));
            inner.add(current, value);
          }

          @Override
          public String decode(Decoder in) {
            return inner.get((Tx) Objects.requireNonNull(in.attachment()), in.getLong());
          }
        };
    PersistentMap<Long, String> map = store.map("map", Codec.int64(), outer);
    run(
        tx -> {
          for (long i = 0; i < WORDS; i++) {
            map.put(tx, i, word(i));
          }
        });
    run(
        tx -> {
          for (long i = 0; i < WORDS; i++) {
            assertThat(map.get(tx, i)).isEqualTo(word(i));
          }
        });
  }

  /** What leaves a codec leaves the buffers of the outer collection in place. */
  @Test
  void anErrorInACodecIsOver() {
    PersistentMap<Long, String> map =
        store.map(
            "map",
            Codec.int64(),
            new Codec<String>() {
              @Override
              public String name() {
                return "failing";
              }

              @Override
              public void encode(String value, Encoder out) {
                numbers.put(current, value, 1L);
                if (value.isEmpty()) {
                  throw new StackOverflowError();
                }
                out.putBytes(Codec.utf8().name().getBytes(java.nio.charset.StandardCharsets.UTF_8));
              }

              @Override
              public String decode(Decoder in) {
                return in.getUtf8(in.remaining());
              }
            });
    run(
        tx -> {
          CollectionScratch own = CollectionScratch.of(TxHandle.of(tx).words());
          assertThatThrownBy(() -> map.put(tx, 1L, "")).isInstanceOf(StackOverflowError.class);
          assertThat(CollectionScratch.of(TxHandle.of(tx).words())).isSameAs(own);
          map.put(tx, 2L, "x");
          assertThat(map.get(tx, 2L)).isEqualTo("utf8");
          assertThat(map.size(tx)).isEqualTo(1);
        });
  }

  /** A block that the list has given back meanwhile may be another collection's by then. */
  @Test
  void aCodecThatTakesTheElementThatItTakesThePlaceOfIsRefused() {
    PersistentList<?>[] own = new PersistentList<?>[1];
    Codec<String> codec =
        new Codec<>() {
          @Override
          public String name() {
            return "greedy";
          }

          @Override
          public void encode(String value, Encoder out) {
            if (value.startsWith("greedy")) {
              own[0].removeLast(current);
              own[0].removeLast(current);
              numbers.put(current, value, 1L);
            }
            Codec.utf8().encode(value, out);
          }

          @Override
          public String decode(Decoder in) {
            return Codec.utf8().decode(in);
          }
        };
    PersistentList<String> list = store.list("list", codec);
    own[0] = list;
    run(tx -> List.of("a", "b", "c").forEach(each -> list.add(tx, each)));
    for (TxBody<RuntimeException> call :
        List.<TxBody<RuntimeException>>of(
            tx -> list.set(tx, 2, "greedy"), tx -> list.add(tx, 3, "greedy"))) {
      assertThatThrownBy(() -> run(call)).isInstanceOf(IndexOutOfBoundsException.class);
    }
    run(tx -> assertThat(list.stream(tx)).containsExactly("a", "b", "c"));
  }

  /** The key is in the map by then, under bytes that the codec does not stand by. */
  @Test
  void aCodecThatFailsWhenAskedAgainEndsTheTransaction() {
    int[] calls = {0};
    OrderedCodec<Long> codec =
        new OrderedCodec<>() {
          @Override
          public String name() {
            return "once";
          }

          @Override
          public void encode(Long value, Encoder out) {
            if (++calls[0] % 2 == 0) {
              throw new IllegalStateException("asked twice");
            }
            out.putLong(value);
          }

          @Override
          public Long decode(Decoder in) {
            return in.getLong();
          }
        };
    PersistentMap<Long, Long> map = store.map("map", codec, Codec.int64());
    PersistentSet<Long> set = store.set("set", codec);
    for (TxBody<RuntimeException> call :
        List.<TxBody<RuntimeException>>of(tx -> map.put(tx, 1L, 1L), tx -> set.add(tx, 1L))) {
      assertThatThrownBy(
              () ->
                  run(
                      tx -> {
                        try {
                          call.run(tx);
                        } catch (IllegalStateException e) {
                          // the body goes on
                        }
                      }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("asked twice");
    }
    run(tx -> assertThat(map.size(tx) + set.size(tx)).isZero());
  }

  @Test
  void aCodecThatTakesElementsOfItsOwnQueueIsRefused() {
    boolean[] greedy = {false};
    PersistentQueue<?>[] own = new PersistentQueue<?>[1];
    PersistentList<?>[] ownList = new PersistentList<?>[1];
    Codec<Long> codec =
        new Codec<>() {
          @Override
          public String name() {
            return "greedy";
          }

          @Override
          public void encode(Long value, Encoder out) {
            out.putLong(value);
          }

          @Override
          public Long decode(Decoder in) {
            if (greedy[0]) {
              greedy[0] = false;
              own[0].poll(current);
              ownList[0].removeLast(current);
            }
            return in.getLong();
          }
        };
    PersistentQueue<Long> queue = store.queue("queue", codec);
    PersistentList<Long> list = store.list("list", codec);
    own[0] = queue;
    ownList[0] = list;
    run(
        tx -> {
          for (long i = 0; i < 3; i++) {
            queue.add(tx, i);
            list.add(tx, i);
          }
        });
    for (TxBody<RuntimeException> call :
        List.<TxBody<RuntimeException>>of(tx -> queue.poll(tx), tx -> list.remove(tx, 0))) {
      greedy[0] = true;
      assertThatThrownBy(() -> run(call))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("greedy");
    }
    run(
        tx -> {
          assertThat(queue.size(tx)).isEqualTo(3);
          assertThat(list.size(tx)).isEqualTo(3);
        });
  }

  /** Does once, while it decodes, what a test tells it to do. */
  private static final class Scripted implements Codec<String> {
    @Nullable Runnable script;

    @Override
    public String name() {
      return "scripted";
    }

    @Override
    public void encode(String value, Encoder out) {
      Codec.utf8().encode(value, out);
    }

    @Override
    public String decode(Decoder in) {
      Runnable now = script;
      script = null;
      if (now != null) {
        now.run();
      }
      return Codec.utf8().decode(in);
    }
  }

  private void assertRefused(TxBody<RuntimeException> call) {
    assertThatThrownBy(() -> run(call))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("scripted");
  }

  @Test
  void aCodecThatRollsBackTheAdditionOfWhatIsTakenIsRefused() {
    Scripted codec = new Scripted();
    PersistentQueue<String> queue = store.queue("queue", codec);
    PersistentList<String> list = store.list("list", codec);
    run(tx -> list.add(tx, "a"));
    assertRefused(
        tx -> {
          Savepoint before = tx.savepoint();
          queue.add(tx, "a");
          codec.script = () -> tx.rollBack(before);
          queue.poll(tx);
        });
    assertRefused(
        tx -> {
          Savepoint before = tx.savepoint();
          list.set(tx, 0, "b");
          codec.script = () -> tx.rollBack(before);
          list.remove(tx, 0);
        });
    run(
        tx -> {
          assertThat(queue.poll(tx)).isNull();
          assertThat(list.stream(tx)).containsExactly("a");
        });
  }

  /** The new element may have the block of the one that was there. */
  @Test
  void aCodecThatPutsAnotherElementInThePlaceOfTheOneThatIsTakenIsRefused() {
    Scripted codec = new Scripted();
    PersistentList<String> list = store.list("list", codec);
    run(tx -> list.add(tx, "a"));
    assertRefused(
        tx -> {
          codec.script =
              () -> {
                list.removeLast(tx);
                list.add(tx, "b");
              };
          list.remove(tx, 0);
        });
    run(
        tx -> {
          codec.script =
              () -> numbers.put(tx, "other", 1L); // elsewhere it may change what it likes
          assertThat(list.remove(tx, 0)).isEqualTo("a");
        });
  }
}
