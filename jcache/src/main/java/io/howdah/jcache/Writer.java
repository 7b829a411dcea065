package io.howdah.jcache;

import java.util.Collection;
import java.util.List;
import javax.cache.Cache;
import javax.cache.integration.CacheWriter;
import javax.cache.integration.CacheWriterException;
import org.jspecify.annotations.Nullable;

/** The writer of a cache, or none. What it throws is wrapped as JSR 107 says. */
record Writer<K, V>(@Nullable CacheWriter<K, V> writer) {

  /** Returns the writer of a cache with keys and values of more special types. */
  @SuppressWarnings("unchecked") // a writer only reads keys and values, and removes entries
  static <K, V> Writer<K, V> of(@Nullable CacheWriter<? super K, ? super V> writer) {
    return new Writer<>((CacheWriter<K, V>) writer);
  }

  boolean isThere() {
    return writer != null;
  }

  void write(K key, V value) {
    if (writer != null) {
      try {
        writer.write(new KeyValue<>(key, value));
      } catch (CacheWriterException e) {
        throw e;
      } catch (RuntimeException e) {
        throw new CacheWriterException("the writer failed to write: " + e, e);
      }
    }
  }

  void delete(K key) {
    if (writer != null) {
      try {
        writer.delete(key);
      } catch (CacheWriterException e) {
        throw e;
      } catch (RuntimeException e) {
        throw new CacheWriterException("the writer failed to delete: " + e, e);
      }
    }
  }

  /**
   * Writes entries.
   *
   * @param entries of these, those that were not written stay if the writer throws
   * @return what it has thrown, or null
   */
  @Nullable RuntimeException writeAll(Collection<Cache.Entry<? extends K, ? extends V>> entries) {
    if (writer == null) {
      return null;
    }
    try {
      writer.writeAll(entries);
      return null;
    } catch (CacheWriterException e) {
      return e;
    } catch (RuntimeException e) {
      return new CacheWriterException("the writer failed to write: " + e, e);
    }
  }

  /**
   * Deletes keys.
   *
   * @param keys of these, those that were not deleted stay if the writer throws
   * @return what it has thrown, or null
   */
  @Nullable RuntimeException deleteAll(List<K> keys) {
    if (writer == null) {
      return null;
    }
    try {
      writer.deleteAll(keys);
      return null;
    } catch (CacheWriterException e) {
      return e;
    } catch (RuntimeException e) {
      return new CacheWriterException("the writer failed to delete: " + e, e);
    }
  }
}
