package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.PersistentName;
import io.howdah.codec.derived.CodecRegistry;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.ChangeJournal;
import io.howdah.collections.Expiry;
import io.howdah.collections.Index;
import io.howdah.collections.PersistentBlob;
import io.howdah.collections.PersistentCounter;
import io.howdah.collections.PersistentList;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentMultimap;
import io.howdah.collections.PersistentQueue;
import io.howdah.collections.PersistentSet;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.collections.changes.Change;
import io.howdah.collections.changes.ChangesHeldException;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.ExportLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.store.export.StoreExport;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is exported and imported is the same afterwards, or refused. */
class ExportTest {

  private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

  /** For the sake of the time that it takes to make many. */
  private static final StoreOptions SMALL =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withOrecs(1 << 10)
          .withPartitions(1)
          .withRingBytes(1 << 16);

  private enum State {
    OPEN,
    PAID
  }

  private static final List<State> STATES = List.of(State.values());

  private record Order(String customer, long cents, State state) {}

  /** A codec that only the program has. */
  private static final class Reversed implements Codec<String> {
    @Override
    public String name() {
      return "reversed";
    }

    @Override
    public void encode(String value, Encoder out) {
      Codec.utf8().encode(new StringBuilder(value).reverse().toString(), out);
    }

    @Override
    public String decode(Decoder in) {
      return new StringBuilder(Codec.utf8().decode(in)).reverse().toString();
    }
  }

  /** A service with a collection of each kind and option. */
  private static final class Service {

    static final Index<Order, String> BY_CUSTOMER =
        Index.of("by customer", Order::customer, String.class);
    static final Index<Order, Long> BY_CENTS = Index.unique("by cents", Order::cents, Long.class);

    final Store store;
    final PersistentMap<Long, Order> orders;
    final PersistentMap<String, String> sessions;
    final PersistentMap<String, Long> limits;
    final PersistentMap<String, String> own;
    final PersistentSortedMap<String, Order> sorted;
    final PersistentMultimap<String, Long> lines;
    final PersistentSet<String> names;
    final PersistentSet<Long> numbers;
    final PersistentList<String> log;
    final PersistentList<Long> readings;
    final PersistentQueue<Order> waiting;
    final PersistentCounter visits;
    final PersistentBlob picture;

    Service(Store store) {
      this.store = store;
      orders =
          store.map(
              "orders", Long.class, Order.class, BY_CUSTOMER, BY_CENTS, ChangeJournal.keeping(100));
      sessions = store.map("sessions", String.class, String.class, Expiry.perEntry());
      limits = store.map("limits", String.class, Long.class, Expiry.perEntry());
      own = store.map("own", Codec.utf8(), new Reversed());
      sorted =
          store.sortedMap(
              "sorted", String.class, Order.class, Index.of("by state", Order::state, State.class));
      lines = store.multimap("lines", String.class, Long.class);
      names = store.set("names", String.class);
      numbers = store.set("numbers", Long.class);
      log = store.list("log", String.class);
      readings = store.list("readings", Long.class);
      waiting = store.queue("waiting", Order.class);
      visits = store.counter("visits");
      picture = store.blob("picture");
    }

    void fill(int entries, int bigBytes) {
      for (int i = 0; i < entries; i++) {
        int number = i;
        store.run(tx -> fill(tx, number));
      }
      store.run(
          tx -> {
            orders.remove(tx, 0L);
            waiting.poll(tx);
            own.put(tx, "empty", "");
            own.put(tx, "big", "x".repeat(bigBytes));
            picture.write(tx, 3, new byte[bigBytes]);
            picture.append(tx, new byte[] {1, 2, 3});
            sessions.expiry().putForever(tx, "root", "for ever");
            sessions.expiry().putUntil(tx, "gone", "past", NOW.minusSeconds(1));
          });
    }

