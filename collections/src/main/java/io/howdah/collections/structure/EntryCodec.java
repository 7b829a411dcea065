package io.howdah.collections.structure;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.txn.words.Words;
import java.util.Set;

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
  private final boolean isPlain;

  public EntryCodec(Codec<T> codec) {
    this.codec = codec;
    this.isPlain = codec instanceof PlainCodec || PLAIN.contains(codec.getClass());
  }

  public String name() {
    return codec.name();
  }

  public int fixedLength() {
    return codec.fixedLength();
  }

  /** Returns whether the codec calls nothing of the user's. */
  public boolean isPlain() {
    return isPlain;
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
