package io.howdah.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.layout.ObjectHeaderLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Layouts as the store keeps them, and how they may change. */
final class ObjectLayoutTest {

  private static ObjectField field(String name, FieldKind kind, int length, String target) {
    return new ObjectField(name, kind, length, target, 0, 0);
  }

  private static ObjectField field(String name, FieldKind kind) {
    return field(name, kind, 1, "");
  }

  private static final int LAST = ObjectHeaderLayout.MAX_VERSION;

  private static final ObjectLayout FIRST =
      ObjectLayout.first(
          7,
          List.of(
              field("flag", FieldKind.BOOLEAN),
              field("count", FieldKind.INT),
              field("total", FieldKind.LONG),
              field("code", FieldKind.FIXED_STRING, 5, ""),
              field("colour", FieldKind.ENUM, 1, "RED,GREEN")));

  @Test
  void fieldsAreAlignedAndDoNotOverlap() {
    int end = ObjectHeaderLayout.HEADER_LENGTH;
    for (ObjectField field : FIRST.fields()) {
      assertThat(field.offset()).isGreaterThanOrEqualTo(end);
      assertThat(field.offset() % field.alignment()).isZero();
      end = field.offset() + field.bytes();
    }
    assertThat(FIRST.length()).isGreaterThanOrEqualTo(end);
    assertThat(FIRST.toText())
        .isEqualTo(
            """
            7\t1\t48
            total\tLONG\t1\t\t16\t1
            code\tFIXED_STRING\t5\t\t24\t1
            colour\tENUM\t1\tRED,GREEN\t36\t1
            count\tINT\t1\t\t40\t1
            flag\tBOOLEAN\t1\t\t44\t1\
            """);
    assertThat(ObjectLayout.parse("T", FIRST.toText())).isEqualTo(FIRST);
  }

  @Test
  void addedFieldsGoBehindTheOthers() {
    ObjectLayout next =
        FIRST.evolve(
            "T", List.of(field("total", FieldKind.LONG), field("more", FieldKind.LONG)), List.of());
    assertThat(next.version()).isEqualTo(2);
    assertThat(next.fields()).containsAll(FIRST.fields());
    assertThat(next.field("more").orElseThrow().offset()).isEqualTo(48);
    assertThat(next.field("more").orElseThrow().since()).isEqualTo(2);
    assertThat(FIRST.evolve("T", List.of(), List.of())).isSameAs(FIRST);
  }

  @Test
  void changedFieldsAreRefusedWithBothLayouts() {
    assertThatThrownBy(() -> FIRST.evolve("T", List.of(field("count", FieldKind.LONG)), List.of()))
        .isInstanceOf(InvalidTypeException.class)
        .hasMessageContaining("count: int")
        .hasMessageContaining("count: long")
        .hasMessageContaining("In the store: {total: long, code: fixed_string[5]")
        .hasMessageContaining("in the interface: {count: long}");
    assertThatThrownBy(
            () ->
                FIRST.evolve("T", List.of(field("code", FieldKind.FIXED_STRING, 6, "")), List.of()))
        .isInstanceOf(InvalidTypeException.class);
    assertThatThrownBy(
            () ->
                FIRST.evolve(
                    "T", List.of(field("colour", FieldKind.ENUM, 1, "GREEN,RED")), List.of()))
        .isInstanceOf(InvalidTypeException.class);
    assertThatThrownBy(
            () -> FIRST.evolve("T", List.of(field("colour", FieldKind.ENUM, 1, "RED")), List.of()))
        .isInstanceOf(InvalidTypeException.class);
  }

  @Test
  void enumsGrowAtTheEnd() {
    ObjectLayout next =
        FIRST.evolve("T", List.of(field("colour", FieldKind.ENUM, 1, "RED,GREEN,BLUE")), List.of());
    assertThat(next.field("colour").orElseThrow().target()).isEqualTo("RED,GREEN,BLUE");
    assertThat(next.field("colour").orElseThrow().offset())
        .isEqualTo(FIRST.field("colour").orElseThrow().offset());
  }

  @Test
  void aReplacedFieldStaysUnderAnotherName() {
    ObjectLayout next =
        FIRST.evolve("T", List.of(field("count", FieldKind.LONG)), List.of("count"));
    assertThat(next.field("count").orElseThrow().kind()).isEqualTo(FieldKind.LONG);
    assertThat(next.field("count#1").orElseThrow().offset())
        .isEqualTo(FIRST.field("count").orElseThrow().offset());
  }

  /** What an interface says of the properties that a store has, and whether that is a version. */
  enum Wanted {
    THE_SAME(false, false, "colour", "RED,GREEN"),
    NONE(false, false, "", ""),
    MORE_CONSTANTS(true, false, "colour", "RED,GREEN,BLUE"),
    ANOTHER_PROPERTY(true, true, "more", "RED"),
    ONE_REPLACED(true, true, "count", "RED");

    private final boolean isChange;
    private final boolean isVersion;
    private final String name;
    private final String constants;

    Wanted(boolean isChange, boolean isVersion, String name, String constants) {
      this.isChange = isChange;
      this.isVersion = isVersion;
      this.name = name;
      this.constants = constants;
    }

    private List<ObjectField> fields() {
      return name.isEmpty() ? List.of() : List.of(field(name, FieldKind.ENUM, 1, constants));
    }
  }

  /** Only what brings a property needs a version, so only that ends with the last one. */
  @ParameterizedTest
  @EnumSource
  void onlyWhatBringsAPropertyNeedsAVersion(Wanted wanted) {
    for (int version : new int[] {1, 2, LAST - 1, LAST}) {
      ObjectLayout stored = new ObjectLayout(7, version, FIRST.length(), FIRST.fields());
      if (wanted.isVersion && version == LAST) {
        assertThatThrownBy(() -> stored.evolve("T", wanted.fields(), List.of("count")))
            .isInstanceOf(InvalidTypeException.class)
            .hasMessageContaining("has had " + LAST + " versions");
        continue;
      }
      ObjectLayout next = stored.evolve("T", wanted.fields(), List.of("count"));
      assertThat(next.version()).isEqualTo(wanted.isVersion ? version + 1 : version);
      assertThat(next.equals(stored)).as("version %d", version).isNotEqualTo(wanted.isChange);
      assertThat(next.fields().size())
          .isEqualTo(stored.fields().size() + (wanted.isVersion ? 1 : 0));
    }
  }
}