    private void fill(Tx tx, int i) {
      Order order = new Order("customer " + i % 3, i, STATES.get(i % 2));
      orders.put(tx, (long) i, order);
      sessions.expiry().putUntil(tx, "session " + i, "data " + i, NOW.plusSeconds(i + 1));
      limits.expiry().putUntil(tx, "limit " + i, (long) i, NOW.plusSeconds(i + 1));
      own.put(tx, "key " + i, "value " + i);
      sorted.put(tx, "key " + i, order);
      lines.put(tx, "key " + i % 5, (long) i);
      names.add(tx, "name " + i);
      numbers.add(tx, (long) i);
      log.add(tx, "line " + i);
      readings.add(tx, (long) i);
      waiting.add(tx, order);
      visits.add(tx, i);
    }

    /** Returns everything that a program sees. */
    List<Object> contents() {
      return store.read(this::contents);
    }

    private List<Object> contents(Tx tx) {
      List<Object> all = new ArrayList<>();
      all.add(new TreeMap<>(store.admin().collections(tx)));
      TreeMap<Long, Order> byId = new TreeMap<>();
      orders.iterator(tx).forEachRemaining(each -> byId.put(each.getKey(), each.getValue()));
      all.add(byId);
      for (int i = 0; i < 3; i++) {
        all.add(orders.index(BY_CUSTOMER).page(tx, "customer " + i, null, 1000).toString());
      }
      all.add(String.valueOf(orders.index(BY_CENTS).get(tx, 2L)));
      all.add(orders.changes().newest(tx));
      all.add(orders.changes().oldest(tx));
      all.add(orders.changes().after(tx, orders.changes().oldest(tx), 1000));
      TreeMap<String, String> timed = new TreeMap<>();
      sessions
          .iterator(tx)
          .forEachRemaining(
              each ->
                  timed.put(
                      each.getKey(),
                      each.getValue() + sessions.expiry().expiresAt(tx, each.getKey())));
      limits
          .iterator(tx)
          .forEachRemaining(
              each ->
                  timed.put(
                      each.getKey(),
                      each.getValue() + "" + limits.expiry().expiresAt(tx, each.getKey())));
      all.add(timed);
      TreeMap<String, String> owned = new TreeMap<>();
      own.iterator(tx).forEachRemaining(each -> owned.put(each.getKey(), each.getValue()));
      all.add(owned);
      all.add(sorted.entries(tx).map(Object::toString).toList());
      all.add(lines.entries(tx).map(Object::toString).toList());
      all.add(names.stream(tx).sorted().toList());
      all.add(numbers.stream(tx).sorted().toList());
      all.add(log.stream(tx).toList());
      all.add(readings.stream(tx).toList());
      all.add(waiting.stream(tx).toList());
      all.add(visits.get(tx));
      all.add(Arrays.hashCode(picture.read(tx, 0, (int) picture.length(tx))));
      return all;
    }
  }

  private static StoreOptions options(SimulatedDisk disk) {
    return StoreOptions.defaults()
        .withMaxSize(1 << 24)
        .withOrecs(1 << 10)
        .withPartitions(1)
        .withRingBytes(1 << 16)
        .withCodecs(CodecRegistry.defaults().withLookup(MethodHandles.lookup()))
        .withClock(() -> NOW)
        .withStorage(disk.storage());
  }

  private static SimulatedDisk exported(Store store) {
    SimulatedDisk target = SimulatedDisk.seeded(2);
    ExportReport report = store.admin().export(target::storage, true);
    assertThat(report.bytes()).isEqualTo(target.contents(StoreExport.FILE).length);
    return target;
  }

  /** Returns a service that was filled, on a disk of its own. */
  private static Service filled(int entries, int bigBytes) {
    Service service = new Service(Store.open(options(SimulatedDisk.seeded(1))));
    service.fill(entries, bigBytes);
    return service;
  }

  @Test
  void everyCollectionIsTheSameInAnotherStore() {
    Service service = filled(200, 1 << 20);
    List<Object> expected = service.contents();
    SimulatedDisk export = exported(service.store);
    SimulatedDisk disk = SimulatedDisk.seeded(3);
    try (Store store = Store.open(options(disk))) {
      ExportReport report = store.admin().importFrom(export::storage);
      assertThat(report.structures()).isEqualTo(((TreeMap<?, ?>) expected.getFirst()).size());
    }
    try (Store store = Store.open(options(disk))) {
      Service copy = new Service(store);
      assertThat(copy.contents()).isEqualTo(expected);
      // What follows a change in one follows it in the other.
      for (Service each : List.of(service, copy)) {
        each.store.run(
            tx -> {
              each.orders.put(tx, 1L, new Order("customer 2", 7000, State.PAID));
              each.sorted.remove(tx, "key 1");
              each.waiting.add(tx, new Order("late", 1, State.OPEN));
              each.limits.expiry().putForever(tx, "late", 9L);
              each.log.add(tx, "late");
            });
      }
      assertThat(copy.contents()).isEqualTo(service.contents());
      assertThat(StoreBackups.check(disk.fork().storage(), options(disk).execution()).closed())
          .isFalse();
    }
    service.store.close();
  }

