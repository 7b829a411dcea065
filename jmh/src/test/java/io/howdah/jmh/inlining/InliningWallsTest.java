package io.howdah.jmh.inlining;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Lengths of bytecode that decide what HotSpot inlines into the hot paths. A comment at each method
 * says that its length matters; this test reads the class files and holds the length. {@code howdah
 * bench inlining} asks the compiler itself, which takes too long for every build.
 */
final class InliningWallsTest {

  private static final String WORDS = "io.howdah.txn.words.";
  private static final String STM = "io.howdah.txn.stm.";
  private static final String FILES = "io.howdah.core.storage.file.";

  /** HotSpot's limits, with the names of its options. */
  enum Limit {
    /** Up to this length a method is inlined wherever it is called. */
    MaxInlineSize(35),
    /** Up to this length it is inlined where it is called often. */
    FreqInlineSize(325),
    /** So often a method is inlined into itself. */
    MaxRecursiveInlineLevel(1);

    final int value;

    Limit(int value) {
      this.value = value;
    }
  }

  /**
   * A method whose length matters.
   *
   * @param type of its parameters and result; null if there is one method of the name
   * @param isLonger whether it has to be longer than the limit; else at most as long
   */
  record Wall(
      String owner,
      String method,
      @Nullable String type,
      boolean isLonger,
      Limit limit,
      String reason) {
    @Override
    public String toString() {
      return owner.substring(owner.lastIndexOf('.') + 1) + "." + method;
    }
  }

  private static Wall isShort(String owner, String method, String type, String reason) {
    return new Wall(owner, method, type, false, Limit.MaxInlineSize, reason);
  }

  static Stream<Wall> walls() {
    String segment = "Ljava/lang/foreign/MemorySegment;";
    String seen = "a read adds what it has seen, also where reads that add are rare";
    String access = "each access of memory is inlined wherever it stands";
    String rare =
        "looked for behind a filter: inlined into each read and write, it would make them so long"
            + " that cache misses of neighbouring words no longer overlap";
    return Stream.of(
        isShort(WORDS + "ReadSet", "add", "(JJ)V", seen),
        isShort(WORDS + "ReadSet", "addOther", "(JJ)V", seen),
        isShort(WORDS + "ReadSet", "addAt", "(IJJ)V", seen),
        isShort(FILES + "SegmentRegion", "getLongOpaque", "(J)J", access),
        isShort(FILES + "SegmentRegion", "getOpaqueMapped", "(" + segment + "J)J", access),
        isShort(FILES + "SegmentRegion", "setLongOpaque", "(JJ)V", access),
        isShort(FILES + "SegmentRegion", "setOpaque", "(" + segment + "JJ)V", access),
        isShort(FILES + "SegmentRegion", "setOpaqueMapped", "(" + segment + "JJ)V", access),
        new Wall(WORDS + "WriteSet", "find", "(J)I", true, Limit.MaxInlineSize, rare),
        new Wall(WORDS + "WriteSet", "add", "(JJ)Z", true, Limit.MaxInlineSize, rare),
        new Wall(
            STM + "Committer",
            "preloadAndAwaitUnlocked",
            null,
            false,
            Limit.FreqInlineSize,
            "inlined into each commit; a call would cost a small commit more than it does"),
        new Wall(
            STM + "Committer",
            "commitLocked",
            null,
            true,
            Limit.FreqInlineSize,
            "a unit of its own: within its callers it would exceed what the compiler inlines in"
                + " all, and calls would stay in the loop over the words"));
  }

  /** The walls are those of the JVM that runs the engine. */
  @ParameterizedTest
  @EnumSource
  void theJvmHasTheLimit(Limit limit) {
    HotSpotDiagnosticMXBean jvm =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    assertThat(jvm.getVMOption(limit.name()).getValue()).isEqualTo("" + limit.value);
  }

  @ParameterizedTest
  @MethodSource("walls")
  void theLengthIsOnItsSideOfTheLimit(Wall wall) throws IOException {
    int length = code(wall.owner, wall.method, wall.type).codeLength();
    assertThat(length > wall.limit.value)
        .as(
            "%s has %d bytes of bytecode and must have %s %d (%s): %s",
            wall,
            length,
            wall.isLonger ? "more than" : "at most",
            wall.limit.value,
            wall.limit,
            wall.reason)
        .isEqualTo(wall.isLonger);
  }

  /** A slow path first calls itself more often than the compiler inlines that. */
  @Test
  void slowPathsCallThemselvesMoreOftenThanTheCompilerInlines() throws IOException {
    List<String> slow = List.of("getSlowly", "putSlowly");
    for (String method : slow) {
      long calls =
          code(WORDS + "Words", method, null)
              .elementStream()
              .filter(each -> each instanceof InvokeInstruction)
              .map(InvokeInstruction.class::cast)
              .filter(call -> call.name().equalsString(method))
              .count();
      assertThat(calls).as("Words.%s calls itself in one place", method).isOne();
    }
    Object depth =
        model(WORDS + "Words").fields().stream()
            .filter(each -> each.fieldName().equalsString("UNINLINED"))
            .flatMap(each -> each.findAttribute(Attributes.constantValue()).stream())
            .map(constant -> constant.constant().constantValue())
            .findFirst()
            .orElseThrow();
    assertThat((int) depth).isGreaterThan(Limit.MaxRecursiveInlineLevel.value);
  }

  private static CodeAttribute code(String owner, String method, @Nullable String type)
      throws IOException {
    List<MethodModel> found =
        model(owner).methods().stream()
            .filter(each -> each.methodName().equalsString(method))
            .filter(each -> type == null || each.methodType().equalsString(type))
            .toList();
    assertThat(found).as("%s.%s%s", owner, method, type == null ? "" : type).hasSize(1);
    return (CodeAttribute) found.getFirst().code().orElseThrow();
  }

  private static ClassModel model(String owner) throws IOException {
    String file = "/" + owner.replace('.', '/') + ".class";
    try (InputStream in = InliningWallsTest.class.getResourceAsStream(file)) {
      return ClassFile.of().parse(Objects.requireNonNull(in, file).readAllBytes());
    }
  }
}
