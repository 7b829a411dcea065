package io.howdah.cli.imports;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A sum of entries that does not depend on their order: for each one 64 bits of the SHA-256 of its
 * key and value, added modulo 2<sup>64</sup>. For one thread.
 */
final class EntrySum<K, V> {

  private final ImportType<K> keys;
  private final ImportType<V> values;
  private final MessageDigest digest;
  private final ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);

  private long entries;
  private long sum;

  EntrySum(ImportType<K> keys, ImportType<V> values) {
    this.keys = keys;
    this.values = values;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  void add(K key, V value) {
    byte[] first = keys.bytes().apply(key);
    digest.update(length.putInt(0, first.length).array()); // where the key ends
    digest.update(first);
    digest.update(values.bytes().apply(value));
    sum += ByteBuffer.wrap(digest.digest()).getLong();
    entries++;
  }

  long entries() {
    return entries;
  }

  long sum() {
    return sum;
  }
}