  /** What has returned is durable, in whatever mode the store commits by itself. */
  @ParameterizedTest
  @EnumSource
  void anImportThatHasReturnedSurvivesAPowerCut(Durability mode) {
    Service service = filled(50, 1 << 10);
    List<Object> expected = service.contents();
    SimulatedDisk export = exported(service.store);
    service.store.close();
    SimulatedDisk disk = SimulatedDisk.seeded(3);
    SimulatedDisk lost;
    try (Store store = Store.open(options(disk).withDefaultDurability(mode))) {
      store.admin().importFrom(export::storage);
      lost = disk.fork();
    }
    lost.powerCut(CrashChoice.LOSE_ALL);
    try (Store store = Store.open(options(lost))) {
      assertThat(store.read(store.admin()::collections)).doesNotContainKey("howdah.import");
      assertThat(new Service(store).contents()).isEqualTo(expected);
    }
  }

  /** A build that was cut short leaves an index with some of its entries. */
  @Test
  void anIndexThatIsNotFinishedIsBuiltInTheOtherStore() {
    Index<String, String> index = Index.of("by value", value -> value, String.class);
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    try (Store store = Store.open(options(disk))) {
      PersistentMap<Long, String> map = store.map("m", Long.class, String.class);
      store.run(
          tx -> {
            for (long i = 0; i < 5000; i++) {
              map.put(tx, i, "value " + i % 7);
            }
          });
    }
    SimulatedDisk unfinished = unfinished(disk, index);
    SimulatedDisk export;
    try (Store store = Store.open(options(unfinished))) {
      export = exported(store);
    }
    try (Store store = Store.open(options(SimulatedDisk.seeded(3)))) {
      store.admin().importFrom(export::storage);
      // Positions in the other store differ, so an entry of the index would lead elsewhere.
      assertThat(store.admin().inspect().collections())
          .filteredOn(each -> each.type().startsWith("unfinished"))
          .singleElement()
          .extracting(StoreInspection.Collection::size)
          .isEqualTo(0L);
      PersistentMap<Long, String> map = store.map("m", Long.class, String.class, index);
      assertThat(store.read(map::size)).isEqualTo(5000);
      assertThat(store.read(store.admin()::collections).get("m/by value")).startsWith("index of");
      for (int i = 0; i < 7; i++) {
        String value = "value " + i;
        int found = store.read(tx -> map.index(index).page(tx, value, null, 5000).size());
        assertThat(found).isEqualTo(5000 / 7 + (i < 5000 % 7 ? 1 : 0));
      }
    }
  }

  private static SimulatedDisk unfinished(SimulatedDisk disk, Index<String, String> index) {
    for (int operation = 1; operation < 500; operation++) {
      SimulatedDisk cut = disk.fork();
      cut.crashAtOperation(cut.operations() + operation, CrashMoment.BEFORE);
      try (Store store = Store.open(options(cut))) {
        store.map("m", Long.class, String.class, index);
      } catch (RuntimeException | SimulatedCrash e) {
        assertThat(cut.hasCrashed()).as("operation %d: %s", operation, e).isTrue();
      }
      cut.kill();
      try (Store store = Store.open(options(cut))) {
        StoreInspection.Collection found =
            store.admin().inspect().collections().stream()
                .filter(each -> each.type().startsWith("unfinished"))
                .findAny()
                .orElse(null);
        if (found != null && found.size() > 0) {
          return cut;
        }
      }
    }
    throw new IllegalStateException("no build was cut short");
  }

