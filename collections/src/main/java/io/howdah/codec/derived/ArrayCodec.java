package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.Shapes;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.core.layout.OrderedKeyLayout;
import java.lang.reflect.Array;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Arrays: the count of elements, then each. An array of primitives has the name and the bytes of
 * one of their boxes.
 */
final class ArrayCodec {

  private static final Map<Class<?>, Codec<?>> OF_PRIMITIVES =
      Map.of(
          long[].class, new Longs(),
          int[].class, new Ints(),
          double[].class, new Doubles(),
          short[].class, new Boxed<short[]>(short.class, Codec.int16()),
          char[].class, new Boxed<char[]>(char.class, Codec.character()),
          float[].class, new Boxed<float[]>(float.class, Codec.float32()),
          boolean[].class, new Boxed<boolean[]>(boolean.class, Codec.bool()));

  private ArrayCodec() {}

  /**
   * Returns the codec of an array of primitives, or null. Arrays of bytes have one of their own.
   */
  static @Nullable Codec<?> ofPrimitives(Class<?> type) {
    return OF_PRIMITIVES.get(type);
  }

  /** Returns the codec of arrays of a class of elements. */
  static Codec<?> of(Class<?> elementType, Codec<?> element) {
    return new OfObjects<>(elementType, Part.repeated("an element of an array", element));
  }

  private record Longs() implements Codec<long[]>, Part.SelfDelimiting {
    @Override
    public String name() {
      return "array of int64";
    }

    @Override
    public void encode(long[] value, Encoder out) {
      out.putVarint(value.length);
      for (long each : value) {
        out.putBigEndianLong(each ^ Long.MIN_VALUE);
      }
    }

    @Override
    public long[] decode(Decoder in) {
      long[] value = new long[DecodingBuffer.of(in).getCount(Long.BYTES)];
      for (int i = 0; i < value.length; i++) {
        value[i] = in.getBigEndianLong() ^ Long.MIN_VALUE;
      }
      return value;
    }
  }

  private record Ints() implements Codec<int[]>, Part.SelfDelimiting {
    @Override
    public String name() {
      return "array of int32";
    }

    @Override
    public void encode(int[] value, Encoder out) {
      out.putVarint(value.length);
      for (int each : value) {
        out.putBigEndianInt(each ^ Integer.MIN_VALUE);
      }
    }

    @Override
    public int[] decode(Decoder in) {
      int[] value = new int[DecodingBuffer.of(in).getCount(Integer.BYTES)];
      for (int i = 0; i < value.length; i++) {
        value[i] = in.getBigEndianInt() ^ Integer.MIN_VALUE;
      }
      return value;
    }
  }

  private record Doubles() implements Codec<double[]>, Part.SelfDelimiting {
    @Override
    public String name() {
      return "array of float64";
    }

    @Override
    public void encode(double[] value, Encoder out) {
      out.putVarint(value.length);
      for (double each : value) {
        out.putBigEndianLong(OrderedKeyLayout.ordered(Double.doubleToLongBits(each)));
      }
    }

    @Override
    public double[] decode(Decoder in) {
      double[] value = new double[DecodingBuffer.of(in).getCount(Double.BYTES)];
      for (int i = 0; i < value.length; i++) {
        value[i] = Codec.float64().decode(in); // refuses other forms of NaN
      }
      return value;
    }
  }

  /** Arrays of the rarer primitives, element by element. */
  private record Boxed<A>(Class<?> elementType, Codec<?> element)
      implements Codec<A>, Part.SelfDelimiting {
    @Override
    public String name() {
      return "array of " + element.name();
    }

    @Override
    @SuppressWarnings("unchecked") // the codec is that of the array's elements
    public void encode(A value, Encoder out) {
      int length = Array.getLength(value);
      out.putVarint(length);
      for (int i = 0; i < length; i++) {
        ((Codec<Object>) element).encode(Array.get(value, i), out);
      }
    }

    @Override
    @SuppressWarnings("unchecked") // the array is made of its elements' class
    public A decode(Decoder in) {
      Object value =
          Array.newInstance(elementType, DecodingBuffer.of(in).getCount(element.fixedLength()));
      for (int i = 0; i < Array.getLength(value); i++) {
        Array.set(value, i, element.decode(in));
      }
      return (A) value;
    }
  }

  private record OfObjects<E>(Class<?> elementType, Part<E> element)
      implements Codec<E[]>, Part.SelfDelimiting {
    @Override
    public String name() {
      return "array of " + element.name();
    }

    @Override
    public Codec<E[]> bind(Shapes shapes) {
      return new OfObjects<>(
          elementType, Part.repeated(element.where(), element.codec().bind(shapes)));
    }

    @Override
    public void encode(E[] value, Encoder out) {
      out.putVarint(value.length);
      for (E each : value) {
        element.encode(each, out);
      }
    }

    @Override
    @SuppressWarnings("unchecked") // the array is made of its elements' class
    public E[] decode(Decoder in) {
      int count = DecodingBuffer.of(in).getCount(element.minBytes());
      E[] value = (E[]) Array.newInstance(elementType, count);
      for (int i = 0; i < count; i++) {
        value[i] = element.decode(in);
      }
      return value;
    }
  }
}
