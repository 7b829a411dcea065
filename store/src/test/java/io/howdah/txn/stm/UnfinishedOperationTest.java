package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.FaultyRegion;
import io.howdah.FaultyRegion.InjectedError;
import io.howdah.LoggedStore;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentBlob;
import io.howdah.collections.PersistentList;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentQueue;
import io.howdah.collections.PersistentSet;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.collections.Range;
import io.howdah.objects.Length;
import io.howdah.objects.Persistent;
import io.howdah.objects.PersistentType;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Savepoint;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import io.howdah.txn.UnfinishedOperationException;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An error that breaks an operation off, and that the body catches, does not commit half of it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("scaled")
final class UnfinishedOperationTest {

  private static final int ENTRIES = 240;
  private static final String[] KEYS = new String[200];

  static {
    Arrays.setAll(KEYS, i -> "a key " + i); // the end of the stack is no place to make strings
  }

  @Persistent
  interface Item {
    @Nullable String name();

    void name(@Nullable String v);

    @Length(100)
    @Nullable String label();

    void label(@Nullable String v);
  }

  /** What an operation changes, by itself. */
  private interface Operation {
    void run(Tx tx);
  }

  /** One access in so many fails; campaigns let each fail. */
  private static final int STRIDE = Integer.getInteger("howdah.stride", 2);

  /**
   * The contents are read after one failure in so many: what half an operation changes stays. In
   * campaigns they are read after each.
   */
  private static final int CHECKED = Integer.getInteger("howdah.stride", 8);

  private FaultyRegion.Trigger trigger;
  private LoggedStore logged;
  private Store store;
  private PersistentMap<String, String> map;
  private PersistentSortedMap<Long, String> sorted;
  private PersistentSortedMap<String, Long> names;
  private PersistentSet<String> set;
  private PersistentList<String> list;
  private PersistentQueue<String> queue;
  private PersistentBlob blob;
  private PersistentType<Item> items;
  private final Map<String, Operation> operations = new LinkedHashMap<>();

  @BeforeEach
  void open() {
    trigger = new FaultyRegion.Trigger();
    logged =
        new LoggedStore(
            StoreOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(2),
            SimulatedDisk.seeded(1).storage(),
            memory -> new FaultyRegion(memory, trigger, false));
    store = logged.store;
    map = store.map("map", Codec.utf8(), Codec.utf8());
    sorted = store.sortedMap("sorted", Codec.int64(), Codec.utf8());
    names = store.sortedMap("names", Codec.utf8(), Codec.int64());
    set = store.set("set", Codec.utf8());
    list = store.list("list", Codec.utf8());
    queue = store.queue("queue", Codec.utf8());
    blob = store.blob("blob");
    items = store.type(Item.class, MethodHandles.lookup());
    store.run(
        tx -> {
          for (int i = 0; i < ENTRIES; i++) {
            map.put(tx, "key " + i, "value " + i);
            sorted.put(tx, (long) i, "value " + i);
            names.put(tx, "a name with a tail " + i, (long) i);
            set.add(tx, "element " + i);
          }
          for (int i = 0; i < 40; i++) {
            list.add(tx, "element " + i);
          }
          for (int i = 0; i < 62; i++) {
            queue.add(tx, "an element that has no room in its slot " + i);
          }
          for (int i = 0; i < 31; i++) {
            queue.poll(tx);
          }
          blob.write(tx, 0, new byte[1000]);
          Item item = items.create(tx);
          item.name("a name");
          item.label("a label");
          tx.root(0, items.address(item));
          tx.root(1, tx.allocate(4000));
          for (long at = 0; at < 4000; at += Long.BYTES) {
            tx.putLong(tx.root(1) + at, at);
          }
        });
  }

  @AfterEach
  void close() {
    trigger.disarm();
    logged.close();
  }