  @Test
  void aJournalHoldsWritersInTheOtherStoreAsWell() {
    try (Store store = Store.inMemory();
        Store other = Store.inMemory()) {
      PersistentMap<Long, Long> map =
          store.map(
              "map",
              Long.class,
              Long.class,
              ChangeJournal.keeping(2).holdingWriters(Duration.ofMillis(1)));
      store.run(tx -> map.put(tx, 1L, 1L));
      store.run(tx -> map.changes().release(tx, 1));
      store.run(tx -> map.put(tx, 2L, 2L));
      SimulatedDisk export = exported(store);
      other.admin().importFrom(export::storage);
      PersistentMap<Long, Long> copy = other.map("map", Long.class, Long.class);
      assertThat(other.<Long, RuntimeException>read(tx -> copy.changes().released(tx)))
          .isEqualTo(1);
      other.run(tx -> copy.put(tx, 3L, 3L));
      assertThatThrownBy(() -> other.run(tx -> copy.put(tx, 4L, 4L)))
          .isInstanceOf(ChangesHeldException.class);
    }
  }

  @Test
  void theJournalOfAListGoesOnInTheOtherStore() {
    try (Store store = Store.inMemory();
        Store other = Store.inMemory()) {
      PersistentList<String> list = store.list("list", String.class, ChangeJournal.keeping(9));
      store.run(tx -> list.add(tx, "a"));
      SimulatedDisk export = exported(store);
      other.admin().importFrom(export::storage);
      PersistentList<String> copy = other.list("list", String.class);
      other.run(tx -> copy.add(tx, 0, "b"));
      assertThat(
              other.<List<Change<Long, String>>, RuntimeException>read(
                  tx -> copy.changes().after(tx, 0, 10)))
          .containsExactly(new Change.Put<>(1, 0L, "a"), new Change.Put<>(2, 0L, "b"));
      assertThat(other.<List<String>, RuntimeException>read(tx -> copy.stream(tx).toList()))
          .containsExactly("b", "a");
    }
  }

  @Test
  void anEmptyStoreIsExportedToo() {
    try (Store store = Store.inMemory();
        Store other = Store.inMemory()) {
      SimulatedDisk export = exported(store);
      ExportReport report = other.admin().importFrom(export::storage);
      assertThat(report.toString()).startsWith("ExportReport[structures=0, items=0, bytes=");
      assertThat(other.read(other.admin()::collections)).isEmpty();
    }
  }

  @Test
  void whatAnExportCannotHoldIsRefused() {
    try (Store store = Store.inMemory()) {
      store.run(tx -> tx.root(3, tx.allocate(8)));
      SimulatedDisk target = SimulatedDisk.seeded(2);
      assertThatThrownBy(() -> store.admin().export(target::storage, true))
          .isInstanceOf(UnsupportedStoreException.class)
          .hasMessageContaining("types of persistent objects, or roots");
      assertThat(target.storage().list("")).isEmpty();
      ExportReport report = store.admin().export(target::storage, false);
      assertThat(report.structures()).isZero();
      assertThatThrownBy(() -> store.admin().export(target::storage, false))
          .isInstanceOf(UnsupportedStoreException.class)
          .hasMessageContaining("holds export.howdah");
    }
  }

  @Test
  void aStoreWithTheSameNameOrAnotherTypeIsNotChanged() {
    Service service = filled(3, 10);
    SimulatedDisk export = exported(service.store);
    try (Store store = Store.inMemory()) {
      store.counter("visits");
      assertThatThrownBy(() -> store.admin().importFrom(export::storage))
          .isInstanceOf(UnsupportedStoreException.class)
          .hasMessageContaining("the store has \"visits\" already");
      assertThat(store.read(store.admin()::collections)).containsOnlyKeys("visits");
      assertThatThrownBy(() -> store.admin().importFrom(SimulatedDisk.seeded(9)::storage))
          .isInstanceOf(UnsupportedStoreException.class)
          .hasMessageContaining("is no export");
    }
    service.store.close();
  }

