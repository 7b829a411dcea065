package io.howdah.cli.value;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.cli.catalogue.StructureType;
import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Pair;
import io.howdah.codec.derived.CodecRegistry;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.KeyedCollection;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.objects.Length;
import io.howdah.objects.Persistent;
import io.howdah.objects.PersistentType;
import io.howdah.txn.Tx;
import java.lang.invoke.MethodHandles;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Values of real codecs, read and written by the description that the store has of them. */
final class DescribedCodecTest {

  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final UUID ID = new UUID(0x0123456789ABCDEFL, 0x8000000000000001L);

  private final Store store = Store.inMemory();

  @AfterEach
  void close() {
    store.close();
  }

  enum State {
    OPEN,
    PAID
  }

  record Line(String article, int pieces, BigDecimal price) {}

  sealed interface Payment {
    record Card(String number) implements Payment {}

    record Transfer(long account, Optional<String> note) implements Payment {}
  }

  @SuppressWarnings("ArrayRecordComponent") // records of users have them, too
  record Order(
      UUID id,
      State state,
      List<Line> lines,
      Payment payment,
      Optional<Instant> paid,
      Map<String, Long> counts,
      Map<Line, Set<State>> odd,
      byte[] seal,
      int[] sizes,
      boolean isGift,
      char letter,
      double weight,
      BigInteger number) {}

  record Key(String customer, State state, Instant at, BigDecimal total, Optional<String> note) {}

  private static Order order() {
    return new Order(
        ID,
        State.PAID,
        List.of(new Line("tea \"green\"", 2, new BigDecimal("4.50"))),
        new Payment.Transfer(7, Optional.empty()),
        Optional.of(Instant.EPOCH),
        Map.of("a", -1L),
        Map.of(new Line("", 0, BigDecimal.ONE), Set.of(State.OPEN)),
        new byte[] {0, 1, -1},
        new int[] {3, -4},
        true,
        'x',
        1.5,
        BigInteger.TWO.pow(100));
  }

  private static final String ORDER =
      "{\"id\":\"01234567-89ab-cdef-8000-000000000001\",\"state\":\"PAID\","
          + "\"lines\":[{\"article\":\"tea \\\"green\\\"\",\"pieces\":2,\"price\":4.50}],"
          + "\"payment\":{\"@type\":\"io.howdah.cli.value.DescribedCodecTest$Payment$Transfer\","
          + "\"account\":7,\"note\":null},"
          + "\"paid\":\"1970-01-01T00:00:00Z\",\"counts\":{\"a\":-1},"
          + "\"odd\":[[{\"article\":\"\",\"pieces\":0,\"price\":1},[\"OPEN\"]]],"
          + "\"seal\":\"0001ff\",\"sizes\":[3,-4],\"isGift\":true,\"letter\":\"x\",\"weight\":1.5,"
          + "\"number\":1267650600228229401496703205376}";

  private String type(String name) {
    return requireNonNull(store.read(store.admin()::collections).get(name));
  }

  private <V, K> V get(PersistentMap<K, V> map, K key) {
    return store.read(tx -> Optional.ofNullable(map.get(tx, key))).orElseThrow();
  }

  private DescribedCodec named(String codec) {
    return DescribedCodec.named(codec, store.admin()::properties);
  }

  /** The map of the same name, as the commands open it. */
  private PersistentMap<JsonValue, JsonValue> described(String name) {
    String type = type(name);
    String[] codecs = type.replaceFirst("^map of ", "").split(" to ", 2);
    return store.map(name, named(codecs[0]), named(codecs[1]));
  }

  @Persistent
  interface Person {
    String name();

    void name(String value);

    byte[] seal();

    void seal(byte[] value);

    @Nullable Person friend();

    void friend(@Nullable Person value);

    @Length(2)
    int years(int index);

    void years(int index, int value);
  }

