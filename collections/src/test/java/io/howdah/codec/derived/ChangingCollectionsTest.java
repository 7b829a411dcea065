package io.howdah.codec.derived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.bytes.EncodingBuffer;
import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A collection of another thread need not have as many elements as it said: it is refused, as its
 * bytes would be read as those of another value.
 */
final class ChangingCollectionsTest {

  private static final List<String> ELEMENTS = List.of("a", "b", "c");

  private static <T> void assertRefused(Codec<T> codec, T value, int said, String kind) {
    EncodingBuffer out = new EncodingBuffer();
    if (said == ELEMENTS.size()) {
      codec.encode(value, out);
      assertThat(out.length()).isPositive();
      return;
    }
    assertThatThrownBy(() -> codec.encode(value, out))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("a %s said that it has %d elements, and had 3".formatted(kind, said))
        .hasMessageContaining("store a copy");
  }

  @ParameterizedTest
  @CsvSource({"0", "2", "3", "4"})
  void whatSaysAnotherSizeIsRefused(int said) {
    List<String> list =
        new AbstractList<>() {
          @Override
          public String get(int index) {
            return ELEMENTS.get(index);
          }

          @Override
          public Iterator<String> iterator() {
            return ELEMENTS.iterator();
          }

          @Override
          public int size() {
            return said;
          }
        };
    Set<String> set =
        new AbstractSet<>() {
          @Override
          public Iterator<String> iterator() {
            return ELEMENTS.iterator();
          }

          @Override
          public int size() {
            return said;
          }
        };
    Map<String, Long> map =
        new AbstractMap<>() {
          @Override
          public Set<Entry<String, Long>> entrySet() {
            Map<String, Long> entries = Map.of("a", 1L, "b", 2L, "c", 3L);
            return entries.entrySet();
          }

          @Override
          public int size() {
            return said;
          }
        };
    assertRefused(Codecs.list(Codec.utf8()), list, said, "list");
    assertRefused(Codecs.set(Codec.utf8()), set, said, "set");
    assertRefused(Codecs.map(Codec.utf8(), Codec.int64()), map, said, "map");
  }
}