  /** Killed, or without power, at each operation of the disk: the same call ends it. */
  @ParameterizedTest
  @EnumSource(CrashMoment.class)
  void anImportThatWasCutShortContinues(CrashMoment moment) {
    Service service = filled(5, 2000);
    List<Object> expected = service.contents();
    SimulatedDisk export = exported(service.store);
    service.store.close();
    int cut = 0;
    int continued = 0;
    for (long operation = OperationSample.first(moment); ; operation += OperationSample.STRIDE) {
      SimulatedDisk disk = SimulatedDisk.seeded(operation);
      disk.crashAtOperation(operation, moment);
      boolean hasEnded = false;
      try (Store store = Store.open(options(disk))) {
        store.admin().importFrom(export::storage);
        hasEnded = !disk.hasCrashed();
      } catch (RuntimeException | SimulatedCrash e) {
        assertThat(disk.hasCrashed()).as("operation %d: %s", operation, e).isTrue();
      }
      if (!disk.hasCrashed()) {
        assertThat(hasEnded).isTrue();
        break;
      }
      SimulatedDisk lost = disk.fork();
      lost.powerCut(CrashChoice.LOSE_ALL);
      disk.kill();
      for (SimulatedDisk left : List.of(disk, lost)) {
        cut++;
        try (Store store = Store.open(options(left))) {
          boolean isThere = store.read(store.admin()::collections).containsKey("waiting");
          boolean isUnfinished =
              store.read(store.admin()::collections).containsKey("howdah.import");
          if (!isThere || isUnfinished) {
            continued += isUnfinished ? 1 : 0;
            store.admin().importFrom(export::storage);
          }
          assertThat(new Service(store).contents())
              .as("cut short at operation %d", operation)
              .isEqualTo(expected);
        }
      }
    }
    assertThat(cut).isPositive();
    assertThat(continued).isPositive();
  }

  /**
   * Whichever block is the last one in the store: nothing is there twice, and nothing is missing.
   */
  @Test
  void anImportThatEndsAtAnyBlockContinuesWithTheNext() {
    Service service = filled(5, 10);
    SimulatedDisk export = exported(service.store);
    List<Object> expected = service.contents();
    service.store.close();
    long before = export.operations(Operation.READ);
    try (Store store = Store.open(options(SimulatedDisk.seeded(4)))) {
      store.admin().importFrom(export::storage);
    }
    long reads = export.operations(Operation.READ) - before;
    int continued = 0;
    for (long read = reads / 2; read <= reads; read += 2) { // a block is read by two
      SimulatedDisk failing = export.fork();
      failing.inject(Fault.onNth(Operation.READ, read));
      try (Store store = Store.open(options(SimulatedDisk.seeded(read)))) {
        assertThatThrownBy(() -> store.admin().importFrom(failing::storage))
            .isInstanceOf(StorageException.class);
        continued += store.read(store.admin()::collections).containsKey("howdah.import") ? 1 : 0;
        store.admin().importFrom(export::storage);
        assertThat(new Service(store).contents())
            .as("cut short at read %d", read)
            .isEqualTo(expected);
      }
    }
    assertThat(continued).isGreaterThan(20);
  }

  @Test
  void anImportThatHasNotEndedIsNoStoreToExportNorToImportAnotherInto() {
    Service service = filled(5, 10);
    SimulatedDisk export = exported(service.store);
    SimulatedDisk another = exported(service.store);
    List<Object> expected = service.contents();
    service.store.close();
    try (Store store = Store.open(options(SimulatedDisk.seeded(4)))) {
      SimulatedDisk failing = export.fork();
      failing.inject(Fault.onNth(Operation.READ, 200)); // in the second pass
      assertThatThrownBy(() -> store.admin().importFrom(failing::storage))
          .isInstanceOf(StorageException.class);
      assertThat(store.read(store.admin()::collections)).containsKey("howdah.import");
      assertThatThrownBy(() -> exported(store))
          .isInstanceOf(UnsupportedStoreException.class)
          .hasMessageContaining("an import into this store has not ended");
      assertThatThrownBy(() -> store.admin().importFrom(another::storage))
          .isInstanceOf(UnsupportedStoreException.class)
          .hasMessageContaining("an import of another export");
      store.admin().importFrom(export::storage);
      assertThat(new Service(store).contents()).isEqualTo(expected);
    }
  }

