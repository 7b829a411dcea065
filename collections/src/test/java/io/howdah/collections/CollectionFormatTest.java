package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.core.Execution;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.objects.Embedded;
import io.howdah.objects.Length;
import io.howdah.objects.Persistent;
import io.howdah.objects.PersistentType;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Collections and objects as they stand in the region, word by word, against a dump that an earlier
 * build has written. A change here is a change of format: it takes a new magic or version, and
 * readers of the old one.
 */
final class CollectionFormatTest {

  private static final String DUMP = "/collection-format.txt";

  /** The type that is embedded. */
  @Persistent
  interface Point {
    int x();

    void x(int x);

    String label();

    void label(String label);
  }

  /** A type with a field of most kinds. */
  @Persistent
  interface Shape {
    boolean filled();

    void filled(boolean filled);

    double area();

    void area(double area);

    String name();

    void name(String name);

    @Length(9)
    String code();

    void code(String code);

    @Length(3)
    short samples(int index);

    void samples(int index, short value);

    byte[] outline();

    void outline(byte[] outline);

    Shape next();

    void next(Shape next);

    @Embedded
    Point centre();
  }

  /** The real clock and threads, with numbers for secrets that are the same in each run. */
  private static final class RepeatedSecrets implements Execution {
    private long secrets;

    @Override
    public long randomLong() {
      return ++secrets * 0x9E37_79B9_7F4A_7C15L;
    }

    @Override
    public long threadNumber() {
      return 1;
    }

    @Override
    public long nanoTime() {
      return Execution.system().nanoTime();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      Execution.system().parkNanos(blocker, nanos);
    }

    @Override
    public void unpark(Thread thread) {
      Execution.system().unpark(thread);
    }

    @Override
    public void spinWait() {
      Execution.system().spinWait();
    }

    @Override
    public void yieldNow() {
      Execution.system().yieldNow();
    }

    @Override
    public Thread start(String name, Runnable body) {
      return Execution.system().start(name, body);
    }

    @Override
    public int availableProcessors() {
      return 1;
    }
  }

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults()
              .withMaxSize(1 << 22)
              .withPartitions(1)
              .withOrecs(1 << 10)
              .withExecution(new RepeatedSecrets()));

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i + 1);
    }
    return bytes;
  }

  private void hashTables() {
    PersistentMap<Long, Long> fixed = store.map("fixed", Codec.int64(), Codec.int64());
    PersistentMap<Integer, String> fixedKeys = store.map("keys", Codec.int32(), Codec.utf8());
    PersistentMap<String, byte[]> variable = store.map("variable", Codec.utf8(), Codec.bytes());
    PersistentSet<String> set = store.set("set", Codec.utf8());
    for (int i = 0; i < 400; i++) { // splits some of the 64 buckets
      long key = i;
      store.run(tx -> fixed.put(tx, key, -key));
    }
    store.run(
        tx -> {
          fixedKeys.put(tx, 7, "seven");
          fixedKeys.put(tx, -7, "");
          variable.put(tx, "", bytes(3));
          variable.put(tx, "a key that is longer than a word", bytes(40));
          set.add(tx, "element");
          set.add(tx, "12345678");
          fixed.remove(tx, 3L);
        });
  }

  private void trees() {
    PersistentSortedMap<Long, Integer> inline =
        store.sortedMap("inline", Codec.int64(), Codec.int32());
    PersistentSortedMap<Long, String> entries =
        store.sortedMap("entries", Codec.int64(), Codec.utf8());
    PersistentSortedMap<String, String> variable =
        store.sortedMap("ordered", Codec.utf8(), Codec.utf8());
    store.run(
        tx -> {
          for (int i = 0; i < 40; i++) {
            inline.put(tx, (long) i * 37 % 40, i);
          }
          entries.put(tx, -1L, "minus one");
          entries.put(tx, 1L, "one");
          variable.put(tx, "", "empty");
          variable.put(tx, "short", "");
          for (int i = 0; i < 20; i++) {
            variable.put(tx, "the same first bytes, then " + i, "value " + i);
          }
          inline.remove(tx, 5L);
          variable.remove(tx, "the same first bytes, then 3");
        });
  }

  private void others() {
    PersistentList<Integer> inline = store.list("numbers", Codec.int32());
    PersistentList<String> list = store.list("strings", Codec.utf8());
    PersistentQueue<byte[]> queue = store.queue("queue", Codec.bytes());
    PersistentCounter counter = store.counter("counter");
    PersistentBlob blob = store.blob("blob");
    store.run(
        tx -> {
          for (int i = 0; i < 20; i++) {
            inline.add(tx, i - 10);
          }
          list.add(tx, "first");
          list.add(tx, "");
          for (int i = 0; i < 40; i++) {
            queue.add(tx, bytes(i));
          }
          for (int i = 0; i < 33; i++) {
            queue.poll(tx);
          }
          counter.add(tx, -5);
          blob.write(tx, 0, bytes(100));
          blob.write(tx, 600, bytes(9));
        });
  }

  private void objects() {
    PersistentType<Shape> shapes = store.type(Shape.class, MethodHandles.lookup());
    PersistentMap<Long, Shape> byNumber = store.map("shapes", Codec.int64(), shapes.codec());
    store.run(
        tx -> {
          Shape shape = shapes.create(tx);
          shape.filled(true);
          shape.area(1.5);
          shape.name("square");
          shape.code("A1");
          shape.samples(1, (short) -2);
          shape.outline(bytes(20));
          shape.centre().x(11);
          shape.centre().label("middle");
          Shape next = shapes.create(tx);
          shape.next(next);
          byNumber.put(tx, 1L, shape);
          tx.root(0, shapes.address(next));
        });
  }

  private static List<String> dump(Tx tx) {
    List<String> lines = new ArrayList<>();
    Words words = TxHandle.of(tx).words();
    long top = words.getUnchecked(RegionHeaderLayout.TOP_ADDRESS);
    for (long address = RegionHeaderLayout.MAGIC_ADDRESS; address < top; address += Long.BYTES) {
      long word = words.getUnchecked(address);
      if (word != 0) {
        lines.add(address + " " + HexFormat.of().toHexDigits(word));
      }
    }
    return lines;
  }

  private static List<String> expected() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(CollectionFormatTest.class.getResourceAsStream(DUMP))) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII).lines().toList();
    }
  }

  @Test
  void collectionsAndObjectsStandInTheRegionAsTheyDid() throws IOException {
    try (store) {
      hashTables();
      trees();
      others();
      objects();
      assertThat(store.read(CollectionFormatTest::dump)).isEqualTo(expected());
    }
  }
}
