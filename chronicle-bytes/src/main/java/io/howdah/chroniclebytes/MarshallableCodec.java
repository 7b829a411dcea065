package io.howdah.chroniclebytes;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.BytesMarshallable;
import org.jspecify.annotations.Nullable;

/**
 * The codec of a type that marshals itself: {@code writeMarshallable} makes the bytes, {@code
 * readMarshallable} takes them.
 *
 * <p>What Chronicle marshals by itself, without those methods, are the public fields of public
 * classes; other fields need a flag of the JVM ({@code --add-opens
 * java.base/java.lang.reflect=ALL-UNNAMED}), and {@link CodecException} says so. A type with the
 * two methods needs none.
 *
 * <p>Thread-safe, if the type's own methods touch nothing but their object and the bytes.
 *
 * @param <T> the type
 */
public final class MarshallableCodec<T extends BytesMarshallable> implements Codec<T> {

  private static final int FIRST_CAPACITY = 256;

  /** A buffer that has grown beyond is left to the garbage collector. */
  private static final int KEPT_CAPACITY = 1 << 16;

  private final String name;
  private final Supplier<? extends T> factory;

  /** The buffer of the last encoding; whoever takes it has it alone. */
  private final AtomicReference<@Nullable Bytes<byte[]>> spare = new AtomicReference<>();

  private MarshallableCodec(String name, Supplier<? extends T> factory) {
    this.name = name;
    this.factory = factory;
  }

  /**
   * Returns the codec of a type.
   *
   * @param name of the encoding, see {@link Codec#name}: change it when the type marshals itself in
   *     another way
   * @param factory makes an object to be filled
   */
  public static <T extends BytesMarshallable> MarshallableCodec<T> of(
      String name, Supplier<? extends T> factory) {
    return new MarshallableCodec<>("bytes-marshallable " + name, factory);
  }

  /** Returns the codec of a type, with the name of its class. */
  public static <T extends BytesMarshallable> MarshallableCodec<T> of(
      Class<T> type, Supplier<? extends T> factory) {
    return of(type.getName(), factory);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void encode(T value, Encoder out) {
    Bytes<byte[]> kept = spare.getAndSet(null);
    Bytes<byte[]> bytes = kept != null ? kept : newBuffer();
    bytes.clear();
    try {
      value.writeMarshallable(bytes);
    } catch (RuntimeException | AssertionError e) {
      throw new CodecException(name + " cannot encode a value: " + explain(e), e);
    }
    byte[] array = bytes.underlyingObject();
    if (array == null) {
      throw new CodecException(name + " cannot encode a value: its bytes have left the Java heap");
    }
    out.putBytes(array, (int) bytes.readPosition(), (int) bytes.readRemaining());
    if (bytes.realCapacity() <= KEPT_CAPACITY) {
      spare.set(bytes);
    }
  }

  private static Bytes<byte[]> newBuffer() {
    Bytes<byte[]> bytes = Bytes.allocateElasticOnHeap(FIRST_CAPACITY);
    // It goes from thread to thread, but is with one at a time.
    bytes.singleThreadedCheckDisabled(true);
    return bytes;
  }

  @Override
  public T decode(Decoder in) {
    Bytes<byte[]> bytes = Bytes.wrapForRead(in.getBytes(in.remaining()));
    T value = factory.get();
    try {
      value.readMarshallable(bytes);
    } catch (RuntimeException | AssertionError e) {
      throw new CodecException(
          name
              + " cannot decode what the store holds: "
              + explain(e)
              + "; was it written by"
              + " another version of the type?",
          e);
    }
    return value;
  }

  private static String explain(Throwable e) {
    return e.getCause() instanceof IllegalAccessException
        ? "Chronicle may not see its fields; give the type writeMarshallable and readMarshallable,"
            + " or make it and its fields public ("
            + e.getCause()
            + ")"
        : e.toString();
  }

  @Override
  public String toString() {
    return name;
  }
}
