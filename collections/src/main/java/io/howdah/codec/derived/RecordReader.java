package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.derived.ShapeText.Shape;
import java.lang.invoke.MethodHandle;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads records of a shape that the program does not have any more, or not yet. Components are
 * found by their names and former names. One that was stored with another codec is widened,
 * converted, or refused. One that was not stored gets the value for such records. One that the
 * program does not have is skipped.
 */
final class RecordReader<R> {

  /**
   * What becomes of a stored component.
   *
   * @param target index of the program's component, or -1 to skip it
   */
  private record Step(int target, int length, Function<Decoder, @Nullable Object> read) {}

  private final List<Step> steps;
  private final @Nullable Object[] initial;
  private final MethodHandle constructor;

  private RecordReader(List<Step> steps, @Nullable Object[] initial, MethodHandle constructor) {
    this.steps = steps;
    this.initial = initial;
    this.constructor = constructor;
  }

  static <R> RecordReader<R> of(RecordType<R> type, Shape shape, int number) {
    List<Step> steps = new ArrayList<>();
    List<RecordType.Component> own = type.components();
    boolean[] isStored = new boolean[own.size()];
    for (ShapeText.Component stored : shape.components()) {
      int target = find(own, shape, stored.name());
      if (target < 0) {
        steps.add(new Step(-1, stored.length(), _ -> null));
      } else {
        isStored[target] = true;
        steps.add(new Step(target, stored.length(), reader(type, own.get(target), stored, number)));
      }
    }
    @Nullable Object[] initial = new Object[own.size()];
    for (int i = 0; i < isStored.length; i++) {
      RecordType.Component component = own.get(i);
      initial[i] = component.hasDefault() ? null : component.added();
      if (!isStored[i] && !component.hasAdded() && !component.hasDefault()) {
        throw new CodecException(
            component.part().where()
                + " is new, and shape "
                + number
                + " of the record, which this store holds, does not have it. If it was renamed, say"
                + " so by @FormerName(\"...\") on the component"
                + unread(shape, own)
                + "; if it was added, annotate it with @Nullable, make it an Optional, or say by"
                + " CodecRegistry.withAdded which value it has in those");
      }
    }
    return new RecordReader<>(steps, initial, constructor(type, isStored));
  }

  /** Names the stored components that the program does not have: one of them may be the renamed. */
  private static String unread(Shape shape, List<RecordType.Component> own) {
    List<String> names =
        shape.components().stream()
            .map(ShapeText.Component::name)
            .filter(name -> find(own, shape, name) < 0)
            .toList();
    return names.isEmpty() ? "" : " with one of " + names + ", which nothing in the record reads";
  }

  /** Returns which component a stored one is, or -1; its own name goes before former ones. */
  private static int find(List<RecordType.Component> own, Shape shape, String name) {
    for (int i = 0; i < own.size(); i++) {
      if (own.get(i).name().equals(name)) {
        return i;
      }
    }
    for (int i = 0; i < own.size(); i++) {
      if (own.get(i).formerNames().contains(name)) {
        return name.equals(storedName(own.get(i), shape)) ? i : -1;
      }
    }
    return -1;
  }

  /** Returns the name that a component has in a shape, or null. */
  private static @Nullable String storedName(RecordType.Component own, Shape shape) {
    String found = null;
    for (ShapeText.Component stored : shape.components()) {
      if (stored.name().equals(own.name())) {
        return stored.name();
      }
      if (found == null && own.formerNames().contains(stored.name())) {
        found = stored.name();
      }
    }
    return found;
  }

  private static Function<Decoder, @Nullable Object> reader(
      RecordType<?> type, RecordType.Component own, ShapeText.Component stored, int number) {
    Codec<?> codec = own.part().codec();
    if (codec.name().equals(stored.codec()) && codec.fixedLength() == stored.length()) {
      return codec::decode;
    }
    for (RecordType.Retyped retyped : own.retyped()) {
      Codec<?> former = former(retyped.codec(), stored);
      if (former != null) {
        return in -> retyped.converted(own, former.decode(in));
      }
    }
    Function<Decoder, @Nullable Object> widened = Widening.reader(stored.codec(), codec);
    if (widened == null) {
      throw new CodecException(
          own.part().where()
              + " is "
              + codec.name()
              + " in this program and "
              + stored.codec()
              + " in shape "
              + number
              + " of record "
              + type.name().name()
              + ", which this store holds; say by CodecRegistry.withRetyped how to convert it, or"
              + " give the component another name");
    }
    return widened;
  }