  @Test
  void objectsAreShownWithTheirPropertiesAndNotMade() {
    PersistentType<Person> people = store.type(Person.class, LOOKUP);
    PersistentMap<Long, Person> byNumber = store.map("people", Codec.int64(), people.codec());
    long[] references = new long[2];
    store.run(
        tx -> {
          Person ann = people.create(tx);
          ann.name("Ann");
          ann.seal(new byte[] {1, -1});
          ann.years(1, 44);
          ann.friend(ann);
          Person bob = people.create(tx);
          byNumber.put(tx, 1L, ann);
          byNumber.put(tx, 2L, bob);
          references[0] = people.address(ann);
          references[1] = people.address(bob);
          people.free(tx, bob);
        });
    PersistentMap<JsonValue, JsonValue> map = described("people");
    String type = Person.class.getName();
    assertThat(get(map, new JsonValue(1L)))
        .hasToString(
            "{\"@type\":\"%s\",\"@reference\":\"%#x\",\"friend\":\"%s@%d\",\"name\":\"Ann\",\"seal\":\"01ff\",\"years\":[0,44]}"
                .formatted(type, references[0], type, references[0] & (1L << 46) - 1));
    assertThat(get(map, new JsonValue(2L)))
        .hasToString(
            "{\"@type\":\"%s\",\"@reference\":\"%#x\",\"@freed\":true}"
                .formatted(type, references[1]));
    assertThatThrownBy(() -> store.run(tx -> map.put(tx, new JsonValue(3L), new JsonValue("x"))))
        .isInstanceOf(ValueException.class)
        .hasMessageContaining("made by a program only");
  }

  @Test
  void recordsAreObjectsWithTheirComponentsByName() {
    PersistentMap<Long, Order> orders =
        store.map("orders", Codec.int64(), Codecs.of(LOOKUP, Order.class));
    store.run(tx -> orders.put(tx, 1L, order()));
    PersistentMap<JsonValue, JsonValue> map = described("orders");
    JsonValue one = new JsonValue(1L);
    assertThat(get(map, one)).hasToString(ORDER);

    store.run(tx -> map.put(tx, new JsonValue(2), new JsonValue(JsonTree.parse(ORDER))));
    assertThat(get(orders, 2L)).usingRecursiveComparison().isEqualTo(order());
  }

  @Test
  void aRecordOfAnEarlierShapeIsShownAsItWasStored() {
    record Before(String name) {}
    record After(String name, int age) {}
    CodecRegistry registry = CodecRegistry.defaults().withLookup(LOOKUP);
    Codec<Before> before = registry.withName(Before.class, "person").of(Before.class);
    Codec<After> after = registry.withName(After.class, "person").of(After.class);
    PersistentMap<Long, Before> old = store.map("people", Codec.int64(), before);
    store.run(tx -> old.put(tx, 1L, new Before("Ada")));
    PersistentMap<Long, After> people = store.map("people", Codec.int64(), after);
    PersistentMap<JsonValue, JsonValue> map = described("people");
    store.run(tx -> map.put(tx, new JsonValue(2), person("{\"name\":\"Bob\",\"age\":3}")));

    assertThat(get(map, new JsonValue(1))).hasToString("{\"name\":\"Ada\"}");
    assertThat(get(people, 2L)).isEqualTo(new After("Bob", 3));
    assertThatThrownBy(
            () -> store.run(tx -> map.put(tx, new JsonValue(3), person("{\"name\":\"Cy\"}"))))
        .isInstanceOf(ValueException.class)
        .hasMessage("record person needs the component \"age\"");
    assertThatThrownBy(
            () ->
                store.run(
                    tx ->
                        map.put(
                            tx, new JsonValue(3), person("{\"name\":\"Cy\",\"age\":1,\"x\":0}"))))
        .hasMessage("record person has no component \"x\", but [name, age]");
  }

  private static JsonValue person(String json) {
    return new JsonValue(JsonTree.parse(json));
  }

  @Test
  void keysOfSeveralPartsAreArraysAndKeepTheirOrder() {
    OrderedCodec<Key> keys = Codecs.ordered(LOOKUP, Key.class);
    PersistentSortedMap<Key, Boolean> typed = store.sortedMap("by", keys, Codec.bool());
    Key first =
        new Key("a\0b", State.OPEN, Instant.EPOCH, new BigDecimal("-12.5"), Optional.of(""));
    Key second = new Key("a\0b", State.OPEN, Instant.EPOCH, new BigDecimal("7"), Optional.empty());
    store.run(tx -> typed.put(tx, second, true));
    String type = type("by");
    String name = type.substring("sorted map of ".length(), type.length() - " to bool".length());
    PersistentSortedMap<JsonValue, JsonValue> map =
        store.sortedMap("by", named(name), named("bool"));
    JsonValue key =
        new JsonValue(
            JsonTree.parse("[\"a\\u0000b\",\"OPEN\",\"1970-01-01T00:00:00Z\",-12.5,\"\"]"));
    store.run(tx -> map.put(tx, key, new JsonValue(false)));

    assertThat(store.read((Tx tx) -> typed.keys(tx).toList())).containsExactly(first, second);
    assertThat(store.read((Tx tx) -> map.containsKey(tx, key))).isTrue();
    assertThat(store.read((Tx tx) -> map.keys(tx).map(JsonValue::toString).toList()))
        .containsExactly(
            key.toString(), "[\"a\\u0000b\",\"OPEN\",\"1970-01-01T00:00:00Z\",7,null]");
  }

