package io.howdah;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.FormerName;
import io.howdah.codec.PersistentName;
import io.howdah.codec.SchemaReport;
import io.howdah.codec.SchemaReport.Verdict;
import io.howdah.codec.UnknownConstant;
import io.howdah.collections.ChangeJournal;
import io.howdah.collections.CollectionMismatchException;
import io.howdah.collections.Index;
import io.howdah.collections.PersistentMap;
import io.howdah.core.SchemaChangeException;
import io.howdah.objects.Persistent;
import io.howdah.testkit.disk.SimulatedDisk;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;

/** Releases forth and back: what an opening may change, and what an older program can do after. */
final class SchemaChangesTest {

  private final SimulatedDisk disk = SimulatedDisk.seeded(1);

  private Store open(SchemaChanges changes) {
    return Store.open(
        StoreOptions.defaults()
            .withMaxSize(1 << 24)
            .withOrecs(1 << 12)
            .withPartitions(2)
            .withSchemaChanges(changes)
            .withStorage(disk.storage()));
  }

  private static <V> PersistentMap<Long, V> map(Store store, Class<V> values) {
    return store.map("values", Long.class, values);
  }

  private <V> void put(Class<V> values, long key, V value) {
    try (Store store = open(SchemaChanges.ALLOW)) {
      PersistentMap<Long, V> map = map(store, values);
      store.run(tx -> map.put(tx, key, value));
    }
  }

  private static SortedMap<String, String> types(Store store) {
    return store.admin().inspect().types();
  }

  @PersistentName("order")
  record Order(long id, String client) {}

  @PersistentName("order")
  record OrderWithNote(long id, String client, long cents) {}

  @PersistentName("order")
  record OrderRenamed(long id, @FormerName("client") String customer) {}

  @PersistentName("state")
  enum State {
    OPEN,
    PAID
  }

  @PersistentName("state")
  enum StateWithLost {
    OPEN,
    PAID,
    LOST
  }

  @PersistentName("state")
  enum StateWithUnknown {
    OPEN,
    PAID,
    @UnknownConstant
    OTHER
  }

  @PersistentName("event")
  sealed interface Event {}

  @PersistentName("made")
  record Made(long id) implements Event {}

  @PersistentName("event")
  sealed interface MoreEvents {}

  @PersistentName("made")
  record MadeToo(long id) implements MoreEvents {}

  @PersistentName("gone")
  record Gone(long id) implements MoreEvents {}

  /** An object. */
  @Persistent
  public interface Thing {
    /** Returns a number. */
    int number();

    /** Sets it. */
    void number(int number);
  }

  // ---- What REFUSE refuses, and what not.

  @Test
  void aShapeIsNotAddedUnlessAllowed() {
    put(Order.class, 1, new Order(1, "alice"));
    try (Store store = open(SchemaChanges.REFUSE)) {
      SortedMap<String, String> before = types(store);
      assertThatThrownBy(() -> map(store, OrderWithNote.class))
          .isInstanceOf(SchemaChangeException.class)
          .hasMessageContaining("type order is \"record, shape 1: id int64, client utf8\"")
          .hasMessageContaining("would make it \"record, shape 2: ")
          .hasMessageContaining("withSchemaChanges(REFUSE)");
      assertThat(types(store)).isEqualTo(before);
      PersistentMap<Long, Order> map = map(store, Order.class); // the release before goes on
      store.run(tx -> map.put(tx, 2L, new Order(2, "bob")));
    }
    put(OrderWithNote.class, 3, new OrderWithNote(3, "carol", 5));
    try (Store store = open(SchemaChanges.REFUSE)) {
      PersistentMap<Long, OrderWithNote> map = map(store, OrderWithNote.class);
      assertThat(store.<OrderWithNote, RuntimeException>read(tx -> requireNonNull(map.get(tx, 1L))))
          .isEqualTo(new OrderWithNote(1, "alice", 0));
    }
  }

  @Test
  void constantsAndClassesAreNotAddedUnlessAllowed() {
    put(State.class, 1, State.PAID);
    try (Store store = open(SchemaChanges.REFUSE)) {
      assertThatThrownBy(() -> map(store, StateWithLost.class))
          .isInstanceOf(SchemaChangeException.class)
          .hasMessageContaining("type state is \"enum: OPEN, PAID\"")
          .hasMessageContaining("\"enum: OPEN, PAID, LOST\"");
      store.map("events", Long.class, Event.class);
      assertThatThrownBy(() -> store.map("more", Long.class, MoreEvents.class))
          .isInstanceOf(SchemaChangeException.class)
          .hasMessageContaining("made, gone");
    }
  }