  List<String> operations() {
    operations.clear();
    operations.put("map.put", tx -> map.put(tx, "new", "value"));
    operations.put("map.put in place", tx -> map.put(tx, "key 7", "VALUE 7"));
    operations.put("map.put of a longer value", tx -> map.put(tx, "key 7", "v".repeat(3000)));
    operations.put("map.remove", tx -> map.remove(tx, "key 7"));
    operations.put("sortedMap.put with a split", tx -> sorted.put(tx, (long) ENTRIES, "value"));
    operations.put("sortedMap.put of a longer value", tx -> sorted.put(tx, 7L, "v".repeat(3000)));
    operations.put("sortedMap.remove", tx -> sorted.remove(tx, 7L));
    operations.put("sortedMap.put of a string", tx -> names.put(tx, "a name with a tail 7x", 1L));
    operations.put("sortedMap.remove of a string", tx -> names.remove(tx, "a name with a tail 7"));
    operations.put("set.add", tx -> set.add(tx, "new"));
    operations.put("set.remove", tx -> set.remove(tx, "element 7"));
    operations.put("list.add", tx -> list.add(tx, "new"));
    operations.put("list.add at an index", tx -> list.add(tx, 3, "new"));
    operations.put("list.set", tx -> list.set(tx, 3, "new"));
    operations.put("list.remove", tx -> list.remove(tx, 3));
    operations.put("queue.add", tx -> queue.add(tx, "an element that has no room in its slot"));
    operations.put("queue.poll", tx -> queue.poll(tx));
    operations.put("blob.write", tx -> blob.write(tx, 900, new byte[3000]));
    operations.put("blob.truncate", tx -> blob.truncate(tx, 10));
    operations.put("type.create", tx -> items.create(tx));
    operations.put("a string of an object", tx -> item(tx).name("another name, a longer one"));
    operations.put("a string in an object", tx -> item(tx).label("another label"));
    operations.put("type.free", tx -> items.free(tx, item(tx)));
    operations.put("tx.allocate", tx -> tx.allocate(100_000));
    operations.put("tx.free", tx -> tx.free(tx.root(1)));
    operations.put("tx.write", tx -> tx.write(tx.root(1) + 1, new byte[1000]));
    return List.copyOf(operations.keySet());
  }

  private Item item(Tx tx) {
    return items.at(tx, tx.root(0));
  }

  /** Everything there is, blocks of the word level included. */
  private List<Object> contents() {
    return store.read(
        tx -> {
          List<Object> all = new ArrayList<>();
          all.add(map.asMap(tx).entrySet().stream().map(Object::toString).sorted().toList());
          all.add(map.size(tx));
          all.add(sorted.entries(tx).toList());
          all.add(sorted.range(tx, Range.reversed(Range.all())).toList());
          all.add(sorted.size(tx));
          all.add(names.entries(tx).toList());
          all.add(names.size(tx));
          all.add(set.stream(tx).sorted().toList());
          all.add(set.size(tx));
          all.add(list.stream(tx).toList());
          all.add(queue.stream(tx).toList());
          all.add(queue.size(tx));
          all.add(List.of(blob.length(tx), blob.read(tx, 0, 10)[0]));
          all.add(Objects.toString(item(tx).name()) + item(tx).label());
          all.add(new String(bytes(tx), StandardCharsets.ISO_8859_1));
          all.add(Blocks.inUse(TxHandle.of(tx).words()));
          return all;
        });
  }

  private static byte[] bytes(Tx tx) {
    byte[] bytes = new byte[4000];
    tx.read(tx.root(1), bytes);
    return bytes;
  }

