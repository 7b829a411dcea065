package io.howdah.cli.value;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Shapes;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Codecs that consist of others are read up to a depth, each kind and all of them mixed. Deeper
 * ones are not read: a store's description does not end the process by the end of its stack.
 */
final class NestedFormsTest {

  private static final int MAX_DEPTH = 100;
  private static final int FAR_TOO_DEEP = 100_000;

  private static final List<String> KINDS =
      List.of(
          "list of %s",
          "set of %s",
          "array of %s",
          "map of %s to int64",
          "map of int64 to %s",
          "pair of %s and int64",
          "pair of int64 and %s",
          "nullable %s",
          "optional %s",
          "compressed %s");

  private static final Shapes NO_SHAPES =
      new Shapes() {
        @Override
        public boolean isForKeys() {
          return false;
        }

        @Override
        public Entry open(
            String name, List<String> formerNames, UnaryOperator<@Nullable String> update) {
          throw new AssertionError(name);
        }

        @Override
        public @Nullable String text(String name) {
          return null;
        }
      };

  private static boolean isRead(String codec) {
    ValueForm form = FormReader.read(codec, NO_SHAPES, (_, _, _) -> Optional.empty());
    return !(form instanceof PartForms.Opaque);
  }

  private static String nested(String kind, int depth) {
    int place = kind.indexOf("%s");
    return kind.substring(0, place).repeat(depth)
        + "int64"
        + kind.substring(place + 2).repeat(depth);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, MAX_DEPTH - 1, MAX_DEPTH})
  void eachKindIsReadUpToTheDepth(int depth) {
    for (String kind : KINDS) {
      assertThat(isRead(nested(kind, depth))).as("%s, %s times", kind, depth).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {MAX_DEPTH + 1, 2 * MAX_DEPTH, FAR_TOO_DEEP})
  void whatIsDeeperIsNotRead(int depth) {
    for (String kind : KINDS) {
      assertThat(isRead(nested(kind, depth))).as("%s, %s times", kind, depth).isFalse();
    }
  }

  @Test
  void mixedKindsCountTogether() {
    SplittableRandom random = new SplittableRandom(1);
    for (int run = 0; run < 200; run++) {
      int depth = 1 + random.nextInt(2 * MAX_DEPTH);
      String codec = "int64";
      for (int i = 0; i < depth; i++) {
        codec = KINDS.get(random.nextInt(KINDS.size())).formatted(codec);
      }
      assertThat(isRead(codec)).as(codec).isEqualTo(depth <= MAX_DEPTH);
      String cut = codec.substring(0, random.nextInt(codec.length() - 4));
      assertThat(isRead(cut + "?")).as("%s?", cut).isFalse();
    }
  }
}
