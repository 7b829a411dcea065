package io.howdah.collections.structure;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.txn.words.Words;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A codec as collections call it. Codecs of the user's may use other collections of the store in
 * the same transaction: while one runs, the transaction has other buffers. Thread-safe.
 *
 * @param <T> the values
 */
public final class EntryCodec<T> {

  /** Codecs that call nothing of the user's. */
  private static final Set<Class<?>> PLAIN =
      Set.of(
          Codec.int64().getClass(),
          Codec.int32().getClass(),
          Codec.utf8().getClass(),
          Codec.bytes().getClass());

  private final Codec<T> codec;
  private final boolean isInt64;
  private final boolean isPlain;
  private final boolean isSelfDelimiting;

  @SuppressWarnings("ReferenceEquality") // identity is meant
  public EntryCodec(Codec<T> codec) {
    this.codec = codec;
    this.isInt64 = codec == Codec.int64();
    this.isPlain = codec instanceof PlainCodec || PLAIN.contains(codec.getClass());
    this.isSelfDelimiting = codec instanceof OrderedCodec<?> ordered && ordered.isSelfDelimiting();
  }

  public String name() {
    return codec.name();
  }

  public int fixedLength() {
    return codec.fixedLength();
  }

  /**
   * Returns whether values are of type {@code Long}, so that the head of such a key is the value.
   */
  boolean isInt64() {
    return isInt64;
  }

  /** Returns a value of type {@code Long}. */
  @SuppressWarnings("unchecked") // the codec is that of this type
  T ofInt64(long value) {
    return (T) (Long) value;
  }

  /** Returns whether the codec calls nothing of the user's. */
  public boolean isPlain() {
    return isPlain;
  }

  /**
   * Returns whether a value of a collection is the same as another one that the program has: it is
   * equal, or both are arrays with equal elements, or both have one encoding. So a value that was
   * read is found again, although its class has no {@code equals}, or has parts that are arrays.
   */
  public boolean isSame(T value, @Nullable Object other) {
    if (other == null) {
      return false;
    }
    if (Objects.deepEquals(value, other)) {
      return true;
    }
    byte[] bytes = isDecidedByEquals(value) ? null : bytes(value);
    return bytes != null && Arrays.equals(bytes, bytes(other));
  }

  /** Returns whether a collection of the program has what is the {@linkplain #isSame same}. */
  public Predicate<T> in(Collection<?> others) {
    return new Predicate<>() {
      private @Nullable Set<ByteBuffer> encodings;

      @Override
      public boolean test(T value) {
        boolean isEqual = others.contains(value);
        if (isEqual || isDecidedByEquals(value)) {
          return isEqual;
        }
        Set<ByteBuffer> known = encodings;
        if (known == null) {
          known = new HashSet<>();
          for (Object other : others) {
            byte[] bytes = bytes(other);
            if (bytes != null) {
              known.add(ByteBuffer.wrap(bytes));
            }
          }
          encodings = known;
        }
        byte[] bytes = bytes(value);
        return bytes != null && known.contains(ByteBuffer.wrap(bytes));
      }
    };
  }

  private static boolean isDecidedByEquals(Object value) {
    return value instanceof String || value instanceof Number || value instanceof Enum;
  }

  /** Returns the encoding of a value; null if it has none, so that no collection has it. */
  @SuppressWarnings("unchecked") // a value of another type is refused by the codec's cast
  private byte @Nullable [] bytes(@Nullable Object value) {
    if (value == null) {
      return null;
    }
    EncodingBuffer out = new EncodingBuffer();
    try {
      codec.encode((T) value, out);
    } catch (RuntimeException e) { // of the program's codec, or the value is refused
      return null;
    }
    return out.toBytes();
  }

  /** Returns the bytes that a value is encoded as, for use outside of transactions. */
  public byte[] encoding(T value) {
    EncodingBuffer out = new EncodingBuffer();
    codec.encode(value, out);
    return out.toBytes();
  }

  /** Returns the hash of a value; of arrays, that of their elements. */
  public static int hash(Object value) {
    return value.getClass().isArray()
        ? Arrays.deepHashCode(new Object[] {value})
        : value.hashCode();
  }

  public void encode(Words words, T value, EncodingBuffer out) {
    if (isPlain) {
      codec.encode(value, out);
      return;
    }
    CollectionScratch own = CollectionScratch.of(words);
    words.attach(own.inner());
    try {
      codec.encode(value, out);
    } finally {
      words.attach(own);
    }
  }

  public T decode(Words words, DecodingBuffer in) {
    if (isPlain) {
      return codec.decode(in);
    }
    CollectionScratch own = CollectionScratch.of(words);
    words.attach(own.inner());
    try {
      T value = codec.decode(in);
      if (isSelfDelimiting && in.remaining() > 0) {
        throw new CodecException(
            in.remaining()
                + " bytes follow a value of codec "
                + codec.name()
                + ": they were written by another codec, or are damaged");
      }
      if (value == null) {
        throw new CodecException(
            "codec " + codec.name() + " decoded null, which stands for no entry in a collection");
      }
      return value;
    } finally {
      words.attach(own);
    }
  }
}