  @Test
  void indexesAndJournalsAreNotAddedToAMapUnlessAllowed() {
    Index<Order, String> byClient = Index.of("by client", Order::client, Codec.utf8());
    put(Order.class, 1, new Order(1, "alice"));
    try (Store store = open(SchemaChanges.REFUSE)) {
      assertThatThrownBy(() -> store.map("values", Long.class, Order.class, byClient))
          .isInstanceOf(SchemaChangeException.class)
          .hasMessageContaining("\"values\" lacks an index or a change journal");
      assertThatThrownBy(
              () -> store.map("values", Long.class, Order.class, ChangeJournal.keeping(3)))
          .isInstanceOf(SchemaChangeException.class);
      map(store, Order.class);
      // A map that is new has what it is declared with, and its journal's bound may change.
      store.map("new", Long.class, Order.class, byClient, ChangeJournal.keeping(3));
      store.map("new", Long.class, Order.class, byClient, ChangeJournal.keeping(5));
    }
  }

  @Test
  void aNewTypeAndTheSameTypesAreNoChange() {
    put(Order.class, 1, new Order(1, "alice"));
    try (Store store = open(SchemaChanges.REFUSE)) {
      map(store, Order.class);
      store.map("states", Long.class, State.class);
      store.type(Thing.class, MethodHandles.lookup());
      assertThat(types(store)).containsKeys("order", "state");
    }
  }

  // ---- The table of docs/upgrading.md: what an older program can do after a newer one.

  @Test
  void afterAComponentWasAddedAnOlderProgramReadsAndDoesNotWrite() {
    put(Order.class, 1, new Order(1, "alice"));
    put(OrderWithNote.class, 2, new OrderWithNote(2, "bob", 7));
    try (Store store = open(SchemaChanges.REFUSE)) {
      PersistentMap<Long, Order> map = map(store, Order.class);
      assertThat(store.<Order, RuntimeException>read(tx -> requireNonNull(map.get(tx, 2L))))
          .isEqualTo(new Order(2, "bob"));
      assertThatThrownBy(() -> store.run(tx -> map.put(tx, 3L, new Order(3, "c"))))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("may read, but not write");
    }
  }

  @Test
  void afterAComponentWasRenamedAnOlderProgramIsToldThatItIsOlder() {
    put(Order.class, 1, new Order(1, "alice"));
    put(OrderRenamed.class, 2, new OrderRenamed(2, "bob"));
    try (Store store = open(SchemaChanges.ALLOW)) {
      assertThatThrownBy(() -> map(store, Order.class))
          .isInstanceOf(CodecException.class)
          .hasMessageStartingWith("this program is older than the store: a newer one has stored")
          .hasMessageContaining("record order with [id: int64, customer: utf8]");
    }
  }

  @Test
  void aNewerProgramThatForgotAFormerNameIsNotCalledOlder() {
    put(OrderRenamed.class, 1, new OrderRenamed(1, "alice"));
    try (Store store = open(SchemaChanges.ALLOW)) {
      assertThatThrownBy(() -> map(store, Order.class))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("@FormerName")
          .message()
          .doesNotContain("older than the store");
    }
  }

  @Test
  void afterAConstantWasAddedAnOlderProgramReadsTheOthers() {
    put(State.class, 1, State.PAID);
    put(StateWithLost.class, 2, StateWithLost.LOST);
    try (Store store = open(SchemaChanges.REFUSE)) {
      PersistentMap<Long, State> map = map(store, State.class);
      store.run(tx -> map.put(tx, 3L, State.OPEN));
      assertThat(store.<State, RuntimeException>read(tx -> requireNonNull(map.get(tx, 1L))))
          .isEqualTo(State.PAID);
      assertThatThrownBy(() -> store.read(tx -> map.containsKey(tx, 2L) && map.get(tx, 2L) == null))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("enum state has no constant \"LOST\"")
          .hasMessageContaining("this program is older than the store");
    }
    try (Store store = open(SchemaChanges.ALLOW)) {
      PersistentMap<Long, StateWithUnknown> map = map(store, StateWithUnknown.class);
      assertThat(
              store.<StateWithUnknown, RuntimeException>read(tx -> requireNonNull(map.get(tx, 2L))))
          .isEqualTo(StateWithUnknown.OTHER);
    }
  }

  @Test
  void afterAClassWasAddedAnOlderProgramReadsTheOthers() {
    put(Event.class, 1, new Made(1));
    put(MoreEvents.class, 2, new Gone(2));
    try (Store store = open(SchemaChanges.REFUSE)) {
      PersistentMap<Long, Event> map = map(store, Event.class);
      store.run(tx -> map.put(tx, 3L, new Made(3)));
      assertThatThrownBy(() -> store.read(tx -> map.containsKey(tx, 2L) && map.get(tx, 2L) == null))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("does not permit \"gone\"")
          .hasMessageContaining("this program is older than the store");
    }
  }

