package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.FormerName;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Shapes;
import io.howdah.codec.UnknownConstant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The constants of an enum outside of a store: by name, or by ordinal if they are to have their
 * order. A store gives each constant a number, see {@link #bind}.
 */
@SuppressWarnings("EnumOrdinal") // stores hold numbers; arrays lead from ordinals to them
final class EnumCodec<E extends Enum<E>> {

  private static final int MAX_CONSTANTS = 1 << 16;

  private final Class<E> type;
  private final String typeName;
  private final List<String> formerNames;
  private final E[] constants;
  private final Map<String, E> byName = new HashMap<>();
  private final @Nullable E unknown;

  private EnumCodec(Class<E> type, TypeName name) {
    this.type = type;
    this.typeName = name.name();
    this.formerNames = name.formerNames();
    this.constants = type.getEnumConstants();
    E unknown = null;
    for (E constant : constants) {
      byName.put(constant.name(), constant);
      if (TypeName.field(type, constant.name()).isAnnotationPresent(UnknownConstant.class)) {
        unknown = constant;
      }
    }
    for (E constant : constants) {
      FormerName former = TypeName.field(type, constant.name()).getAnnotation(FormerName.class);
      for (String old : former == null ? new String[0] : former.value()) {
        if (byName.putIfAbsent(old, constant) != null) {
          throw new CodecException(
              typeName + "." + constant.name() + " was not called " + old + ": another is");
        }
      }
    }
    this.unknown = unknown;
  }

  static <E extends Enum<E>> Codec<E> of(Class<E> type, TypeName name) {
    return new ByName<>(new EnumCodec<>(type, name));
  }

  static <E extends Enum<E>> OrderedCodec<E> ordered(Class<E> type, TypeName name) {
    return new ByOrdinal<>(new EnumCodec<>(type, name));
  }

  private E constant(String name) {
    E constant = byName.get(name);
    if (constant == null) {
      constant = unknown;
    }
    if (constant == null) {
      throw new CodecException(
          "enum "
              + typeName
              + " has no constant \""
              + name
              + "\", which the store holds; add it, name the constant that it became with"
              + " @FormerName, or mark one with @UnknownConstant");
    }
    return constant;
  }

  /**
   * Numbers the constants in a store. A number belongs to its constant for ever: new constants get
   * the next numbers, and renamed ones keep theirs.
   */
  private Numbered<E> bind(Shapes shapes, boolean isOrdered) {
    Shapes.Entry entry = shapes.open(typeName, formerNames, text -> update(text, isOrdered));
    List<String> names = ShapeText.names(ShapeText.ENUM, entry.name(), entry.text());
    int[] numbers = numbers(names);
    if (isOrdered) {
      requireOrder(numbers, names);
    }
    List<String> others = names.stream().filter(each -> !byName.containsKey(each)).toList();
    if (!others.isEmpty() && unknown == null) {
      shapes.limited(entry.name(), "refuses to read constants that it does not have: " + others);
    }
    return new Numbered<>(
        (isOrdered ? "ordered " : "") + TypeName.codec(ShapeText.ENUM, entry.name()),
        this,
        numbers,
        names,
        shapes);
  }

  private String update(@Nullable String text, boolean isOrdered) {
    List<String> names =
        text == null
            ? new ArrayList<>()
            : new ArrayList<>(ShapeText.names(ShapeText.ENUM, typeName, text));
    for (E constant : constants) {
      if (names.stream().noneMatch(each -> byName.get(each) == constant)) {
        names.add(constant.name());
      }
    }
    if (names.size() > MAX_CONSTANTS) {
      throw new CodecException(
          "enum " + typeName + " has had more than " + MAX_CONSTANTS + " constants");
    }
    if (isOrdered) {
      requireOrder(numbers(names), names);
    }
    return ShapeText.ofNames(ShapeText.ENUM, names);
  }

  /**
   * Returns the number that each constant is written with: that of its own name, or else of the
   * first of its former names that is stored; -1 if none is.
   */
  private int[] numbers(List<String> names) {
    int[] numbers = new int[constants.length];
    for (E constant : constants) {
      numbers[constant.ordinal()] = names.indexOf(constant.name());
    }
    for (int number = 0; number < names.size(); number++) {
      E constant = byName.get(names.get(number));
      if (constant != null && numbers[constant.ordinal()] < 0) {
        numbers[constant.ordinal()] = number;
      }
    }
    return numbers;
  }

  private void requireOrder(int[] numbers, List<String> names) {
    for (int number = 0; number < names.size(); number++) {
      E constant = byName.get(names.get(number));
      if (constant != null && numbers[constant.ordinal()] != number) {
        throw new CodecException(
            "enum "
                + typeName
                + " has "
                + names
                + " in this store, two of which are "
                + constant
                + " in this program: keys that are sorted by it cannot be made one; copy the"
                + " entries to another collection");
      }
    }
    for (int i = 1; i < numbers.length; i++) {
      if (numbers[i] >= 0 && numbers[i] <= numbers[i - 1]) {
        throw new CodecException(
            "enum "
                + typeName
                + " has the order "
                + names
                + " in this store, and "
                + constants[i]
                + " would have to come before "
                + constants[i - 1]
                + ": keys that are sorted by it allow new constants at the end only");
      }
    }
  }

  private record ByName<E extends Enum<E>>(EnumCodec<E> of) implements Codec<E> {
    @Override
    public String name() {
      return TypeName.codec(ShapeText.ENUM, of.typeName);
    }

    @Override
    public Codec<E> bind(Shapes shapes) {
      return of.bind(shapes, false);
    }

    @Override
    public void encode(E value, Encoder out) {
      out.putUtf8(value.name());
    }

    @Override
    public E decode(Decoder in) {
      return of.constant(in.getUtf8(in.remaining()));
    }
  }

  private record ByOrdinal<E extends Enum<E>>(EnumCodec<E> of)
      implements Part.OrderedSelfDelimiting<E> {
    @Override
    public String name() {
      return "ordered enum " + of.typeName + Arrays.toString(of.constants);
    }

    @Override
    public int fixedLength() {
      return Short.BYTES;
    }

    @Override
    public OrderedCodec<E> bind(Shapes shapes) {
      return of.bind(shapes, true);
    }

    @Override
    public void encode(E value, Encoder out) {
      out.putByte(value.ordinal() >>> Byte.SIZE);
      out.putByte(value.ordinal());
    }

    @Override
    public E decode(Decoder in) {
      int number = ((in.getByte() & 0xFF) << Byte.SIZE) | (in.getByte() & 0xFF);
      if (number >= of.constants.length) {
        throw new CodecException("enum " + of.typeName + " has no constant of number " + number);
      }
      return of.constants[number];
    }
  }

  /** Constants by the numbers that a store gives them, 2 bytes. */
  private static final class Numbered<E extends Enum<E>> implements Part.OrderedSelfDelimiting<E> {

    private final String name;
    private final EnumCodec<E> of;
    private final int[] numbers;
    private final @Nullable Object[] constants;
    private final List<String> names;
    private final boolean isForKeys;

    Numbered(String name, EnumCodec<E> of, int[] numbers, List<String> names, Shapes shapes) {
      this.name = name;
      this.of = of;
      this.numbers = numbers;
      this.names = List.copyOf(names);
      this.isForKeys = shapes.isForKeys();
      this.constants = new Object[names.size()];
      for (int number = 0; number < constants.length; number++) {
        E constant = of.byName.get(names.get(number)); // former names, too
        boolean isWritten = constant != null && numbers[constant.ordinal()] == number;
        constants[number] = isWritten || !isForKeys ? constant : null;
      }
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public int fixedLength() {
      return Short.BYTES;
    }

    @Override
    public void encode(E value, Encoder out) {
      int number = numbers[value.ordinal()];
      if (number < 0) {
        throw new CodecException(
            "this store has no number for " + of.type.getName() + "." + value.name());
      }
      out.putByte(number >>> Byte.SIZE);
      out.putByte(number);
    }

    @Override
    public E decode(Decoder in) {
      int number = ((in.getByte() & 0xFF) << Byte.SIZE) | (in.getByte() & 0xFF);
      Object constant = number < constants.length ? constants[number] : null;
      return of.type.cast(constant != null ? constant : unknown(number));
    }

    private E unknown(int number) {
      E unknown = of.unknown;
      if (unknown != null && !isForKeys) {
        return unknown;
      }
      if (number < names.size() && of.byName.containsKey(names.get(number))) {
        throw new CodecException(
            "enum "
                + of.typeName
                + " has a key \""
                + names.get(number)
                + "\" in this store, which is "
                + of.byName.get(names.get(number))
                + " in this program and would not be found as it: keys of two constants cannot be"
                + " made one; copy the entries to another collection with the former enum");
      }
      if (number < names.size() && number > Arrays.stream(numbers).max().orElse(-1)) {
        throw new CodecException(
            "enum "
                + of.typeName
                + " has no constant \""
                + names.get(number)
                + "\", which the store holds; this program is older than the store, and a newer one"
                + " has added it: use that one, or, for values, mark a constant with"
                + " @UnknownConstant (docs/upgrading.md)");
      }
      if (number < names.size()) {
        throw new CodecException(
            "enum "
                + of.typeName
                + " has no constant \""
                + names.get(number)
                + "\", which the store holds; add it, name the constant that it became with"
                + " @FormerName, or, for values, mark one with @UnknownConstant");
      }
      throw new CodecException(
          "enum "
              + of.typeName
              + " has "
              + names.size()
              + " constants in this store, none of number "
              + number
              + "; a newer program has added it, or the bytes are damaged");
    }
  }
}
