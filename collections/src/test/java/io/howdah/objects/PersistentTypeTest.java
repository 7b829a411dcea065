package io.howdah.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.collections.Blocks;
import io.howdah.collections.CollectionMismatchException;
import io.howdah.collections.EntryTooLargeException;
import io.howdah.collections.PersistentCollection;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.core.InvalidAddressException;
import io.howdah.core.TransactionStateException;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import io.howdah.txn.stm.TxHandle;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects behind interfaces: every type of property, layouts that change, and what is refused. */
final class PersistentTypeTest {

  private static final WordOptions SMALL =
      WordOptions.defaults().withMaxSize(1 << 22).withOrecs(1 << 12).withPartitions(2);

  enum Colour {
    RED,
    GREEN
  }

  @Persistent
  interface Point {
    int x();

    void x(int x);

    int y();

    void y(int y);
  }

  @Persistent
  interface Everything {
    boolean flag();

    void flag(boolean v);

    byte tiny();

    void tiny(byte v);

    short small();

    void small(short v);

    char letter();

    void letter(char v);

    int number();

    void number(int v);

    float real();

    void real(float v);

    long big();

    void big(long v);

    double exact();

    void exact(double v);

    @Nullable String text();

    void text(@Nullable String v);

    byte @Nullable [] data();

    void data(byte @Nullable [] v);

    @Length(10)
    @Nullable String code();

    void code(@Nullable String v);

    @Length(4)
    byte @Nullable [] hash();

    void hash(byte @Nullable [] v);

    @Nullable Colour colour();

    void colour(@Nullable Colour v);

    @Nullable Everything next();

    void next(@Nullable Everything v);

    @Embedded
    Point corner();

    @Length(3)
    int months(int index);

    void months(int index, int v);

    @Length(2)
    @Nullable Point points(int index);

    void points(int index, @Nullable Point v);

    @NotPersistent
    int pins();

    void pins(int v);

    @NotPersistent
    @Nullable List<String> notes();

    void notes(@Nullable List<String> v);

    default int area() {
      return corner().x() * corner().y();
    }
  }

  private final WordStore store = WordStore.inMemory(SMALL);

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void everyTypeOfPropertyKeepsItsValue() {
    PersistentType<Everything> type = store.type(Everything.class, MethodHandles.lookup());
    PersistentType<Point> points = store.type(Point.class, MethodHandles.lookup());
    long address =
        store.call(
            tx -> {
              Everything e = type.create(tx);
              assertThat(e.flag()).isFalse();
              assertThat(e.text()).isNull();
              assertThat(e.code()).isNull();
              assertThat(e.colour()).isNull();
              assertThat(e.next()).isNull();
              assertThat(e.months(2)).isZero();
              e.flag(true);
              e.tiny((byte) -3);
              e.small((short) -300);
              e.letter('\uFFFE');
              e.number(Integer.MIN_VALUE);
              e.real(-1.5f);
              e.big(Long.MIN_VALUE);
              e.exact(Math.PI);
              e.text("größer");
              e.data(new byte[] {1, 2, 3});
              e.code("0123456789");
              e.hash(new byte[] {9, 8});
              e.colour(Colour.GREEN);
              e.next(e);
              e.corner().x(6);
              e.corner().y(7);
              e.months(0, 31);
              e.months(2, 30);
              Point p = points.create(tx);
              p.x(5);
              e.points(1, p);
              return type.address(e);
            });
    store.run(
        tx -> {
          Everything e = type.at(tx, address);
          assertThat(e.flag()).isTrue();
          assertThat(e.tiny()).isEqualTo((byte) -3);
          assertThat(e.small()).isEqualTo((short) -300);
          assertThat(e.letter()).isEqualTo('\uFFFE');
          assertThat(e.number()).isEqualTo(Integer.MIN_VALUE);
          assertThat(e.real()).isEqualTo(-1.5f);
          assertThat(e.big()).isEqualTo(Long.MIN_VALUE);
          assertThat(e.exact()).isEqualTo(Math.PI);
          assertThat(e.text()).isEqualTo("größer");
          assertThat(e.data()).containsExactly(1, 2, 3);
          assertThat(e.code()).isEqualTo("0123456789");
          assertThat(e.hash()).containsExactly(9, 8);
          assertThat(e.colour()).isEqualTo(Colour.GREEN);
          assertThat(e.next()).isEqualTo(e).hasSameHashCodeAs(e);
          assertThat(e.area()).isEqualTo(42);
          assertThat(e.months(0)).isEqualTo(31);
          assertThat(e.months(1)).isZero();
          assertThat(e.months(2)).isEqualTo(30);
          assertThat(e.points(0)).isNull();
          Point p = e.points(1);
          assertThat(p).isNotNull();
          assertThat(p.x()).isEqualTo(5);
          e.text("short");
          e.text(null);
          e.code(null);
          e.hash(null);
          assertThat(e.text()).isNull();
          assertThat(e.code()).isNull();
          points.free(tx, p);
          type.free(tx, e);
        });
    assertThatThrownBy(() -> store.run(tx -> type.at(tx, address)))
        .isInstanceOf(InvalidAddressException.class)
        .hasMessageContaining("Everything")
        .hasMessageContaining("address " + ObjectLayout.address(address));
    store.read(
        tx -> {
          // What is left is what describes the types.
          assertThat(Blocks.inUse(TxHandle.of(tx).words())).hasSizeLessThanOrEqualTo(4);
          return 0;
        });
  }