  @ParameterizedTest
  @MethodSource("operations")
  void halfOfAnOperationIsNotCommitted(String name) {
    operations();
    Operation operation = Objects.requireNonNull(operations.get(name));
    List<Object> before = contents();
    int refused = 0;
    for (long n = 1; ; n += STRIDE) {
      assertThat(n).as("accesses").isLessThan(20_000);
      boolean[] failed = {false};
      long at = n;
      try {
        store.run(
            tx -> {
              failed[0] = false;
              trigger.arm(at);
              try {
                operation.run(tx);
              } catch (InjectedError e) {
                failed[0] = true;
              } finally {
                trigger.disarm();
              }
              if (!failed[0]) {
                throw tx.abort(); // so that only failures could have changed anything
              }
            });
        // Else it had not begun to write.
      } catch (UnfinishedOperationException e) {
        assertThat(failed[0]).isTrue();
        refused++;
      } catch (TransactionAbortedException e) {
        break; // it is done with fewer accesses
      }
      if (n / STRIDE % CHECKED == 0) {
        assertThat(contents()).as("after a failure at access %s", n).isEqualTo(before);
      }
    }
    assertThat(contents()).as("after all failures").isEqualTo(before);
    assertThat(refused).as("failures in the middle").isPositive();
  }

  /** A savepoint from before the operation takes back all of it, so the rest may commit. */
  @Test
  void aRollBackBeforeTheOperationMakesItAsIfItHadNotBegun() {
    List<Object> before = contents();
    int caught = 0;
    for (long n = 1; n < 60; n++) {
      long at = n;
      boolean[] failed = {false};
      store.run(
          tx -> {
            set.add(tx, "before");
            Savepoint savepoint = tx.savepoint();
            trigger.arm(at);
            try {
              sorted.put(tx, (long) ENTRIES, "value");
            } catch (InjectedError e) {
              failed[0] = true;
            } finally {
              trigger.disarm();
            }
            tx.rollBack(savepoint);
            set.remove(tx, "before");
          });
      caught += failed[0] ? 1 : 0;
      assertThat(contents()).isEqualTo(before);
    }
    assertThat(caught).isPositive();
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      trigger.arm(30);
                      try {
                        sorted.put(tx, (long) ENTRIES, "value");
                      } catch (InjectedError e) {
                        // the body goes on
                      } finally {
                        trigger.disarm();
                      }
                      tx.rollBack(tx.savepoint()); // behind the operation's beginning
                    }))
        .isInstanceOf(UnfinishedOperationException.class)
        .hasMessageContaining("savepoint");
    assertThat(contents()).isEqualTo(before);
  }

  /** The stack ends anywhere in an operation, and the body guards against that. */
  @Test
  void theEndOfTheStackLeavesNoHalfOfAnOperation() throws InterruptedException {
    List<Throwable> failures = new ArrayList<>();
    Thread thread =
        new Thread(
            null,
            () -> {
              for (int round = 0; round < 15; round++) {
                long key = 1000 + round * 100L;
                try {
                  store.run(tx -> putDeeper(tx, key, new int[1]));
                } catch (RuntimeException | Error e) {
                  if (!(e instanceof UnfinishedOperationException)) {
                    failures.add(e);
                  }
                }
              }
            },
            "shallow",
            256 << 10);
    thread.start();
    thread.join();
    assertThat(failures).isEmpty();
    store.read(
        tx -> {
          assertThat(sorted.entries(tx).count()).isEqualTo(sorted.size(tx));
          sorted.keys(tx).forEach(key -> assertThat(sorted.containsKey(tx, key)).isTrue());
          assertThat(map.entries(tx).count()).isEqualTo(map.size(tx));
          return 0;
        });
  }

  @SuppressWarnings("InfiniteRecursion") // until the stack ends
  private void putDeeper(Tx tx, long key, int[] tries) {
    try {
      putDeeper(tx, key, tries);
    } catch (StackOverflowError e) {
      // the end of the stack: every frame on the way back tries
    }
    if (tries[0]++ < 100) {
      try {
        sorted.put(tx, key + tries[0], "value");
        map.put(tx, KEYS[tries[0]], "value");
      } catch (StackOverflowError e) {
        // likewise
      }
    }
  }
}
