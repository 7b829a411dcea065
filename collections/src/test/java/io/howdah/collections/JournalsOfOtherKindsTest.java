package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.Pair;
import io.howdah.collections.changes.Change;
import io.howdah.collections.changes.Changes;
import io.howdah.collections.changes.ChangesHeldException;
import io.howdah.collections.changes.Subscription;
import io.howdah.txn.Durability;
import io.howdah.txn.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Change journals of sets, multimaps, queues and lists. */
final class JournalsOfOtherKindsTest {

  private static final ChangeJournal TEN = ChangeJournal.keeping(10);

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 24).withOrecs(1 << 12).withPartitions(2));

  @AfterEach
  void close() {
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  private <K, V> List<Change<K, V>> after(Changes<K, V> changes, long position) {
    return store.<List<Change<K, V>>, RuntimeException>read(tx -> changes.after(tx, position, 100));
  }

  @Test
  void aSetTellsOfElementsThatAreNewAndOfThoseThatWereThere() {
    for (boolean isFixed : new boolean[] {false, true}) {
      String name = "set " + isFixed;
      if (isFixed) {
        PersistentSet<Long> set = store.set(name, Codec.int64(), TEN);
        store.run(
            tx -> {
              assertThat(set.add(tx, 1L)).isTrue();
              assertThat(set.add(tx, 1L)).isFalse();
              assertThat(set.remove(tx, 2L)).isFalse();
              assertThat(set.remove(tx, 1L)).isTrue();
            });
        assertThat(after(set.changes(), 0))
            .containsExactly(new Change.Put<>(1, 1L, true), new Change.Removed<>(2, 1L));
      } else {
        PersistentSet<String> set = store.set(name, Codec.utf8(), TEN);
        store.run(tx -> set.add(tx, "an element that is longer than a word"));
        store.run(tx -> set.remove(tx, "an element that is longer than a word"));
        assertThat(after(set.changes(), 0))
            .containsExactly(
                new Change.Put<>(1, "an element that is longer than a word", true),
                new Change.Removed<>(2, "an element that is longer than a word"));
      }
    }
  }

  @Test
  void aSetOfManyElementsIsWhatItsChangesMakeOfIt() {
    PersistentSet<Long> set = store.set("set", Codec.int64(), ChangeJournal.keeping(10_000));
    for (long n = 0; n < 600; n++) {
      long number = n;
      store.run(
          tx -> {
            set.add(tx, number * number % 101);
            set.remove(tx, number % 37);
          });
    }
    TreeSet<Long> replayed = new TreeSet<>();
    for (Change<Long, Boolean> change :
        store.<List<Change<Long, Boolean>>, RuntimeException>read(
            tx -> set.changes().after(tx, 0, 10_000))) {
      boolean isOne =
          change instanceof Change.Put<Long, Boolean>
              ? replayed.add(change.key())
              : replayed.remove(change.key());
      assertThat(isOne).isTrue();
    }
    assertThat(store.<List<Long>, RuntimeException>read(tx -> set.stream(tx).sorted().toList()))
        .isEqualTo(List.copyOf(replayed));
  }

  @Test
  void aMultimapTellsOfItsPairs() {
    PersistentMultimap<String, Long> lines =
        store.multimap("lines", Codec.utf8(), Codec.int64(), TEN);
    store.run(
        tx -> {
          lines.put(tx, "a", 1L);
          lines.put(tx, "a", 1L); // is there
          lines.put(tx, "a", 2L);
          lines.put(tx, "b", 3L);
          lines.removeAll(tx, "a");
          lines.remove(tx, "b", 4L); // is not there
        });
    assertThat(after(lines.changes(), 0))
        .containsExactly(
            new Change.Put<>(1, new Pair<>("a", 1L), true),
            new Change.Put<>(2, new Pair<>("a", 2L), true),
            new Change.Put<>(3, new Pair<>("b", 3L), true),
            new Change.Removed<>(4, new Pair<>("a", 1L)),
            new Change.Removed<>(5, new Pair<>("a", 2L)));
  }

  @Test
  void aQueueTellsOfElementsByTheirNumbers() throws InterruptedException {
    PersistentQueue<String> queue = store.queue("queue", Codec.utf8(), TEN);
    BlockingQueue<Change<Long, String>> told = new LinkedBlockingQueue<>();
    String longer = "x".repeat(300);
    try (Subscription _ = queue.changes().subscribe(0, Durability.ASYNC, told::add)) {
      store.run(
          tx -> {
            queue.add(tx, "first");
            queue.add(tx, longer);
            Savepoint before = tx.savepoint();
            queue.add(tx, "taken back");
            tx.rollBack(before);
          });
      assertThat(store.<List<String>, RuntimeException>call(tx -> queue.poll(tx, 5)))
          .containsExactly("first", longer);
      store.run(tx -> queue.poll(tx)); // nothing is there, so nothing changes
      store.run(tx -> queue.add(tx, "third"));
      for (Change<Long, String> expected :
          List.<Change<Long, String>>of(
              new Change.Put<>(1, 0L, "first"),
              new Change.Put<>(2, 1L, longer),
              new Change.Removed<>(3, 0L),
              new Change.Removed<>(4, 1L),
              new Change.Put<>(5, 2L, "third"))) {
        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo(expected);
      }
    }
  }

  @Test
  void aListTellsOfElementsByTheirIndexes() {
    for (boolean isFixed : new boolean[] {false, true}) {
      if (isFixed) {
        PersistentList<Long> list = store.list("numbers", Codec.int64(), TEN);
        store.run(
            tx -> {
              list.add(tx, 7L);
              list.add(tx, 0, 5L);
              list.set(tx, 1, 8L);
              assertThat(list.removeLast(tx)).isEqualTo(8);
            });
        assertThat(after(list.changes(), 0))
            .containsExactly(
                new Change.Put<>(1, 0L, 7L),
                new Change.Put<>(2, 0L, 5L),
                new Change.Removed<>(3, 1L),
                new Change.Put<>(4, 1L, 8L),
                new Change.Removed<>(5, 1L));
      } else {
        String longer = "x".repeat(300);
        PersistentList<String> list = store.list("texts", Codec.utf8(), TEN);
        store.run(
            tx -> {
              list.add(tx, longer);
              Savepoint before = tx.savepoint();
              list.add(tx, "taken back");
              tx.rollBack(before);
              list.add(tx, 0, "");
            });
        assertThatThrownBy(() -> store.run(tx -> list.set(tx, 5, "nowhere")))
            .isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(after(list.changes(), 0))
            .containsExactly(new Change.Put<>(1, 0L, longer), new Change.Put<>(2, 0L, ""));
      }
    }
  }

  /** By any changes, also those of a view. */
  @Test
  void aListIsWhatItsChangesMakeOfIt() {
    PersistentList<String> list = store.list("list", Codec.utf8(), ChangeJournal.keeping(10_000));
    Random random = new Random(5);
    for (int n = 0; n < 400; n++) {
      String element = "e".repeat(random.nextInt(20)) + n;
      store.run(
          tx -> {
            int size = (int) list.size(tx);
            switch (random.nextInt(size == 0 ? 2 : 6)) {
              case 0 -> list.add(tx, element);
              case 1 -> list.add(tx, random.nextInt(size + 1), element);
              case 2 -> list.set(tx, random.nextInt(size), element);
              case 3 -> list.remove(tx, random.nextInt(size));
              case 4 -> list.asList(tx).set(random.nextInt(size), element);
              default -> list.asList(tx).addAll(random.nextInt(size), List.of(element, "b"));
            }
          });
    }
    List<String> replayed = new ArrayList<>();
    for (Change<Long, String> change :
        store.<List<Change<Long, String>>, RuntimeException>read(
            tx -> list.changes().after(tx, 0, 10_000))) {
      int index = (int) (long) change.key();
      if (change instanceof Change.Put<Long, String> put) {
        replayed.add(index, put.value());
      } else {
        replayed.remove(index);
      }
    }
    assertThat(replayed).isNotEmpty();
    assertThat(store.<List<String>, RuntimeException>read(tx -> list.stream(tx).toList()))
        .isEqualTo(replayed);
  }

  @Test
  void aListHoldsWritersAndKeepsItsJournalUndeclared() {
    PersistentList<Long> list =
        store.list(
            "list", Codec.int64(), ChangeJournal.keeping(2).holdingWriters(Duration.ofMillis(1)));
    store.run(tx -> list.add(tx, 1L));
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      list.set(tx, 0, 2L); // two changes
                    }))
        .isInstanceOf(ChangesHeldException.class);
    assertThat(store.<Long, RuntimeException>read(tx -> list.get(tx, 0))).isEqualTo(1);
    store.run(tx -> list.changes().release(tx, 1));
    PersistentList<Long> undeclared = store.list("list", Codec.int64());
    store.run(tx -> undeclared.set(tx, 0, 2L));
    assertThat(after(undeclared.changes(), 1))
        .containsExactly(new Change.Removed<>(2, 0L), new Change.Put<>(3, 0L, 2L));
    assertThat(store.drop("list")).isTrue();
  }

  @Test
  void aJournalIsKeptIfAProgramDoesNotDeclareItAndDroppedByItsName() {
    store.set("set", Codec.int64(), TEN);
    PersistentSet<Long> undeclared = store.set("set", Codec.int64());
    store.run(tx -> undeclared.add(tx, 5L));
    assertThat(after(undeclared.changes(), 0)).containsExactly(new Change.Put<>(1, 5L, true));
    assertThat(store.drop("set/changes")).isTrue();
    assertThatThrownBy(() -> store.run(tx -> undeclared.add(tx, 6L)))
        .isInstanceOf(CollectionMismatchException.class);
    PersistentSet<Long> without = store.set("set", Codec.int64());
    store.run(tx -> without.add(tx, 6L));
    assertThatThrownBy(without::changes)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has no change journal");
    assertThat(store.drop("set")).isTrue();
  }

  @Test
  void aSetThatHasElementsMayGetAJournalAndIsDroppedWithIt() {
    PersistentSet<Long> before = store.set("set", Codec.int64());
    store.run(tx -> before.add(tx, 1L));
    PersistentSet<Long> set = store.set("set", Codec.int64(), TEN);
    assertThatThrownBy(() -> store.run(tx -> before.add(tx, 2L)))
        .isInstanceOf(CollectionMismatchException.class);
    store.run(tx -> set.add(tx, 2L));
    assertThat(after(set.changes(), 0)).containsExactly(new Change.Put<>(1, 2L, true));
    assertThat(store.drop("set")).isTrue();
    assertThat(
            store.<List<String>, RuntimeException>read(
                tx -> List.copyOf(store.collections(tx).keySet())))
        .isEmpty();
  }

  @Test
  void theyHoldWritersAsMapsDo() {
    PersistentQueue<Long> queue =
        store.queue(
            "queue", Codec.int64(), ChangeJournal.keeping(2).holdingWriters(Duration.ofMillis(1)));
    store.run(tx -> queue.add(tx, 1L));
    store.run(tx -> queue.add(tx, 2L));
    assertThatThrownBy(() -> store.run(tx -> queue.poll(tx)))
        .isInstanceOf(ChangesHeldException.class);
    assertThat(store.<Long, RuntimeException>read(queue::size)).isEqualTo(2);
    store.run(tx -> queue.changes().release(tx, 2));
    assertThat(store.<Long, RuntimeException>call(queue::take)).isEqualTo(1);
  }

  @Test
  void twoJournalsAreRefused() {
    assertThatThrownBy(() -> store.set("set", Codec.int64(), TEN, TEN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("two change journals");
  }
}