  @Test
  void propertiesThatDoNotPersistBeginAnewAndAreNeverLogged() {
    PersistentType<Everything> type = store.type(Everything.class, MethodHandles.lookup());
    long address = store.call(tx -> type.address(type.create(tx)));
    long before = store.lsn();
    store.run(
        tx -> {
          Everything e = type.at(tx, address);
          assertThat(e.pins()).isZero();
          assertThat(e.notes()).isNull();
          e.pins(e.pins() + 1);
          e.notes(List.of("kept by a session"));
        });
    assertThat(store.lsn()).as("nothing was written").isEqualTo(before);
    store.run(tx -> assertThat(type.at(tx, address).pins()).isEqualTo(1));
    store.run(tx -> type.free(tx, type.at(tx, address)));
    store.run(tx -> assertThat(type.create(tx).pins()).as("of a new object there").isZero());
  }

  @Test
  void objectsAreValuesOfCollections() {
    PersistentType<Point> points = store.type(Point.class, MethodHandles.lookup());
    PersistentMap<String, Point> map = store.map("points", Codec.utf8(), points.codec());
    store.run(
        tx -> {
          Point p = points.create(tx);
          p.x(3);
          map.put(tx, "a", p);
        });
    store.run(tx -> assertThat(map.get(tx, "a")).extracting(Point::x).isEqualTo(3));
    assertThatThrownBy(() -> store.map("points", Codec.utf8(), Codec.int64()))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("reference to io.howdah.objects.PersistentTypeTest$Point");
  }

