package io.howdah.collections.index;

import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.collections.structure.EntryCodec;
import io.howdah.txn.words.Words;

/** What an index asks of the map whose entries it has. */
public interface IndexedMap {

  /**
   * Appends the bytes of a key, or refuses it.
   *
   * @param role what it is, as messages say
   * @param limit in bytes
   */
  <T> void encode(
      Words words, EntryCodec<T> codec, T value, EncodingBuffer out, String role, int limit);

  /** Returns the refusal to give a second entry a key in a unique index. */
  RuntimeException duplicate(String index, String message);
}
