package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.Shapes;
import io.howdah.codec.bytes.DecodingBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Values with any number of elements: their count, then each as a {@link Part}.
 *
 * @param kind names it, before the element's name
 * @param hasOrder whether equal values have their elements in the same order
 * @param finish makes the value of its elements
 */
record ElementsCodec<E, C extends Collection<E>>(
    String kind, boolean hasOrder, Part<E> element, Function<List<E>, C> finish)
    implements Codec<C>, Part.SelfDelimiting {

  static <E> Codec<List<E>> list(Codec<E> element) {
    return new ElementsCodec<>(
        "list",
        true,
        Part.repeated("an element of a list", element),
        Collections::unmodifiableList);
  }

  static <E> Codec<Set<E>> set(Codec<E> element) {
    return new ElementsCodec<>(
        "set",
        false,
        Part.repeated("an element of a set", element),
        elements -> Collections.unmodifiableSet(new LinkedHashSet<>(elements)));
  }

  @Override
  public String name() {
    return kind + " of " + element.name();
  }

  @Override
  public Codec<C> bind(Shapes shapes) {
    requireOrder(hasOrder, kind, shapes);
    return new ElementsCodec<>(
        kind, hasOrder, Part.repeated(element.where(), element.codec().bind(shapes)), finish);
  }

  static void requireOrder(boolean hasOrder, String kind, Shapes shapes) {
    if (!hasOrder && shapes.isForKeys()) {
      throw new CodecException(
          "a "
              + kind
              + " cannot be a key or a part of one: equal ones may have their elements in different"
              + " orders, so they have different bytes; use a list in the order of your choice");
    }
  }

  @Override
  public void encode(C value, Encoder out) {
    int count = value.size();
    out.putVarint(count);
    int encoded = 0;
    for (E each : value) {
      element.encode(each, out);
      encoded++;
    }
    requireCount(kind, count, encoded);
  }

  /** A collection that another thread changes need not have as many elements as it said. */
  static void requireCount(String kind, int count, int encoded) {
    if (encoded != count) {
      throw new CodecException(
          "a %s said that it has %d elements, and had %d when they were encoded: it was changed during the call; store a copy"
              .formatted(kind, count, encoded));
    }
  }

  @Override
  public C decode(Decoder in) {
    int count = DecodingBuffer.of(in).getCount(element.minBytes());
    List<E> elements = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      elements.add(element.decode(in));
    }
    return finish.apply(elements);
  }

  /** Maps: the count of entries, then each key and value. */
  record OfMap<K, V>(Part<K> key, Part<V> value) implements Codec<Map<K, V>>, Part.SelfDelimiting {

    static <K, V> Codec<Map<K, V>> of(Codec<K> key, Codec<V> value) {
      return new OfMap<>(
          Part.repeated("a key of a map", key), Part.repeated("a value of a map", value));
    }

    @Override
    public String name() {
      return "map of " + key.name() + " to " + value.name();
    }

    @Override
    public Codec<Map<K, V>> bind(Shapes shapes) {
      requireOrder(false, "map", shapes);
      return of(key.codec().bind(shapes), value.codec().bind(shapes));
    }

    @Override
    public void encode(Map<K, V> map, Encoder out) {
      int count = map.size();
      out.putVarint(count);
      int encoded = 0;
      for (Map.Entry<K, V> each : map.entrySet()) {
        key.encode(each.getKey(), out);
        value.encode(each.getValue(), out);
        encoded++;
      }
      requireCount("map", count, encoded);
    }

    @Override
    public Map<K, V> decode(Decoder in) {
      int count = DecodingBuffer.of(in).getCount(key.minBytes() + value.minBytes());
      Map<K, V> map = LinkedHashMap.newLinkedHashMap(count);
      for (int i = 0; i < count; i++) {
        K k = key.decode(in);
        map.put(k, value.decode(in));
      }
      return Collections.unmodifiableMap(map);
    }
  }
}
