package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Shapes;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * Values that wrap a stored one, with the bytes, the order and the name of the stored value's
 * codec: so a property may change between a type and its wrapper.
 */
record WrapperCodec<A, B>(Codec<A> codec, Calls calls) implements Codec<B> {

  /** Where Kotlin has the check of a stored value. */
  private static final String CHECK = "constructor-impl";

  /** The names of the methods by which {@link RecordClass} wraps, too. */
  static final String WRAP = "box-impl";

  static final String UNWRAP = "unbox-impl";

  /** Returns the codec of a wrapper; one with an order, if that of the stored value has one. */
  static Codec<?> of(Codec<?> stored, Calls calls) {
    return stored instanceof OrderedCodec<?> ordered
        ? new Ordered<>(ordered, calls)
        : new WrapperCodec<>(stored, calls);
  }

  /** Returns the codec of the stored value, if a codec is that of a wrapper. */
  static @Nullable Codec<?> stored(Codec<?> codec) {
    return switch (codec) {
      case WrapperCodec<?, ?> plain -> plain.codec;
      case Ordered<?, ?> ordered -> ordered.codec;
      default -> null;
    };
  }

  /** Returns the wrapper of a value, for a codec for which {@link #stored} is not null. */
  static Object wrap(Codec<?> codec, @Nullable Object value) {
    return switch (codec) {
      case WrapperCodec<?, ?> plain -> plain.calls.wrap(value);
      case Ordered<?, ?> ordered -> ordered.calls.wrap(value);
      default -> throw new IllegalArgumentException(codec.name());
    };
  }

  @Override
  public String name() {
    return codec.name();
  }

  @Override
  public int fixedLength() {
    return codec.fixedLength();
  }

  @Override
  public Codec<B> bind(Shapes shapes) {
    return new WrapperCodec<>(codec.bind(shapes), calls);
  }

  @Override
  public void encode(B value, Encoder out) {
    codec.encode(calls.unwrap(value), out);
  }

  @Override
  public B decode(Decoder in) {
    return calls.wrap(codec.decode(in));
  }

  /** The same with the order of the stored values. */
  record Ordered<A, B>(OrderedCodec<A> codec, Calls calls) implements OrderedCodec<B> {

    @Override
    public String name() {
      return codec.name();
    }

    @Override
    public int fixedLength() {
      return codec.fixedLength();
    }

    @Override
    public OrderedCodec<B> bind(Shapes shapes) {
      return new Ordered<>(codec.bind(shapes), calls);
    }

    @Override
    public boolean isSelfDelimiting() {
      return codec.isSelfDelimiting();
    }

    @Override
    public void encode(B value, Encoder out) {
      codec.encode(calls.unwrap(value), out);
    }

    @Override
    public B decode(Decoder in) {
      return calls.wrap(codec.decode(in));
    }

    @Override
    public void encodePrefix(Encoder out, @Nullable Object... parts) {
      codec.encodePrefix(out, parts);
    }
  }

  /**
   * The methods of a wrapper.
   *
   * @param wrap checks a stored value and returns its wrapper; takes and returns an Object
   * @param unwrap returns the stored value; takes and returns an Object
   */
  record Calls(MethodHandle wrap, MethodHandle unwrap) {

    private static final MethodType ANY = MethodType.methodType(Object.class, Object.class);

    static Calls of(
        Class<?> type, ClassDescription.Wrapper described, MethodHandles.Lookup lookup) {
      Class<?> stored = described.storedType();
      try {
        MethodHandle check = lookup.findStatic(type, CHECK, MethodType.methodType(stored, stored));
        MethodHandle wrap = MethodHandles.filterReturnValue(check, wrap(type, stored, lookup));
        MethodHandle unwrap = unwrap(type, stored, lookup);
        if (described.stored().type() != stored) { // a wrapper of a wrapper, without its object
          RecordType.Wrapping inner =
              new RecordType.Wrapping(described.stored().type(), described.stored().isNullable());
          wrap = MethodHandles.filterArguments(wrap, 0, inner.unwrap(stored, lookup));
          unwrap = MethodHandles.filterReturnValue(unwrap, inner.wrap(stored, lookup));
        }
        return new Calls(wrap.asType(ANY), unwrap.asType(ANY));
      } catch (NoSuchMethodException | IllegalAccessException e) {
        throw RecordClass.unseen(type, e);
      }
    }

    /** Returns what makes a wrapper of a value that needs no check. */
    static MethodHandle wrap(Class<?> type, Class<?> stored, MethodHandles.Lookup lookup)
        throws NoSuchMethodException, IllegalAccessException {
      return lookup.findStatic(type, WRAP, MethodType.methodType(type, stored));
    }

    static MethodHandle unwrap(Class<?> type, Class<?> stored, MethodHandles.Lookup lookup)
        throws NoSuchMethodException, IllegalAccessException {
      return lookup.findVirtual(type, UNWRAP, MethodType.methodType(stored));
    }

    @SuppressWarnings("unchecked") // the wrapper is that of B
    private <B> B wrap(@Nullable Object value) {
      return (B) call(wrap, value);
    }

    @SuppressWarnings("unchecked") // the stored value is that of A
    private <A> A unwrap(@Nullable Object value) {
      return (A) call(unwrap, value);
    }

    private static Object call(MethodHandle handle, @Nullable Object value) {
      try {
        return handle.invokeExact(value);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable t) {
        throw new CodecException("a method of a wrapper failed", t);
      }
    }
  }
}