  @Test
  void allOtherCodecsAreReadAndWrittenAsTheirOwn() {
    roundTrip("short", Codec.int16(), (short) -2, "-2");
    roundTrip("byte", Codec.int8(), (byte) 3, "3");
    roundTrip("float", Codec.float32(), 1.5f, "1.5");
    roundTrip("infinite", Codec.float64(), Double.POSITIVE_INFINITY, "\"Infinity\"");
    roundTrip("duration", Codecs.duration(), Duration.ofMillis(1500), "\"PT1.5S\"");
    roundTrip("date", Codecs.localDate(), LocalDate.of(2026, 2, 28), "\"2026-02-28\"");
    roundTrip("time", Codecs.localTime(), LocalTime.of(12, 30, 1), "\"12:30:01\"");
    LocalDateTime noon = LocalDateTime.of(2026, 2, 28, 12, 0, 1);
    roundTrip("date-time", Codecs.localDateTime(), noon, "\"2026-02-28T12:00:01\"");
    String offset = "2026-02-28T12:00:01+01:00";
    roundTrip("offset", Codecs.offsetDateTime(), OffsetDateTime.parse(offset), quoted(offset));
    String zoned = offset + "[Europe/Berlin]";
    roundTrip("zoned", Codecs.zonedDateTime(), ZonedDateTime.parse(zoned), quoted(zoned));
    roundTrip("pair", Codecs.pair(Codec.utf8(), Codec.int32()), new Pair<>("a", 1), "[\"a\",1]");
    roundTrip("packed", Codecs.compressed(Codec.utf8()), "a".repeat(200), quoted("a".repeat(200)));
    roundTrip(
        "lists",
        Codecs.list(Codecs.list(Codecs.descending(Codec.utf8()))),
        List.of(List.of("a\0", ""), List.of()),
        "[[\"a\\u0000\",\"\"],[]]");
    roundTrip(
        "pairs",
        Codecs.list(
            Codecs.pair(Codecs.descending(Codec.int64()), Codecs.ordered(LOOKUP, State.class))),
        List.of(new Pair<>(5L, State.PAID)),
        "[[5,\"PAID\"]]");
    roundTrip(
        "optional",
        Codecs.optional(Codecs.optional(Codec.int64())),
        Optional.of(Optional.of(1L)),
        "1");
    roundTrip(
        "states",
        Codecs.map(Codecs.of(LOOKUP, State.class), Codec.bool()),
        Map.of(State.OPEN, true),
        "{\"OPEN\":true}");
  }

  /** Names that hold what separates types are told from two names. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "bread and butter",
        "from a to b",
        "a, b",
        "a (b)",
        "[a",
        "a \"to\" b",
        "\"",
        " to ",
        "reference to a",
        "reference",
        "to a",
        "plain"
      })
  void namesOfTypesMayHoldWhatSeparatesTypes(String name) {
    CodecRegistry registry =
        CodecRegistry.defaults()
            .withLookup(LOOKUP)
            .withName(State.class, name)
            .withName(Line.class, "line " + name)
            .withName(Payment.class, name + " payment")
            .withName(Payment.Card.class, name + " and card")
            .withName(Payment.Transfer.class, name + " transfer");
    Codec<Pair<Line, Payment>> values =
        Codecs.pair(registry.of(Line.class), registry.of(Payment.class));
    PersistentMap<State, Pair<Line, Payment>> map =
        store.map("map", registry.of(State.class), values);
    PersistentSortedMap<State, Payment> sorted =
        store.sortedMap("sorted", registry.ordered(State.class), registry.of(Payment.class));
    Pair<Line, Payment> value =
        new Pair<>(new Line("tea", 1, BigDecimal.ONE), new Payment.Card("7"));
    store.run(
        tx -> {
          map.put(tx, State.OPEN, value);
          sorted.put(tx, State.OPEN, value.second());
        });
    KeyedCollection<JsonValue, JsonValue> shown =
        StructureType.of(store, "map").keyed(store, "map");
    KeyedCollection<JsonValue, JsonValue> inOrder =
        StructureType.of(store, "sorted").keyed(store, "sorted");
    JsonValue open = new JsonValue("OPEN");
    JsonValue paid = new JsonValue("PAID");
    store.run(
        tx -> {
          shown.put(tx, paid, requireNonNull(shown.get(tx, open)));
          inOrder.put(tx, paid, requireNonNull(inOrder.get(tx, open)));
        });
    assertThat(get(map, State.PAID)).isEqualTo(value);
    assertThat(store.read((Tx tx) -> Optional.ofNullable(sorted.get(tx, State.PAID))))
        .contains(value.second());
    assertThat(store.read((Tx tx) -> requireNonNull(inOrder.get(tx, paid)).toString()))
        .contains(JsonTree.of(name + " and card").toString());
  }

  /** A reference is the first component of the key, so no space stands before its name. */
  @Test
  void aKeyMayBeARecordWithAReference() {
    record Place(Person person, long number) {}
    PersistentType<Person> people = store.type(Person.class, LOOKUP);
    CodecRegistry registry =
        CodecRegistry.defaults().withLookup(LOOKUP).with(Person.class, people.codec());
    PersistentMap<Place, String> places =
        store.map("places", registry.of(Place.class), Codec.utf8());
    store.run(tx -> places.put(tx, new Place(people.create(tx), 7), "tea"));
    assertThat(type("places")).contains("(reference to ");
    PersistentMap<JsonValue, JsonValue> shown =
        (PersistentMap<JsonValue, JsonValue>)
            StructureType.of(store, "places").keyed(store, "places");
    assertThat(
            store.read(
                (Tx tx) -> {
                  Map.Entry<JsonValue, JsonValue> entry =
                      shown.asMap(tx).entrySet().iterator().next();
                  return entry.getKey() + " " + entry.getValue();
                }))
        .startsWith("[{\"@type\":\"" + Person.class.getName())
        .endsWith(",7] \"tea\"");
  }

