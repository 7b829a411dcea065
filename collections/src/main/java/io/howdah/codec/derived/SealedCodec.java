package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.Shapes;
import io.howdah.codec.bytes.Utf8;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Values of one of several classes: outside of a store the name of the class, in a store its
 * number; then the value. A number belongs to its class for ever.
 */
final class SealedCodec<T> implements Codec<T> {

  /**
   * One of the classes.
   *
   * @param name by which stores know it
   */
  record Variant(Class<?> type, TypeName name, Codec<?> codec) {}

  private final TypeName typeName;
  private final String name;
  private final List<Variant> variants;
  private final Map<Class<?>, Integer> indexes = new HashMap<>();

  /** The number of each variant in the store, and the variant of each number; null if unbound. */
  private final int @Nullable [] numbers;

  private final List<String> names;
  private final int[] variantOf;

  SealedCodec(TypeName typeName, List<Variant> variants) {
    this(typeName, TypeName.codec(ShapeText.SEALED, typeName.name()), variants, null, List.of());
  }

  private SealedCodec(
      TypeName typeName,
      String name,
      List<Variant> variants,
      int @Nullable [] numbers,
      List<String> names) {
    this.typeName = typeName;
    this.name = name;
    this.variants = List.copyOf(variants);
    this.numbers = numbers;
    this.names = names;
    this.variantOf = new int[names.size()];
    Arrays.fill(variantOf, -1);
    for (int i = 0; i < variants.size(); i++) {
      indexes.put(variants.get(i).type(), i);
      if (numbers != null && numbers[i] >= 0) {
        variantOf[numbers[i]] = i;
      }
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Codec<T> bind(Shapes shapes) {
    Shapes.Entry entry = shapes.open(typeName.name(), typeName.formerNames(), this::update);
    List<String> stored = ShapeText.names(ShapeText.SEALED, entry.name(), entry.text());
    int[] bound = new int[variants.size()];
    List<Variant> inner = new ArrayList<>();
    for (int i = 0; i < bound.length; i++) {
      Variant variant = variants.get(i);
      bound[i] = number(stored, variant);
      inner.add(new Variant(variant.type(), variant.name(), variant.codec().bind(shapes)));
    }
    List<String> others = new ArrayList<>(stored);
    for (int number : bound) {
      if (number >= 0) {
        others.remove(stored.get(number));
      }
    }
    if (!others.isEmpty()) {
      shapes.limited(
          entry.name(), "refuses to read values of classes that it does not have: " + others);
    }
    String described = TypeName.codec(ShapeText.SEALED, entry.name());
    if (shapes.isForKeys()) {
      described += inner.stream().map(each -> each.codec().name()).toList();
    }
    return new SealedCodec<>(typeName, described, inner, bound, List.copyOf(stored));
  }

  private String update(@Nullable String text) {
    List<String> stored =
        text == null
            ? new ArrayList<>()
            : new ArrayList<>(ShapeText.names(ShapeText.SEALED, typeName.name(), text));
    for (Variant variant : variants) {
      if (number(stored, variant) < 0) {
        stored.add(variant.name().name());
      }
    }
    return ShapeText.ofNames(ShapeText.SEALED, stored);
  }

  private static int number(List<String> stored, Variant variant) {
    int number = stored.indexOf(variant.name().name());
    for (String former : variant.name().formerNames()) {
      number = number >= 0 ? number : stored.indexOf(former);
    }
    return number;
  }

  @Override
  @SuppressWarnings("unchecked") // the codec is that of the value's class
  public void encode(T value, Encoder out) {
    Integer index = indexes.get(type(value));
    if (index == null) {
      throw new CodecException(name + " has no class " + value.getClass().getName());
    }
    Variant variant = variants.get(index);
    if (numbers == null) {
      byte[] tag = Utf8.bytes(variant.name().name());
      out.putVarint(tag.length);
      out.putBytes(tag);
    } else if (numbers[index] < 0) {
      throw new CodecException("this store has no number for " + variant.name().name());
    } else {
      out.putVarint(numbers[index]);
    }
    ((Codec<Object>) variant.codec()).encode(value, out);
  }

  private static Class<?> type(Object value) {
    return value instanceof Enum<?> constant ? constant.getDeclaringClass() : value.getClass();
  }

  @Override
  @SuppressWarnings("unchecked") // each variant is a T
  public T decode(Decoder in) {
    Variant variant = numbers == null ? byName(in) : byNumber(in);
    T value = (T) variant.codec().decode(in);
    Part.requireEnd(in, variant.codec());
    return value;
  }

  private Variant byName(Decoder in) {
    String tag = in.getUtf8(in.getVarint());
    for (Variant variant : variants) {
      if (variant.name().name().equals(tag) || variant.name().formerNames().contains(tag)) {
        return variant;
      }
    }
    throw unknown(tag);
  }

  private Variant byNumber(Decoder in) {
    int number = in.getVarint();
    if (number >= variantOf.length) {
      throw unknown("of number " + number);
    }
    if (variantOf[number] < 0
        && numbers != null
        && number > Arrays.stream(numbers).max().orElse(-1)) {
      throw new CodecException(
          name
              + " does not permit \""
              + names.get(number)
              + "\", which the store holds: this program is older than the store, and a newer one has"
              + " added the class; use that one (docs/upgrading.md)");
    }
    if (variantOf[number] < 0) {
      throw unknown(names.get(number));
    }
    return variants.get(variantOf[number]);
  }

  private CodecException unknown(String tag) {
    return new CodecException(
        name
            + " does not permit \""
            + tag
            + "\", which the store holds: a newer program has written it, or the class was renamed"
            + " without @FormerName");
  }
}