  /**
   * Returns the codec that a component was stored with, if it is the given one or the same without
   * an order: {@code Codecs.nullable(Codec.int64())} has one, and a component's need not.
   */
  private static @Nullable Codec<?> former(Codec<?> codec, ShapeText.Component stored) {
    Codec<?> plain =
        codec instanceof Part.OrderedSelfDelimiting<?> ordered ? ordered.unordered() : codec;
    for (Codec<?> each : List.of(codec, plain)) {
      if (each.name().equals(stored.codec()) && each.fixedLength() == stored.length()) {
        return each;
      }
    }
    return null;
  }

  /** Returns the constructor; that of the defaults, if components that are not stored have them. */
  private static MethodHandle constructor(RecordType<?> type, boolean[] isStored) {
    BitSet defaulted = new BitSet();
    for (int i = 0; i < isStored.length; i++) {
      defaulted.set(i, !isStored[i] && type.components().get(i).hasDefault());
    }
    try {
      return ReflectedRecord.constructor(type, defaulted);
    } catch (IllegalAccessException | NoSuchMethodException e) {
      throw RecordClass.unseen(type.type(), e);
    }
  }

  @SuppressWarnings("unchecked") // the constructor is R's
  R read(Decoder in) {
    @Nullable Object[] values = initial.clone();
    DecodingBuffer buffer = DecodingBuffer.of(in);
    for (Step step : steps) {
      int before = buffer.enter(step.length >= 0 ? step.length : in.getVarint());
      if (step.target >= 0) {
        values[step.target] = step.read.apply(in);
      }
      buffer.leave(before);
    }
    try {
      return (R) (Object) constructor.invokeExact(values);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new CodecException("a record's constructor failed", t);
    }
  }

  /** Changes of a component's codec that need no converter. */
  static final class Widening {

    private static final List<OrderedCodec<? extends Number>> WHOLE =
        List.of(Codec.int8(), Codec.int16(), Codec.int32(), Codec.int64());

    private Widening() {}

    /** Returns what reads a value of a former codec for another one, or null. */
    static @Nullable Function<Decoder, @Nullable Object> reader(String stored, Codec<?> codec) {
      if (codec instanceof AbsentCodec<?> absent) {
        return present(stored, absent);
      }
      Codec<?> wrapped = WrapperCodec.stored(codec);
      if (wrapped != null) {
        Function<Decoder, @Nullable Object> read = reader(stored, wrapped);
        return read == null ? null : in -> WrapperCodec.wrap(codec, read.apply(in));
      }
      Codec<? extends Number> from = number(stored);
      if (from == null) {
        return null;
      }
      if (codec.equals(Numbers.BIG_INTEGER) && WHOLE.contains(from)) {
        return in -> BigInteger.valueOf(from.decode(in).longValue());
      }
      if (codec.equals(Numbers.DECIMAL) && WHOLE.contains(from)) {
        return in -> BigDecimal.valueOf(from.decode(in).longValue());
      }
      boolean isExact = !from.equals(Codec.int64());
      if (codec.equals(Codec.float64()) && isExact) {
        return in -> from.decode(in).doubleValue();
      }
      int rank = WHOLE.indexOf(codec);
      if (rank < 0 || WHOLE.indexOf(from) < 0 || WHOLE.indexOf(from) > rank) {
        return null;
      }
      return switch (rank) {
        case 1 -> in -> from.decode(in).shortValue();
        case 2 -> in -> from.decode(in).intValue();
        default -> in -> from.decode(in).longValue();
      };
    }

    private static @Nullable Codec<? extends Number> number(String name) {
      for (OrderedCodec<? extends Number> each : WHOLE) {
        if (each.name().equals(name)) {
          return each;
        }
      }
      return Codec.float32().name().equals(name) ? Codec.float32() : null;
    }

    /** What was always there may be absent from now on. */
    private static @Nullable Function<Decoder, @Nullable Object> present(
        String stored, AbsentCodec<?> absent) {
      String inner = absent.codec().name();
      if (stored.equals("nullable " + inner) || stored.equals("optional " + inner)) {
        return absent::decode;
      }
      Codec<?> codec = absent.codec().codec();
      Function<Decoder, @Nullable Object> read =
          stored.equals(inner) ? codec::decode : reader(stored, codec);
      return read == null || !absent.isOptional()
          ? read
          : in -> Optional.ofNullable(read.apply(in));
    }
  }
}