  /** An export is written anew when its transaction is repeated. */
  @Test
  void aRepeatedBodyLeavesOneExportAsOfOneMoment() {
    try (Store store = Store.inMemory();
        Store other = Store.inMemory()) {
      List<PersistentMap<Long, String>> maps = maps(store);
      store.run(tx -> maps.forEach(map -> map.put(tx, 1L, "x".repeat(1000))));
      SimulatedDisk target = SimulatedDisk.seeded(2);
      int[] writes = {0};
      Runnable disturb =
          () -> {
            if (++writes[0] <= 12) {
              // Much less at the end than an attempt before has written.
              String shorter = "x".repeat((writes[0] < 7 ? 1000 : 20) - writes[0]);
              store.run(tx -> maps.forEach(map -> map.put(tx, 1L, shorter)));
            }
          };
      ExportReport report = store.admin().export(() -> disturbed(target.storage(), disturb), true);
      assertThat(writes[0]).isGreaterThan(12);
      // What is left of an earlier attempt would follow the end.
      assertThat(target.contents(StoreExport.FILE)).hasSize((int) report.bytes());
      other.admin().importFrom(target::storage);
      List<PersistentMap<Long, String>> copies = maps(other);
      List<String> values =
          other.read(tx -> copies.stream().map(map -> map.getOrDefault(tx, 1L, "")).toList());
      assertThat(values).hasSize(3);
      assertThat(new TreeSet<>(values)).hasSize(1);
    }
  }

  private static List<PersistentMap<Long, String>> maps(Store store) {
    return Stream.of("a", "b", "c")
        .map(name -> store.map(name, Codec.int64(), Codec.utf8()))
        .toList();
  }

  /** Returns a place of which each write to a file is followed by something else. */
  private static Storage disturbed(Storage storage, Runnable disturb) {
    return proxy(
        Storage.class,
        storage,
        (method, result) ->
            method.equals("create")
                ? proxy(
                    StorageFile.class,
                    (StorageFile) result,
                    (called, of) -> {
                      if (called.equals("write")) {
                        disturb.run();
                      }
                      return of;
                    })
                : result);
  }