  private static String quoted(String text) {
    return '"' + text + '"';
  }

  private <T> void roundTrip(String name, Codec<T> codec, T value, String json) {
    PersistentMap<String, T> typed = store.map(name, Codec.utf8(), codec);
    store.run(tx -> typed.put(tx, "typed", value));
    PersistentMap<JsonValue, JsonValue> map = described(name);
    assertThat(get(map, new JsonValue("typed"))).as(name).hasToString(json);
    JsonValue parsed = new JsonValue(JsonTree.parse(json));
    store.run(tx -> map.put(tx, new JsonValue("described"), parsed));
    assertThat(get(typed, "described")).as(name).isEqualTo(value);
  }

  @Test
  void whatOnlyTheProgramKnowsIsShownAsBytesWithinARecordAndElseRefused() {
    record Money(BigDecimal amount) {}
    record Bill(Money money, int number) {}
    Codec<Money> money = Codecs.map("money", Codecs.decimal(), Money::new, Money::amount);
    CodecRegistry registry = CodecRegistry.defaults().withLookup(LOOKUP).with(Money.class, money);
    PersistentMap<Long, Bill> bills = store.map("bills", Codec.int64(), registry.of(Bill.class));
    Bill bill = new Bill(new Money(new BigDecimal("1.20")), 5);
    store.run(tx -> bills.put(tx, 1L, bill));
    PersistentMap<JsonValue, JsonValue> map = described("bills");
    JsonValue shown = get(map, new JsonValue(1));
    assertThat(shown.toString()).matches("\\{\"money\":\\{\"bytes\":\"[0-9a-f]+\"},\"number\":5}");
    store.run(tx -> map.put(tx, new JsonValue(2), shown));
    assertThat(get(bills, 2L)).isEqualTo(bill);

    store.map("money", Codec.int64(), money);
    assertThatThrownBy(() -> described("money"))
        .isInstanceOf(ValueException.class)
        .hasMessageContaining("only the program knows the codec \"money\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"article\":1,\"pieces\":1,\"price\":1}",
        "{\"article\":\"a\",\"pieces\":1.5," + "\"price\":1}",
        "{\"article\":\"a\",\"pieces\":99999999999,\"price\":1}",
        "[]",
        "null",
        "{\"article\":\"a\",\"pieces\":1,\"price\":null}",
        "{\"article\":\"a\",\"pieces\":1}"
      })
  void whatIsNoValueIsRefusedByItsComponent(String json) {
    store.map("lines", Codec.int64(), Codecs.of(LOOKUP, Line.class));
    PersistentMap<JsonValue, JsonValue> map = described("lines");
    JsonValue value = new JsonValue(JsonTree.parse(json));
    assertThatThrownBy(() -> store.run(tx -> map.put(tx, new JsonValue(1), value)))
        .isInstanceOf(ValueException.class);
    assertThat(store.<Long, RuntimeException>read(map::size)).isZero();
  }
}
