package io.howdah.codec.derived;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.WordStore;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Constants of enums as values of a sealed interface. One with a body is of a class of its own. */
final class EnumsInSealedTypesTest {

  sealed interface Step permits Move, Turn, Jump {}

  record Move(int metres) implements Step {}

  enum Turn implements Step {
    LEFT,
    RIGHT
  }

  /** Each constant has a body, so none of them is of the class of the enum itself. */
  enum Jump implements Step {
    UP {
      @Override
      int metres() {
        return 1;
      }
    },
    DOWN {
      @Override
      int metres() {
        return -1;
      }
    };

    abstract int metres();
  }

  private static final List<Step> STEPS =
      List.of(new Move(3), Turn.LEFT, Turn.RIGHT, Jump.UP, Jump.DOWN);

  @Test
  void everyConstantComesBackOutsideOfAStore() {
    Codec<Step> codec = Codecs.of(Step.class);
    Codec<List<Step>> list = Codecs.list(codec);
    for (Step step : STEPS) {
      assertThat(CodecBytes.roundTrip(codec, step)).isEqualTo(step);
    }
    assertThat(CodecBytes.roundTrip(list, STEPS)).isEqualTo(STEPS);
  }

  @Test
  void everyConstantComesBackFromAStore() {
    try (WordStore store = WordStore.inMemory()) {
      PersistentMap<Integer, Step> map = store.map("steps", Integer.class, Step.class);
      PersistentMap<Integer, Jump> jumps = store.map("jumps", Integer.class, Jump.class);
      store.run(
          tx -> {
            for (int i = 0; i < STEPS.size(); i++) {
              map.put(tx, i, STEPS.get(i));
            }
            jumps.put(tx, 0, Jump.DOWN);
          });
      Map<Integer, Step> found = store.read(tx -> Map.copyOf(map.asMap(tx)));
      assertThat(found).hasSize(STEPS.size());
      found.forEach((index, step) -> assertThat(step).isEqualTo(STEPS.get(index)));
      assertThat(
              store.<Map<Integer, Jump>, RuntimeException>read(tx -> Map.copyOf(jumps.asMap(tx))))
          .isEqualTo(Map.of(0, Jump.DOWN));
    }
  }
}