  private static <T> T proxy(Class<T> type, T of, BiFunction<String, Object, Object> after) {
    return type.cast(
        Proxy.newProxyInstance(
            ExportTest.class.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              try {
                return after.apply(method.getName(), method.invoke(of, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  /** The first release that writes other bytes has another version. */
  @Test
  void theFormatIsAsItsDiagramSays() {
    ByteBuffer bytes = ByteBuffer.wrap(smallExport()).order(ByteOrder.LITTLE_ENDIAN);
    byte[] magic = new byte[8];
    bytes.get(0, magic);
    assertThat(new String(magic, StandardCharsets.US_ASCII)).isEqualTo("HWDEXPRT");
    assertThat(bytes.getInt(8)).isOne();
    int block = 40; // the counter, the first of the names
    assertThat(bytes.getInt(block)).isEqualTo(2);
    assertThat(bytes.getLong(block + 8)).isZero();
    assertThat(bytes.getInt(block + 16)).isEqualTo(bytes.getInt(24));
    int payload = block + 24;
    byte[] described = new byte[bytes.getInt(block + 4)];
    bytes.get(payload, described);
    assertThat(HexFormat.of().formatHex(described))
        .isEqualTo(
            "00000000ffffffff"
                + "0000000000000000000000000000000000000000000000000000000000000000"
                + "07000000636f756e746572"
                + "07000000636f756e746572");
    int items = payload + described.length;
    assertThat(bytes.getInt(items)).isEqualTo(3);
    byte[] number = new byte[bytes.getInt(items + 4)];
    bytes.get(items + 24, number);
    assertThat(HexFormat.of().formatHex(number)).isEqualTo("00000000080000000100000000000000");
    int closed = items + 24 + number.length;
    assertThat(bytes.getInt(closed)).isEqualTo(4);
    assertThat(bytes.getLong(closed + 24)).isOne();
    int end = bytes.limit() - 48;
    assertThat(bytes.getInt(end)).isEqualTo(5);
    assertThat(bytes.getLong(end + 24)).isZero();
    assertThat(bytes.getLong(end + 32)).isEqualTo(4);
    assertThat(bytes.getLong(end + 40)).isEqualTo(4);
  }

  // ---- Damage.

  @Test
  void everyFlippedByteIsNamedWithFileAndOffsetAndChangesNothing() {
    byte[] whole = smallExport();
    for (int at = 0; at < whole.length; at++) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 0x10;
      int here = at;
      refuse(
          damaged,
          e -> {
            if (e instanceof UnsupportedStoreException) {
              assertThat(here).isBetween(8, 11); // another format
            } else {
              assertThat(((CorruptStoreException) e).file()).endsWith(StoreExport.FILE);
              assertThat(((CorruptStoreException) e).offset()).isBetween(0L, (long) whole.length);
            }
          });
    }
  }

  @Test
  void everyTruncationIsRefused() {
    byte[] whole = smallExport();
    for (int length = 0; length < whole.length; length++) {
      int end = length;
      refuse(
          Arrays.copyOf(whole, length),
          e ->
              assertThat(e)
                  .isInstanceOf(CorruptStoreException.class)
                  .hasMessageContaining("incomplete")
                  .satisfies(c -> assertThat(((CorruptStoreException) c).offset()).isEqualTo(end)));
    }
    refuse(
        Arrays.copyOf(whole, whole.length + 1),
        e -> assertThat(e).hasMessageContaining("bytes follow behind the end"));
  }

  /** Blocks that were left out, doubled or exchanged have right checksums of their own. */
  @Test
  void blocksThatAreNotInTheirPlaceAreRefused() {
    byte[] whole = smallExport();
    List<byte[]> blocks = blocks(whole);
    for (int i = 1; i < blocks.size(); i++) {
      List<byte[]> without = new ArrayList<>(blocks);
      without.remove(i);
      refuse(join(without), e -> assertThat(e).isInstanceOf(CorruptStoreException.class));
      List<byte[]> doubled = new ArrayList<>(blocks);
      doubled.add(i, blocks.get(i));
      refuse(join(doubled), e -> assertThat(e).isInstanceOf(CorruptStoreException.class));
    }
    List<byte[]> another = blocks(smallExport());
    for (int i = 1; i < blocks.size(); i++) {
      List<byte[]> mixed = new ArrayList<>(blocks);
      mixed.set(i, another.get(i));
      refuse(join(mixed), e -> assertThat(e).hasMessageContaining("of this export"));
    }
  }

  /** Checksums and counts are right, and the store would have less than the export says. */
  @Test
  void twoEntriesWithOneKeyAreNoticed() {
    List<byte[]> blocks = blocks(smallExport());
    int items = 8; // of the map: the third structure, of three blocks each
    int last = blocks.get(items).length - Long.BYTES - Integer.BYTES - 1;
    assertThat(blocks.get(items)[last]).isIn((byte) 'a', (byte) 'b');
    blocks.set(items, sealed(blocks.get(items), last, 'a' ^ 'b'));
    try (Store store = Store.inMemory(SMALL)) {
      SimulatedDisk disk = disk(join(blocks));
      assertThatThrownBy(() -> store.admin().importFrom(disk::storage))
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("some have one key");
    }
  }

  /** A forger makes the checksums right, too: then what the blocks say has to hold. */
  @Test
  void forgedBlocksAreRefused() {
    byte[] whole = smallExport();
    List<byte[]> blocks = blocks(whole);
    int refused = 0;
    for (int i = 1; i < blocks.size(); i++) {
      for (int at = ExportLayout.PAYLOAD_OFFSET; at < blocks.get(i).length; at++) {
        for (int mask : new int[] {0x01, 0x80, 0xFF}) {
          List<byte[]> forged = new ArrayList<>(blocks);
          forged.set(i, sealed(blocks.get(i), at, mask));
          try (Store store = Store.inMemory(SMALL)) {
            SimulatedDisk disk = disk(join(forged));
            store.admin().importFrom(disk::storage);
            store.read(store.admin()::collections);
          } catch (CorruptStoreException | UnsupportedStoreException e) {
            refused++; // others are another value of the same length
          }
        }
      }
    }
    assertThat(refused).isGreaterThan(200);
  }

  private static byte[] smallExport() {
    try (Store store = Store.inMemory(SMALL)) {
      PersistentMap<String, Long> map = store.map("map", Codec.utf8(), Codec.int64());
      PersistentList<String> list = store.list("list", Codec.utf8());
      store.map("times", Codec.utf8(), Codecs.instant());
      store.run(
          tx -> {
            map.put(tx, "a", 1L);
            map.put(tx, "b", 2L);
            list.add(tx, "element");
            store.counter("counter").increment(tx);
          });
      return exported(store).contents(StoreExport.FILE);
    }
  }

  private static SimulatedDisk disk(byte[] bytes) {
    SimulatedDisk disk = SimulatedDisk.seeded(5);
    try (StorageFile file = disk.storage().create(StoreExport.FILE)) {
      file.write(0, ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
    }
    return disk;
  }

  private static void refuse(byte[] bytes, Consumer<Throwable> check) {
    try (Store store = Store.inMemory(SMALL)) {
      SimulatedDisk disk = disk(bytes);
      assertThatThrownBy(() -> store.admin().importFrom(disk::storage)).satisfies(check);
      assertThat(store.read(store.admin()::collections)).isEmpty();
    }
  }

  /** Returns the header, then the blocks. */
  private static List<byte[]> blocks(byte[] whole) {
    List<byte[]> all = new ArrayList<>();
    all.add(Arrays.copyOf(whole, ExportLayout.HEADER_LENGTH));
    ByteBuffer buffer = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = ExportLayout.HEADER_LENGTH; at < whole.length; ) {
      int length = ExportLayout.PAYLOAD_OFFSET + buffer.getInt(at + ExportLayout.LENGTH_OFFSET);
      all.add(Arrays.copyOfRange(whole, at, at + length));
      at += length;
    }
    return all;
  }

  private static byte[] join(List<byte[]> blocks) {
    ByteBuffer all = ByteBuffer.allocate(blocks.stream().mapToInt(block -> block.length).sum());
    blocks.forEach(all::put);
    return all.array();
  }

  private static byte[] sealed(byte[] block, int at, int mask) {
    byte[] forged = block.clone();
    forged[at] ^= (byte) mask;
    ByteBuffer buffer = ByteBuffer.wrap(forged).order(ByteOrder.LITTLE_ENDIAN);
    buffer.putInt(
        ExportLayout.BLOCK_CRC_OFFSET,
        Crc32c.around(buffer, ExportLayout.BLOCK_CRC_OFFSET, forged.length));
    return forged;
  }

  @PersistentName("\uD83D\uDE00 type")
  private record Smiling(long number) {}

  @PersistentName("\uFFFD type")
  private record Replaced(long number) {}

  /** UTF-16 and UTF-8 sort them differently. */
  @Test
  void structuresAndTypesOfAnyNamesAreImported() {
    List<String> names =
        List.of(
            "",
            " ",
            "~",
            "\u007F",
            "\u0080",
            "\u07FF",
            "\u0800",
            "\uD7FF",
            "\uE000",
            "\uFFFD",
            "\uFFFF",
            "\uD800\uDC00",
            "\uD83D\uDE00",
            "\uDBFF\uDFFF");
    try (Store store = Store.open(options(SimulatedDisk.seeded(1)));
        Store other = Store.open(options(SimulatedDisk.seeded(3)))) {
      for (String first : names) {
        for (String second : List.of("", "a", "\uFFFF", "\uD83D\uDE00")) {
          PersistentList<String> list = store.list(first + "." + second, String.class);
          store.run(tx -> list.add(tx, first + second));
        }
      }
      PersistentList<Smiling> smiling = store.list("smiling", Smiling.class);
      PersistentList<Replaced> replaced = store.list("replaced", Replaced.class);
      store.run(
          tx -> {
            smiling.add(tx, new Smiling(1));
            replaced.add(tx, new Replaced(2));
          });
      ExportReport _ = other.admin().importFrom(exported(store)::storage);
      assertThat(other.read(other.admin()::collections))
          .isEqualTo(store.read(store.admin()::collections));
      for (String first : names) {
        PersistentList<String> list = other.list(first + ".", String.class);
        assertThat(other.read((Tx tx) -> list.stream(tx).toList())).containsExactly(first);
      }
    }
  }
}
