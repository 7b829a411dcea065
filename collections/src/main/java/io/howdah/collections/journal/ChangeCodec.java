package io.howdah.collections.journal;

import io.howdah.collections.structure.EntryCodec;

/** The codecs of the keys and values of a journal's map. */
public record ChangeCodec<K, V>(EntryCodec<K> keys, EntryCodec<V> values) {

  /** Returns those of a map. */
  public static <K, V> ChangeCodec<K, V> of(EntryCodec<K> keys, EntryCodec<V> values) {
    return new ChangeCodec<>(keys, values);
  }
}