  @Test
  void afterAnIndexWasAddedAnOlderProgramIsRefusedUntilItIsDropped() {
    put(Order.class, 1, new Order(1, "alice"));
    try (Store store = open(SchemaChanges.ALLOW)) {
      store.map(
          "values",
          Long.class,
          Order.class,
          Index.of("by client", Order::client, Codec.utf8()),
          ChangeJournal.keeping(3));
    }
    try (Store store = open(SchemaChanges.REFUSE)) {
      assertThatThrownBy(() -> map(store, Order.class))
          .isInstanceOf(CollectionMismatchException.class)
          .hasMessageContaining("StoreAdmin.drop(\"values/by client\")");
      assertThat(store.admin().drop("values/by client")).isTrue();
      PersistentMap<Long, Order> map = map(store, Order.class); // a journal is kept
      store.run(tx -> map.put(tx, 2L, new Order(2, "bob")));
      assertThat(store.<Long, RuntimeException>read(tx -> map.changes().newest(tx))).isEqualTo(1);
    }
  }

  // ---- The rehearsal.

  private static SchemaReport.Finding finding(SchemaReport report, String type) {
    return report.findings().stream()
        .filter(each -> each.type().equals(type))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aRehearsalTellsWhatWouldChangeAndChangesNothing() {
    put(Order.class, 1, new Order(1, "alice"));
    try (Store store = open(SchemaChanges.ALLOW)) {
      store.map("states", Long.class, State.class);
      store.map("events", Long.class, Event.class);
    }
    try (Store store = open(SchemaChanges.ALLOW)) {
      SortedMap<String, String> before = types(store);
      SchemaReport report =
          store
              .admin()
              .checkSchema(
                  List.of(OrderWithNote.class, State.class, MoreEvents.class, Thing.class));
      assertThat(types(store)).isEqualTo(before);
      assertThat(finding(report, "order").verdict()).isEqualTo(Verdict.CHANGES);
      assertThat(finding(report, "order").stored())
          .isEqualTo("record, shape 1: id int64, client utf8");
      assertThat(finding(report, "order").detail())
          .isEqualTo("record, shape 2: id int64, client utf8, cents int64");
      assertThat(finding(report, "state"))
          .isEqualTo(new SchemaReport.Finding("state", Verdict.SAME, "enum: OPEN, PAID", ""));
      assertThat(finding(report, "event").verdict()).isEqualTo(Verdict.CHANGES);
      assertThat(finding(report, "made").verdict()).isEqualTo(Verdict.SAME);
      assertThat(report.isWithout(Verdict.REFUSED)).isTrue();
      SchemaReport none = store.admin().checkSchema(List.of());
      assertThat(none.findings()).allMatch(each -> each.verdict() == Verdict.ABSENT);
    }
  }

  @PersistentName("order 2")
  @FormerName("order")
  record OrderOfAnotherName(long id, String client) {}

  @Test
  void aRehearsalFindsATypeByItsFormerName() {
    put(Order.class, 1, new Order(1, "alice"));
    try (Store store = open(SchemaChanges.ALLOW)) {
      SchemaReport report = store.admin().checkSchema(List.of(OrderOfAnotherName.class));
      assertThat(finding(report, "order").verdict()).isEqualTo(Verdict.SAME);
    }
  }

  /** The way back is rehearsed with the classes of the release before. */
  @Test
  void aRehearsalTellsWhatAnOlderProgramCannotDo() {
    put(Order.class, 1, new Order(1, "alice"));
    put(OrderWithNote.class, 2, new OrderWithNote(2, "bob", 5));
    try (Store store = open(SchemaChanges.ALLOW)) {
      store.map("states", Long.class, StateWithLost.class);
      store.map("events", Long.class, MoreEvents.class);
    }
    try (Store store = open(SchemaChanges.REFUSE)) {
      SchemaReport report =
          store.admin().checkSchema(List.of(Order.class, State.class, Event.class));
      assertThat(finding(report, "order").verdict()).isEqualTo(Verdict.LIMITED);
      assertThat(finding(report, "order").detail())
          .contains("reads values and refuses to write them", "cents: int64");
      assertThat(finding(report, "state").verdict()).isEqualTo(Verdict.LIMITED);
      assertThat(finding(report, "state").detail()).contains("refuses to read constants", "LOST");
      assertThat(finding(report, "event").verdict()).isEqualTo(Verdict.LIMITED);
      assertThat(finding(report, "event").detail()).contains("refuses to read values of classes");
      SchemaReport newer =
          store
              .admin()
              .checkSchema(List.of(OrderWithNote.class, StateWithLost.class, MoreEvents.class));
      assertThat(newer.isWithout(Verdict.LIMITED)).isTrue();
    }
  }

  @Test
  void aRehearsalTellsWhatIsRefused() {
    put(OrderRenamed.class, 1, new OrderRenamed(1, "alice"));
    try (Store store = open(SchemaChanges.ALLOW)) {
      SchemaReport report = store.admin().checkSchema(List.of(Order.class));
      assertThat(finding(report, "order").verdict()).isEqualTo(Verdict.REFUSED);
      assertThat(finding(report, "order").detail()).contains("Order.client is new");
    }
  }
}