  @Test
  void objectsEndWithTheirTransaction() {
    PersistentType<Everything> type = store.type(Everything.class, MethodHandles.lookup());
    Everything leaked = store.call(type::create);
    assertThatThrownBy(leaked::big).isInstanceOf(TransactionStateException.class);
    assertThatThrownBy(() -> leaked.pins(1)).isInstanceOf(TransactionStateException.class);
    assertThatThrownBy(() -> store.run(tx -> type.create(tx).next(leaked)))
        .isInstanceOf(TransactionStateException.class);
    try (WordStore other = WordStore.inMemory(SMALL)) {
      PersistentType<Everything> elsewhere = other.type(Everything.class, MethodHandles.lookup());
      assertThatThrownBy(
              () -> store.run(tx -> other.run(tx2 -> type.create(tx).next(elsewhere.create(tx2)))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("from this store");
      assertThatThrownBy(() -> other.run(type::create))
          .isInstanceOf(TransactionStateException.class)
          .hasMessageContaining("belongs to another store");
    }
  }

  @Test
  void whatDoesNotFitIsRefused() {
    PersistentType<Everything> type = store.type(Everything.class, MethodHandles.lookup());
    assertThatThrownBy(() -> store.run(tx -> type.create(tx).code("01234567890")))
        .isInstanceOf(EntryTooLargeException.class)
        .hasMessageContaining("property code of " + Everything.class.getName())
        .hasMessageContaining("11 bytes")
        .hasMessageContaining("10");
    byte[] long8 = new byte[PersistentCollection.MAX_VALUE_BYTES + 1];
    assertThatThrownBy(() -> store.run(tx -> type.create(tx).data(long8)))
        .isInstanceOf(EntryTooLargeException.class)
        .hasMessageContaining("property data of " + Everything.class.getName())
        .hasMessageContaining(long8.length + " bytes");
    for (String unpaired : List.of("\ud83d", "ab\ude00", "\ud83d\ud83d\ude00")) {
      assertThatThrownBy(() -> store.run(tx -> type.create(tx).text(unpaired)))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("property text of " + Everything.class.getName())
          .hasMessageContaining("at index " + (unpaired.startsWith("ab") ? 2 : 0));
      assertThatThrownBy(() -> store.run(tx -> type.create(tx).code(unpaired)))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("property code of");
    }
    store.run(
        tx -> {
          Everything e = type.create(tx);
          e.code("é😀");
          assertThat(e.code()).isEqualTo("é😀");
          type.free(tx, e);
        });
    assertThatThrownBy(() -> store.run(tx -> type.create(tx).months(3, 1)))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining("index 3 of months");
  }

  @Test
  void whatWasFreedIsRefusedByEveryWayToIt() {
    PersistentType<Everything> type = store.type(Everything.class, MethodHandles.lookup());
    PersistentMap<String, Everything> map = store.map("all", Codec.utf8(), type.codec());
    long address =
        store.call(
            tx -> {
              Everything target = type.create(tx);
              Everything source = type.create(tx);
              source.next(target);
              map.put(tx, "source", source);
              map.put(tx, "target", target);
              return type.address(target);
            });
    store.run(tx -> type.free(tx, type.at(tx, address)));
    String culprit =
        "address "
            + ObjectLayout.address(address)
            + " is that of no object of "
            + Everything.class.getName();
    List<TxBody<RuntimeException>> ways =
        List.of(
            tx -> type.at(tx, address),
            tx -> map.get(tx, "target"),
            tx -> Objects.requireNonNull(map.get(tx, "source")).next());
    for (TxBody<RuntimeException> way : ways) {
      assertThatThrownBy(() -> store.run(way))
          .isInstanceOf(InvalidAddressException.class)
          .hasMessageContaining(culprit);
    }
    List<BiConsumer<Tx, Everything>> uses =
        List.of(
            (tx, freed) -> type.free(tx, freed),
            (tx, freed) -> Objects.requireNonNull(map.get(tx, "source")).next(freed),
            (tx, freed) -> map.put(tx, "again", freed));
    for (BiConsumer<Tx, Everything> use : uses) {
      assertThatThrownBy(
              () ->
                  store.run(
                      tx -> {
                        Everything freed = type.create(tx);
                        type.free(tx, freed);
                        use.accept(tx, freed);
                      }))
          .isInstanceOf(InvalidAddressException.class)
          .hasMessageContaining("is that of no object of " + Everything.class.getName());
    }
    store.run(tx -> assertThat(map.containsKey(tx, "again")).isFalse());
  }

  /** Another block is in its place, whose words look like nothing that an object holds. */
  @ParameterizedTest
  @ValueSource(longs = {-1, 1L << 40, 8})
  void whatAnObjectFreedInTheTransactionHoldsIsNoDamage(long word) {
    PersistentType<Node> type = store.type(Node.class, MethodHandles.lookup());
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      Node freed = type.create(tx);
                      freed.label("a label");
                      long at = ObjectLayout.address(type.address(freed));
                      type.free(tx, freed);
                      for (long next = at; next < at + 32; next += Long.BYTES) {
                        tx.putLong(next, word);
                      }
                      freed.label();
                    }))
        .isInstanceOf(InvalidAddressException.class)
        .hasMessageContaining("it was freed, or is something else");
  }

  @Persistent
  interface Node {
    @Nullable String label();

    void label(@Nullable String v);

    long id();

    void id(long v);

    @Nullable Node next();

    void next(@Nullable Node v);

    @NotPersistent
    int pins();

    void pins(int v);
  }

  /** What takes a freed object's place at once is as alike as it can be. */
  @Test
  void anObjectIsNotTakenForTheOneThatWasThereBefore() {
    PersistentType<Node> nodes = store.type(Node.class, MethodHandles.lookup());
    PersistentMap<String, Node> map = store.map("nodes", Codec.utf8(), nodes.codec());
    long source =
        store.call(
            tx -> {
              Node node = nodes.create(tx);
              map.put(tx, "target", target(tx, node, nodes));
              return nodes.address(node);
            });
    long target = store.call(tx -> nodes.address(require(nodes.at(tx, source).next())));
    store.run(tx -> nodes.at(tx, target).pins(5));
    store.run(tx -> nodes.free(tx, nodes.at(tx, target)));
    long successor = store.call(tx -> nodes.address(nodes.create(tx)));
    assertThat(ObjectLayout.address(successor)).isEqualTo(ObjectLayout.address(target));
    List<TxBody<RuntimeException>> ways =
        List.of(
            tx -> nodes.at(tx, target),
            tx -> map.get(tx, "target"),
            tx -> nodes.at(tx, source).next());
    for (TxBody<RuntimeException> way : ways) {
      assertThatThrownBy(() -> store.run(way))
          .isInstanceOf(InvalidAddressException.class)
          .hasMessageContaining("is that of no object of " + Node.class.getName());
    }
    // In one transaction, too, where both have the same LSN.
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      Node freed = nodes.create(tx);
                      nodes.free(tx, freed);
                      Node next = nodes.create(tx);
                      assertThat(place(next, nodes)).isEqualTo(place(freed, nodes));
                      assertThat(next).isNotEqualTo(freed);
                      nodes.free(tx, freed);
                    }))
        .isInstanceOf(InvalidAddressException.class);
    store.run(
        tx -> {
          assertThat(nodes.at(tx, successor).pins()).as("those of another object").isZero();
          tx.root(7, successor);
          assertThat(nodes.at(tx, tx.root(7))).isEqualTo(nodes.at(tx, successor));
        });
  }

  private static Node target(Tx tx, Node source, PersistentType<Node> nodes) {
    Node target = nodes.create(tx);
    source.next(target);
    return target;
  }

  private static Node require(@Nullable Node node) {
    return Objects.requireNonNull(node);
  }

  private static long place(Node node, PersistentType<Node> nodes) {
    return ObjectLayout.address(nodes.address(node));
  }

  @Test
  void aFreeThatIsUndoneLeavesWhatDoesNotPersist() {
    PersistentType<Node> nodes = store.type(Node.class, MethodHandles.lookup());
    long address = store.call(tx -> nodes.address(nodes.create(tx)));
    store.run(tx -> nodes.at(tx, address).pins(5));
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      nodes.free(tx, nodes.at(tx, address));
                      throw tx.abort("no");
                    }))
        .isInstanceOf(TransactionAbortedException.class);
    store.run(tx -> assertThat(nodes.at(tx, address).pins()).isEqualTo(5));
  }

  @Test
  void anObjectInAnotherIsNeitherReferredToNorFreed() {
    PersistentType<Everything> type = store.type(Everything.class, MethodHandles.lookup());
    PersistentType<Point> points = store.type(Point.class, MethodHandles.lookup());
    List<BiConsumer<Tx, Everything>> uses =
        List.of(
            (_, e) -> e.points(0, e.corner()),
            (tx, e) -> points.free(tx, e.corner()),
            (tx, e) -> points.at(tx, points.address(e.corner())));
    for (BiConsumer<Tx, Everything> use : uses) {
      assertThatThrownBy(() -> store.run(tx -> use.accept(tx, type.create(tx))))
          .isInstanceOfAny(IllegalArgumentException.class, InvalidAddressException.class)
          .hasMessageContaining(Point.class.getName());
    }
    for (BiConsumer<Tx, Everything> use : uses.subList(0, 2)) {
      assertThatThrownBy(() -> store.run(tx -> use.accept(tx, type.create(tx))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is embedded in another object");
    }
  }

  @Test
  @SuppressWarnings("NullAway") // null is refused, too
  void objectsOfOthersAreRefused() {
    PersistentType<Point> points = store.type(Point.class, MethodHandles.lookup());
    try (WordStore another = WordStore.inMemory(WordOptions.defaults().withMaxSize(1 << 22))) {
      PersistentType<Point> others = another.type(Point.class, MethodHandles.lookup());
      another.run(
          tx -> {
            Point other = others.create(tx);
            List<TxBody<RuntimeException>> uses =
                List.of(
                    own -> points.free(own, other),
                    own -> points.detach(own, other),
                    _ -> points.address(other));
            for (TxBody<RuntimeException> use : uses) {
              assertThatThrownBy(() -> CompletableFuture.runAsync(() -> store.run(use)).join())
                  .cause()
                  .isInstanceOf(IllegalArgumentException.class)
                  .hasMessageContaining("from this store is required, not " + other);
            }
          });
    }
    assertThatThrownBy(() -> store.run(tx -> points.free(tx, null)))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("is required, not null");
  }

  @Test
  void aConstantThatTheEnumDoesNotHaveIsRefused() {
    PersistentType<Everything> type = store.type(Everything.class, MethodHandles.lookup());
    int offset = type.layout().field("colour").orElseThrow().offset();
    store.run(
        tx -> {
          Everything e = type.create(tx);
          long at = ObjectLayout.address(type.address(e)) + offset;
          for (Colour colour : Colour.values()) {
            e.colour(colour);
            assertThat(e.colour()).isEqualTo(colour);
          }
          for (int stored : new int[] {-1, 3}) {
            tx.putInt(at, stored);
            assertThatThrownBy(e::colour)
                .isInstanceOf(InvalidTypeException.class)
                .hasMessageContaining("holds constant " + (stored - 1) + " of")
                .hasMessageContaining("which has 2");
          }
          type.free(tx, e);
        });
  }

  @Test
  @SuppressWarnings("unchecked") // a type of the same name
  void twoInterfacesOfOneNameAreRefused() throws Exception {
    store.type(Point.class, MethodHandles.lookup());
    Class<Object> other = (Class<Object>) Class.forName(Point.class.getName(), true, new Again());
    assertThat(other).isNotEqualTo(Point.class);
    assertThatThrownBy(
            () -> store.type(other, MethodHandles.privateLookupIn(other, MethodHandles.lookup())))
        .isInstanceOf(InvalidTypeException.class)
        .hasMessageContaining("another interface named " + Point.class.getName());
  }

  /** Loads the interfaces of this test once more. */
  private static final class Again extends ClassLoader {
    Again() {
      super(PersistentTypeTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.equals(Point.class.getName())) {
        return super.loadClass(name, resolve);
      }
      String file = name.replace('.', '/') + ".class";
      try (InputStream in = Objects.requireNonNull(getResourceAsStream(file))) {
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  // ---- PersistentTypes that there cannot be.

  @Persistent
  interface Outer {
    @Embedded
    Inner inner();
  }

  @Persistent
  interface Inner {
    @Embedded
    Outer outer();
  }

  @Persistent
  interface Refers {
    @Nullable Unsupported other();

    void other(@Nullable Unsupported v);
  }

  @Persistent
  interface EmbedsItself {
    @Embedded
    EmbedsItself inner();
  }

  @Persistent
  interface Unsupported {
    @Nullable Thread thread();

    void thread(Thread v);
  }

  @Persistent
  interface SetterOnly {
    void x(int x);
  }

  interface NotMarked {}

  @Persistent
  interface Mismatched {
    int x();

    void x(long x);
  }

  @Test
  void impossibleTypesAreRefusedByName() {
    assertRefused(EmbedsItself.class, "EmbedsItself embeds itself");
    assertRefused(Outer.class, "Outer embeds itself, by way of", "Inner");
    assertRefused(Refers.class, "property thread of", "Unsupported", "java.lang.Thread");
    assertRefused(Unsupported.class, "property thread of", "java.lang.Thread");
    assertRefused(SetterOnly.class, "property x of", "sets a property that no method returns");
    assertRefused(NotMarked.class, "NotMarked", "@Persistent");
    assertRefused(Mismatched.class, "property x of", "does not take");
    store.run(tx -> assertThat(store.types(tx)).isEmpty());
  }

  private void assertRefused(Class<?> type, String... parts) {
    assertThatThrownBy(() -> store.type(type, MethodHandles.lookup()))
        .isInstanceOf(InvalidTypeException.class)
        .hasMessageContainingAll(parts);
  }
}
