package io.howdah.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.collections.WordStore;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Objects as tools see them, by the layout in the store. */
final class StoredPropertiesTest {

  enum Level {
    LOW,
    HIGH
  }

  @Persistent
  interface Point {
    int x();

    void x(int value);

    @Nullable String label();

    void label(@Nullable String value);
  }

  @Persistent
  interface Thing {
    boolean flag();

    void flag(boolean value);

    byte small();

    void small(byte value);

    short less();

    void less(short value);

    char letter();

    void letter(char value);

    int number();

    void number(int value);

    float ratio();

    void ratio(float value);

    long large();

    void large(long value);

    double weight();

    void weight(double value);

    @Nullable Level level();

    void level(@Nullable Level value);

    @Nullable String name();

    void name(@Nullable String value);

    byte @Nullable [] seal();

    void seal(byte @Nullable [] value);

    @Length(5)
    @Nullable String code();

    void code(@Nullable String value);

    @Length(3)
    byte @Nullable [] hash();

    void hash(byte @Nullable [] value);

    @Nullable Thing next();

    void next(@Nullable Thing value);

    @Embedded
    Point corner();

    @Length(2)
    int months(int index);

    void months(int index, int value);

    @Length(2)
    @Nullable Point points(int index);

    void points(int index, @Nullable Point value);
  }

  private final WordStore store = WordStore.inMemory();
  private final PersistentType<Thing> things = store.type(Thing.class, MethodHandles.lookup());
  private final PersistentType<Point> points = store.type(Point.class, MethodHandles.lookup());

  @AfterEach
  void close() {
    store.close();
  }

  private Map<String, @Nullable Object> properties(Class<?> type, long reference) {
    return store.read(tx -> store.properties(tx, type.getName(), reference)).orElseThrow();
  }

  @Test
  void allKindsOfPropertiesAreShownByTheirNames() {
    long[] references = new long[2];
    store.run(
        tx -> {
          Thing thing = things.create(tx);
          Point point = points.create(tx);
          thing.flag(true);
          thing.small((byte) -1);
          thing.less((short) -2);
          thing.letter('ß');
          thing.number(Integer.MIN_VALUE);
          thing.ratio(0.5f);
          thing.large(Long.MAX_VALUE);
          thing.weight(-0.25);
          thing.level(Level.HIGH);
          thing.name("näme");
          thing.seal(new byte[] {1, -1});
          thing.code("12345");
          thing.hash(new byte[0]);
          thing.next(thing);
          thing.corner().x(7);
          thing.corner().label("inside");
          thing.months(1, 12);
          thing.points(1, point);
          references[0] = things.address(thing);
          references[1] = points.address(point);
        });
    Map<String, @Nullable Object> shown = properties(Thing.class, references[0]);
    assertThat(shown)
        .hasSize(17)
        .containsEntry("flag", true)
        .containsEntry("small", (byte) -1)
        .containsEntry("less", (short) -2)
        .containsEntry("letter", 'ß')
        .containsEntry("number", Integer.MIN_VALUE)
        .containsEntry("ratio", 0.5f)
        .containsEntry("large", Long.MAX_VALUE)
        .containsEntry("weight", -0.25)
        .containsEntry("level", "HIGH")
        .containsEntry("name", "näme")
        .containsEntry("code", "12345")
        .containsEntry("next", new StoredReference(Thing.class.getName(), references[0]))
        .containsEntry("corner", Map.of("x", 7, "label", "inside"))
        .containsEntry("months", List.of(0, 12))
        .containsEntry(
            "points",
            Arrays.asList(null, new StoredReference(Point.class.getName(), references[1])));
    assertThat((byte[]) shown.get("seal")).containsExactly(1, -1);
    assertThat((byte[]) shown.get("hash")).isEmpty();
  }

  /** An embedded type whose last property ends where the embedded object does. */
  @Persistent
  interface Span {
    long from();

    void from(long value);

    long to();

    void to(long value);
  }

  /** An embedded type of one property, and another embedded object behind it. */
  @Persistent
  interface Word {
    @Length(8)
    byte letters(int index);

    void letters(int index, byte value);
  }

  @Persistent
  interface Line {
    @Embedded
    Span span();

    @Embedded
    Word word();
  }

  @Test
  void anEmbeddedObjectIsShownToItsLastProperty() {
    PersistentType<Line> lines = store.type(Line.class, MethodHandles.lookup());
    long reference =
        store.call(
            tx -> {
              Line line = lines.create(tx);
              line.span().from(1);
              line.span().to(-2);
              line.word().letters(7, (byte) 9);
              return lines.address(line);
            });
    assertThat(properties(Line.class, reference))
        .isEqualTo(
            Map.of(
                "span",
                Map.of("from", 1L, "to", -2L),
                "word",
                Map.of(
                    "letters",
                    List.of(
                        (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 0,
                        (byte) 9))));
  }

  @Test
  void whatHoldsNothingIsNull() {
    long reference = store.call(tx -> things.address(things.create(tx)));
    Map<String, @Nullable Object> shown = properties(Thing.class, reference);
    assertThat(shown)
        .containsEntry("level", null)
        .containsEntry("name", null)
        .containsEntry("seal", null)
        .containsEntry("code", null)
        .containsEntry("hash", null)
        .containsEntry("next", null)
        .containsEntry("points", Arrays.asList(null, null));
  }

  @Test
  void anObjectThatIsNoLongerThereHasNoProperties() {
    long freed =
        store.call(
            tx -> {
              Thing thing = things.create(tx);
              long reference = things.address(thing);
              things.free(tx, thing);
              return reference;
            });
    long other = store.call(tx -> points.address(points.create(tx)));
    for (long reference : new long[] {freed, other, 0, 1, -1, 4096, Long.MAX_VALUE}) {
      Optional<Map<String, @Nullable Object>> shown =
          store.read(tx -> store.properties(tx, Thing.class.getName(), reference));
      assertThat(shown).as("reference %#x", reference).isEmpty();
    }
  }

  @Test
  void aTypeThatTheStoreDoesNotHaveIsRefused() {
    try (WordStore empty = WordStore.inMemory()) {
      assertThatThrownBy(() -> empty.read(tx -> empty.properties(tx, "Thing", 1)))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> properties(String.class, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.lang.String");
  }
}
