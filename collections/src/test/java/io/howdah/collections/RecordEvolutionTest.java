package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.EncryptionKeys;
import io.howdah.codec.FormerName;
import io.howdah.codec.PersistentName;
import io.howdah.codec.UnknownConstant;
import io.howdah.codec.derived.CodecRegistry;
import io.howdah.codec.derived.Codecs;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/**
 * Records, enums and sealed interfaces change while stores hold them. Classes of one name stand for
 * one class in versions of a program.
 */
final class RecordEvolutionTest {

  private static final WordOptions SMALL =
      WordOptions.defaults().withMaxSize(1 << 26).withOrecs(1 << 12).withPartitions(2);

  private final WordStore store = WordStore.inMemory(SMALL);

  @AutoClose private final WordMemory folder = new WordMemory();

  @AfterEach
  void close() {
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  private <T> PersistentMap<Long, T> map(Codec<T> codec) {
    return store.map("values", Codec.int64(), codec);
  }

  private <T> void put(Codec<T> codec, long key, T value) {
    PersistentMap<Long, T> map = map(codec);
    store.run(tx -> map.put(tx, key, value));
  }

  private <T> @Nullable T get(Codec<T> codec, long key) {
    return get(store, map(codec), key);
  }

  private static <K, T> @Nullable T get(WordStore store, PersistentMap<K, T> map, K key) {
    return store.read(tx -> Optional.ofNullable(map.get(tx, key))).orElse(null);
  }

  @PersistentName("order")
  record OrderV1(long id, String client, int cents, String junk) {}

  @PersistentName("order")
  record OrderV2(
      @Nullable String note,
      long id,
      @FormerName("client") String customer,
      long cents,
      List<String> tags,
      int count,
      Optional<String> extra) {}

  @Test
  void componentsAreAddedRemovedRenamedMovedAndWidened() {
    put(Codecs.of(OrderV1.class), 1, new OrderV1(7, "alice", -5, "junk"));
    OrderV2 expected = new OrderV2(null, 7, "alice", -5, List.of(), 0, Optional.empty());
    assertThat(get(Codecs.of(OrderV2.class), 1)).isEqualTo(expected);
    OrderV2 next = new OrderV2("n", 8, "bob", Long.MAX_VALUE, List.of("t"), 3, Optional.of("x"));
    put(Codecs.of(OrderV2.class), 2, next);
    assertThat(get(Codecs.of(OrderV2.class), 1)).isEqualTo(expected);
    assertThat(get(Codecs.of(OrderV2.class), 2)).isEqualTo(next);
  }

  @Test
  void anOlderProgramIsRefusedWhatItCannotRead() {
    put(Codecs.of(OrderV1.class), 1, new OrderV1(7, "alice", -5, "junk"));
    put(Codecs.of(OrderV2.class), 2, new OrderV2("n", 8, "b", 1, List.of(), 3, Optional.empty()));
    assertThatThrownBy(() -> map(Codecs.of(OrderV1.class)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("OrderV1.cents is int32 in this program and int64 in shape 2");
  }

  @PersistentName("point")
  record PointV1(int x, int y) {}

  @PersistentName("point")
  record PointV2(int x, int y, @Nullable String label) {}

  @PersistentName(value = "point", version = 1)
  record PointV3(int x, int y) {}

  @Test
  void anOlderProgramReadsOnAndIsRefusedWhenItWrites() {
    put(Codecs.of(PointV1.class), 1, new PointV1(1, 2));
    PersistentMap<Long, PointV1> old = map(Codecs.of(PointV1.class));
    put(Codecs.of(PointV2.class), 2, new PointV2(3, 4, "five"));
    // A codec that was bound before meets a shape that it does not know yet.
    assertThat(
            store.<Boolean, RuntimeException>read(tx -> new PointV1(3, 4).equals(old.get(tx, 2L))))
        .isTrue();
    assertThat(get(Codecs.of(PointV1.class), 1)).isEqualTo(new PointV1(1, 2));
    assertThat(get(Codecs.of(PointV1.class), 2)).isEqualTo(new PointV1(3, 4));
    assertThatThrownBy(() -> put(Codecs.of(PointV1.class), 3, new PointV1(5, 6)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("record point")
        .hasMessageContaining("label: nullable utf8")
        .hasMessageContaining("may read, but not write");
    assertThat(get(Codecs.of(PointV2.class), 3)).isNull();
    assertThat(store.<SortedMap<String, String>, RuntimeException>read(store::types))
        .containsEntry("point", "record, shape 2: x int32, y int32, label nullable utf8");
    // A higher version says that this is what is meant.
    put(Codecs.of(PointV3.class), 3, new PointV3(5, 6));
    assertThat(get(Codecs.of(PointV3.class), 2)).isEqualTo(new PointV3(3, 4));
    assertThatThrownBy(() -> put(Codecs.of(PointV2.class), 4, new PointV2(5, 6, null)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("of version 1");
  }

  @PersistentName("priced")
  record PricedV1(long price) {}

  @PersistentName("priced")
  record PricedV2(Money price, String currency) {}

  record Money(BigDecimal amount) {}

  @Test
  void retypedAndAddedComponentsGetTheirValuesFromTheRegistry() {
    put(Codecs.of(PricedV1.class), 1, new PricedV1(125));
    assertThatThrownBy(() -> map(Codecs.of(PricedV2.class)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("PricedV2.price is record io.howdah")
        .hasMessageContaining("int64 in shape 1 of record priced")
        .hasMessageContaining("withRetyped");
    CodecRegistry registry =
        CodecRegistry.defaults()
            .withRetyped(
                PricedV2.class,
                "price",
                Codec.int64(),
                cents -> new Money(BigDecimal.valueOf(cents, 2)));
    assertThatThrownBy(() -> map(registry.of(PricedV2.class)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("PricedV2.currency is new")
        .hasMessageContaining("@FormerName")
        .hasMessageContaining("withAdded");
    Codec<PricedV2> codec =
        registry.withAdded(PricedV2.class, "currency", "EUR").of(PricedV2.class);
    assertThat(get(codec, 1)).isEqualTo(new PricedV2(new Money(new BigDecimal("1.25")), "EUR"));
  }

  @PersistentName("rated")
  record RatedV1(@Nullable Long stars, Optional<String> note) {}

  @PersistentName("rated")
  record RatedV2(String stars, int note) {}

  @Test
  void aNullableComponentIsRetypedByTheCodecThatStandsForItInAKeyToo() {
    put(Codecs.of(RatedV1.class), 1, new RatedV1(7L, Optional.of("good")));
    put(Codecs.of(RatedV1.class), 2, new RatedV1(null, Optional.empty()));
    Codec<RatedV2> codec =
        CodecRegistry.defaults()
            .withRetyped(
                RatedV2.class, "stars", Codecs.nullable(Codec.int64()), stars -> "of " + stars)
            .withRetyped(
                RatedV2.class,
                "note",
                Codecs.optional(Codec.utf8()),
                note -> note.map(String::length).orElse(-1))
            .of(RatedV2.class);
    assertThat(get(codec, 1)).isEqualTo(new RatedV2("of 7", 4));
    assertThat(get(codec, 2)).isEqualTo(new RatedV2("of null", -1));
  }

  @Test
  void valuesThatAComponentCannotHaveAreRefusedByItsName() {
    put(Codecs.of(RatedV1.class), 1, new RatedV1(7L, Optional.empty()));
    for (Object wrong : new Object[] {"none", 1L}) {
      assertThatThrownBy(() -> CodecRegistry.defaults().withAdded(RatedV2.class, "note", wrong))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("RatedV2.note is a int")
          .hasMessageContaining(wrong.getClass().getName());
    }
    CodecRegistry registry =
        CodecRegistry.defaults()
            .withRetyped(
                RatedV2.class, "stars", Codecs.nullable(Codec.int64()), stars -> "of " + stars);
    for (Object wrong : new Object[] {"none", Optional.empty()}) {
      Object converted = wrong.equals("none") ? wrong : null;
      Codec<RatedV2> codec =
          registry
              .withRetyped(RatedV2.class, "note", Codecs.optional(Codec.utf8()), _ -> converted)
              .of(RatedV2.class);
      assertThatThrownBy(() -> get(codec, 1))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("withRetyped for")
          .hasMessageContaining("RatedV2.note returned")
          .hasMessageContaining(converted == null ? "null" : "java.lang.String");
    }
  }

  @PersistentName("line")
  record LineV1(String article) {}

  @PersistentName("cart")
  record CartV1(List<LineV1> lines) {}

  @PersistentName("line")
  record LineV2(String article, int count) {}

  @PersistentName("cart")
  record CartV2(List<LineV2> lines) {}

  @Test
  void aNestedRecordChangesByItself() {
    put(Codecs.of(CartV1.class), 1, new CartV1(List.of(new LineV1("tea"), new LineV1("pot"))));
    assertThat(get(Codecs.of(CartV2.class), 1))
        .isEqualTo(new CartV2(List.of(new LineV2("tea", 0), new LineV2("pot", 0))));
    CartV2 next = new CartV2(List.of(new LineV2("cup", 3)));
    put(Codecs.of(CartV2.class), 2, next);
    assertThat(get(Codecs.of(CartV2.class), 2)).isEqualTo(next);
  }

  record Former(int a) {}

  @FormerName("io.howdah.collections.RecordEvolutionTest$Former")
  record Renamed(int a) {}

  @Test
  void aRenamedClassGoesOnWithTheNameThatTheStoreHas() {
    put(Codecs.of(Former.class), 1, new Former(1));
    assertThat(get(Codecs.of(Renamed.class), 1)).isEqualTo(new Renamed(1));
    put(Codecs.of(Renamed.class), 2, new Renamed(2));
    assertThat(get(Codecs.of(Former.class), 2)).isEqualTo(new Former(2));
  }

  record RenamedInSilence(int a) {}

  @Test
  void whoRenamesAClassIsToldHowItKeepsItsName() {
    put(Codecs.of(Former.class), 1, new Former(1));
    String former = "\"io.howdah.collections.RecordEvolutionTest$Former\"";
    assertThatThrownBy(() -> map(Codecs.of(RenamedInSilence.class)))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("annotate it with @FormerName(" + former + ")")
        .hasMessageContaining("in keys and sets, with @PersistentName(" + former + ")");
    store.sortedMap("by key", Former.class, Long.class);
    assertThatThrownBy(() -> store.sortedMap("by key", RenamedInSilence.class, Long.class))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("@PersistentName(" + former + ")");
    assertThatThrownBy(() -> map(Codecs.list(Codecs.of(Former.class))))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageEndingWith(
            "; use the codecs it was created with, another name, or drop it first");
  }

  @PersistentName("state")
  enum StateV1 {
    NEW,
    PAID,
    SENT
  }

  @PersistentName("state")
  enum StateV2 {
    @UnknownConstant
    OTHER,
    LOST,
    @FormerName("PAID")
    SETTLED,
    NEW
  }

  record JobV1(@Nullable StateV1 state) {}

  @Test
  void constantsMoveGetOtherNamesAndGo() {
    long key = 0;
    for (StateV1 state : StateV1.values()) {
      put(Codecs.of(StateV1.class), key++, state);
    }
    Codec<StateV2> codec = Codecs.of(StateV2.class);
    assertThat(get(codec, 0)).isEqualTo(StateV2.NEW);
    assertThat(get(codec, 1)).isEqualTo(StateV2.SETTLED);
    assertThat(get(codec, 2)).isEqualTo(StateV2.OTHER);
    put(codec, 3, StateV2.LOST);
    put(codec, 4, StateV2.SETTLED);
    assertThat(get(Codecs.of(StateV1.class), 4)).isEqualTo(StateV1.PAID);
    assertThatThrownBy(() -> get(Codecs.of(StateV1.class), 3))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("enum state has no constant \"LOST\"");
  }

  @PersistentName("merged")
  enum SeparateConstants {
    PAID,
    NEW,
    SETTLED
  }

  @PersistentName("merged")
  enum MergedConstants {
    @FormerName("PAID")
    SETTLED,
    NEW
  }

  @Test
  void aConstantThatAnotherOneBecomesKeepsItsNumber() {
    for (SeparateConstants constant : SeparateConstants.values()) {
      put(Codecs.of(SeparateConstants.class), constant.name().length(), constant);
    }
    Codec<MergedConstants> codec = Codecs.of(MergedConstants.class);
    assertThat(get(codec, "PAID".length())).isEqualTo(MergedConstants.SETTLED);
    assertThat(get(codec, "SETTLED".length())).isEqualTo(MergedConstants.SETTLED);
    put(codec, 1, MergedConstants.SETTLED);
    assertThat(get(Codecs.of(SeparateConstants.class), 1)).isEqualTo(SeparateConstants.SETTLED);
  }

  @PersistentName("size")
  enum SizeV1 {
    SMALL,
    LARGE
  }

  @PersistentName("size")
  enum SizeV2 {
    SMALL,
    LARGE,
    HUGE
  }

  @PersistentName("size")
  enum SizeV3 {
    SMALL,
    MEDIUM,
    LARGE,
    HUGE
  }

  @Test
  void sortedConstantsAreAddedAtTheEndOnly() {
    PersistentSortedMap<SizeV1, String> old =
        store.sortedMap("sizes", Codecs.ordered(SizeV1.class), Codec.utf8());
    store.run(tx -> old.put(tx, SizeV1.LARGE, "l"));
    PersistentSortedMap<SizeV2, String> next =
        store.sortedMap("sizes", Codecs.ordered(SizeV2.class), Codec.utf8());
    store.run(tx -> next.put(tx, SizeV2.HUGE, "h"));
    List<SizeV2> keys = store.read(tx -> next.keys(tx).toList());
    assertThat(keys).containsExactly(SizeV2.LARGE, SizeV2.HUGE);
    assertThatThrownBy(() -> store.sortedMap("sizes", Codecs.ordered(SizeV3.class), Codec.utf8()))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("at the end only");
    assertThatThrownBy(() -> store.read(tx -> old.keys(tx).toList()))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("enum size");
  }

  @PersistentName("payment")
  sealed interface PaymentV1 permits CardV1, CashV1 {}

  @PersistentName("card")
  record CardV1(String number) implements PaymentV1 {}

  @PersistentName("cash")
  record CashV1() implements PaymentV1 {}

  @PersistentName("payment")
  sealed interface PaymentV2 permits Coupon, CashV2, CardV2 {}

  @PersistentName("coupon")
  record Coupon(int code) implements PaymentV2 {}

  @PersistentName("notes and coins")
  @FormerName("cash")
  record CashV2(boolean isExact) implements PaymentV2 {}

  @PersistentName("card")
  record CardV2(String number, @Nullable String owner) implements PaymentV2 {}

  @Test
  void sealedInterfacesPermitMore() {
    put(Codecs.of(PaymentV1.class), 1, new CardV1("42"));
    put(Codecs.of(PaymentV1.class), 2, new CashV1());
    assertThat(get(Codecs.of(PaymentV2.class), 1)).isEqualTo(new CardV2("42", null));
    assertThat(get(Codecs.of(PaymentV2.class), 2)).isEqualTo(new CashV2(false));
    put(Codecs.of(PaymentV2.class), 3, new Coupon(1));
    assertThat(get(Codecs.of(PaymentV1.class), 1)).isEqualTo(new CardV1("42"));
    assertThatThrownBy(() -> get(Codecs.of(PaymentV1.class), 3))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("\"coupon\"");
  }

  @PersistentName("key")
  record KeyV1(int a, String b) {}

  @PersistentName("key")
  record KeyV2(int x, String y) {}

  @PersistentName("key")
  record KeyV3(int x, String y, int z) {}

  @Test
  void keysKeepTheTypesOfTheirComponents() {
    PersistentMap<KeyV1, Long> old = store.map("keys", Codecs.of(KeyV1.class), Codec.int64());
    store.run(tx -> old.put(tx, new KeyV1(1, "b"), 5L));
    PersistentMap<KeyV2, Long> next = store.map("keys", Codecs.of(KeyV2.class), Codec.int64());
    assertThat(get(store, next, new KeyV2(1, "b"))).isEqualTo(5L);
    assertThatThrownBy(() -> store.map("keys", Codecs.of(KeyV3.class), Codec.int64()))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("record key(int32, utf8)");
  }

  @Test
  void whatHasNoOneFormIsNoKey() {
    EncryptionKeys keys =
        new EncryptionKeys() {
          @Override
          public int current() {
            return 1;
          }

          @Override
          public SecretKey key(int number) {
            return new SecretKeySpec(new byte[16], "AES");
          }
        };
    for (Codec<?> codec :
        List.of(
            Codecs.set(Codec.utf8()),
            Codecs.map(Codec.utf8(), Codec.utf8()),
            Codecs.list(Codecs.set(Codec.utf8())),
            Codecs.compressed(Codec.utf8()),
            Codecs.encrypted(Codec.utf8(), keys))) {
      assertThatThrownBy(() -> store.set("set", codec))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("cannot be a key");
      assertThat(store.list(codec.name(), codec)).isNotNull();
    }
  }

  @Test
  void oneNameIsOneKindOfType() {
    put(Codecs.of(StateV1.class), 1, StateV1.NEW);
    CodecRegistry registry = CodecRegistry.defaults().withName(Former.class, "state");
    assertThatThrownBy(() -> store.list("others", registry.of(Former.class)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("\"enum\"")
        .hasMessageContaining("@PersistentName");
  }

  @Test
  void shapesAreThereAfterTheStoreWasOpenedAgain() {
    try (WordStore first = WordStore.open(folder, SMALL)) {
      PersistentMap<Long, PointV1> map =
          first.map("points", Codec.int64(), Codecs.of(PointV1.class));
      first.run(tx -> map.put(tx, 1L, new PointV1(1, 2)));
    }
    try (WordStore second = WordStore.open(folder, SMALL.withReadOnly(true))) {
      PersistentMap<Long, PointV2> map =
          second.map("points", Codec.int64(), Codecs.of(PointV2.class));
      assertThat(get(second, map, 1L)).isEqualTo(new PointV2(1, 2, null));
      assertThatThrownBy(() -> second.map("points", Codec.int64(), Codecs.of(Former.class)))
          .isInstanceOf(CollectionMismatchException.class)
          .hasMessageContaining("Former");
    }
    try (WordStore third = WordStore.open(folder, SMALL)) {
      PersistentMap<Long, PointV2> map =
          third.map("points", Codec.int64(), Codecs.of(PointV2.class));
      third.run(tx -> map.put(tx, 2L, new PointV2(3, 4, "l")));
      assertThat(get(third, map, 2L)).isEqualTo(new PointV2(3, 4, "l"));
    }
  }

  @PersistentName("tone")
  enum ToneV1 {
    RED,
    BLUE,
    GREEN
  }

  @PersistentName("tone")
  enum MergedTone {
    @FormerName("BLUE")
    RED,
    GREEN
  }

  @PersistentName("tone")
  enum RenamedTone {
    @FormerName("RED")
    CRIMSON,
    BLUE,
    GREEN
  }

  @PersistentName("tone")
  enum ForgottenTone {
    CRIMSON,
    BLUE,
    GREEN
  }

  @Test
  void twoConstantsBecomeOneAndKeepTheirOwnNumbers() {
    put(Codecs.of(ToneV1.class), 1, ToneV1.RED);
    put(Codecs.of(ToneV1.class), 2, ToneV1.BLUE);
    assertThat(get(Codecs.of(MergedTone.class), 1)).isEqualTo(MergedTone.RED);
    assertThat(get(Codecs.of(MergedTone.class), 2)).isEqualTo(MergedTone.RED);
    put(Codecs.of(MergedTone.class), 3, MergedTone.RED);
    assertThat(get(Codecs.of(ToneV1.class), 3)).isEqualTo(ToneV1.RED);
  }

  @Test
  void aFormerNameMayBeAddedAfterTheNewNameWasStored() {
    put(Codecs.of(ToneV1.class), 1, ToneV1.RED);
    put(Codecs.of(ForgottenTone.class), 2, ForgottenTone.CRIMSON);
    assertThat(get(Codecs.of(RenamedTone.class), 1)).isEqualTo(RenamedTone.CRIMSON);
    assertThat(get(Codecs.of(RenamedTone.class), 2)).isEqualTo(RenamedTone.CRIMSON);
  }

  @Test
  void keysOfTwoConstantsDoNotBecomeOne() {
    PersistentSortedMap<ToneV1, Long> before =
        store.sortedMap("tones", Codecs.ordered(ToneV1.class), Codec.int64());
    store.run(tx -> before.put(tx, ToneV1.BLUE, 5L));
    assertThatThrownBy(
            () -> store.sortedMap("tones", Codecs.ordered(MergedTone.class), Codec.int64()))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("cannot be made one");
    long kept = store.read(tx -> before.getOrDefault(tx, ToneV1.BLUE, 0L));
    assertThat(kept).isEqualTo(5);
  }

  /** Without an order, too: the key would be shown as a constant by which it is not found. */
  @Test
  void aKeyOfAConstantThatBecameAnotherIsRefused() {
    PersistentMap<ToneV1, Long> before =
        store.map("tones by hash", Codecs.of(ToneV1.class), Codec.int64());
    store.run(tx -> before.put(tx, ToneV1.RED, 4L));
    PersistentMap<MergedTone, Long> after =
        store.map("tones by hash", Codecs.of(MergedTone.class), Codec.int64());
    assertThat(after.asMap()).containsExactly(Map.entry(MergedTone.RED, 4L));
    store.run(tx -> before.put(tx, ToneV1.BLUE, 5L));
    assertThatThrownBy(() -> Map.copyOf(after.asMap()))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("\"BLUE\"")
        .hasMessageContaining("cannot be made one");
    assertThat(after.asMap().get(MergedTone.RED)).isEqualTo(4L);
    assertThat(before.asMap()).hasSize(2);
  }

  @PersistentName("person")
  record PersonV1(String name, String full) {}

  @PersistentName("person")
  record PersonOfOneName(@FormerName("full") String name) {}

  @PersistentName("person")
  record PersonOfSwappedNames(@FormerName("full") String name, @FormerName("name") String full) {}

  @Test
  void aComponentsOwnNameGoesBeforeItsFormerOne() {
    put(Codecs.of(PersonV1.class), 1, new PersonV1("own", "former"));
    assertThat(get(Codecs.of(PersonOfOneName.class), 1)).isEqualTo(new PersonOfOneName("own"));
  }

  @Test
  void aFormerNameThatAnotherComponentHasIsRefused() {
    assertThatThrownBy(() -> Codecs.of(PersonOfSwappedNames.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("cannot have the former name \"full\"");
  }

  @Test
  void aNameThatIsTooLongForAStoreIsRefused() {
    assertThatThrownBy(() -> CodecRegistry.defaults().withName(PersonV1.class, "n".repeat(256)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("1 to 255 characters");
  }

  record NullsLast(long id, @Nullable Integer rank) {}

  @Test
  void nullMaySortLast() {
    Codec<NullsLast> codec =
        CodecRegistry.defaults()
            .withComponent(
                NullsLast.class, "rank", Codecs.descending(Codecs.nullable(Codec.int32())))
            .of(NullsLast.class);
    put(codec, 1, new NullsLast(1, null));
    assertThat(get(codec, 1)).isEqualTo(new NullsLast(1, null));
  }
}
