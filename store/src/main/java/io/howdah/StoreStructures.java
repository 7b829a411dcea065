package io.howdah;

import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import io.howdah.collections.CacheOptions;
import io.howdah.collections.ChangeJournal;
import io.howdah.collections.CollectionMismatchException;
import io.howdah.collections.Expiry;
import io.howdah.collections.MapOption;
import io.howdah.collections.PersistentBlob;
import io.howdah.collections.PersistentCache;
import io.howdah.collections.PersistentCollections;
import io.howdah.collections.PersistentCounter;
import io.howdah.collections.PersistentList;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentMultimap;
import io.howdah.collections.PersistentQueue;
import io.howdah.collections.PersistentSet;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.objects.InvalidTypeException;
import io.howdah.objects.Persistent;
import io.howdah.objects.PersistentType;
import io.howdah.objects.PersistentTypes;
import java.lang.invoke.MethodHandles;

/**
 * The part of a {@link Store} that opens what it holds: collections by their names, and types of
 * objects. What is returned may be used as long as the store is open, by any thread. Thread-safe.
 */
public abstract sealed class StoreStructures permits Store {

  StoreStructures() {}

  abstract PersistentCollections collections();

  /** Returns the types of objects. */
  abstract PersistentTypes types();

  /**
   * Opens a map, or creates it in a transaction of its own. Do not call it in a body: what it
   * creates stays although the body is rolled back, and the body's own changes are not seen.
   *
   * @param name 1 to 255 characters
   * @param options all indexes that the map has and is to have; whether its entries expire; whether
   *     it is to have a change journal
   * @throws CollectionMismatchException if the name stands for something else; says for what
   */
  @SafeVarargs
  @SuppressWarnings("varargs") // they are only read
  public final <K, V> PersistentMap<K, V> map(
      String name, Codec<K> keys, Codec<V> values, MapOption<? super V>... options) {
    return collections().map(name, keys, values, options);
  }

  /**
   * Opens or creates a map with the codecs that {@link StoreOptions#codecs} has for two classes, or
   * derives from them; see {@link #map(String, Codec, Codec, MapOption...)}.
   *
   * @throws io.howdah.codec.CodecException if a class has no codec; says what to do
   */
  @SafeVarargs
  @SuppressWarnings("varargs") // they are only read
  public final <K, V> PersistentMap<K, V> map(
      String name, Class<K> keys, Class<V> values, MapOption<? super V>... options) {
    return collections().map(name, keys, values, options);
  }

  /**
   * Opens or creates a map whose keys are in order; see {@link #map(String, Codec, Codec,
   * MapOption...)}.
   *
   * @param options all indexes that the map has and is to have; whether it is to have a change
   *     journal
   */
  @SafeVarargs
  @SuppressWarnings("varargs") // they are only read
  public final <K, V> PersistentSortedMap<K, V> sortedMap(
      String name, OrderedCodec<K> keys, Codec<V> values, MapOption<? super V>... options) {
    return collections().sortedMap(name, keys, values, options);
  }

  /**
   * Opens or creates a map whose keys are in order; see {@link #map(String, Class, Class,
   * MapOption...)}.
   */
  @SafeVarargs
  @SuppressWarnings("varargs") // they are only read
  public final <K, V> PersistentSortedMap<K, V> sortedMap(
      String name, Class<K> keys, Class<V> values, MapOption<? super V>... options) {
    return collections().sortedMap(name, keys, values, options);
  }

  /**
   * Opens a cache, or creates it in a transaction of its own. Do not call it in a body.
   *
   * <p>If the store has it with another bound, it gets the bound of the options. A lower one evicts
   * entries, in transactions of some each, before this returns; if the program ends meanwhile, the
   * bound is between the two.
   *
   * @param name 1 to 255 characters
   * @throws CollectionMismatchException if the name stands for something else; says for what
   */
  public <K, V> PersistentCache<K, V> cache(
      String name, Codec<K> keys, Codec<V> values, CacheOptions options) {
    return collections().cache(name, keys, values, options);
  }

  /**
   * Opens or creates a cache by classes; see {@link #cache(String, Codec, Codec, CacheOptions)}.
   */
  public <K, V> PersistentCache<K, V> cache(
      String name, Class<K> keys, Class<V> values, CacheOptions options) {
    return collections().cache(name, keys, values, options);
  }

  /** Opens or creates a map from keys to many values each. */
  public <K, V> PersistentMultimap<K, V> multimap(
      String name, OrderedCodec<K> keys, OrderedCodec<V> values, ChangeJournal... journal) {
    return collections().multimap(name, keys, values, journal);
  }

  /** Opens or creates a multimap by classes. */
  public <K, V> PersistentMultimap<K, V> multimap(
      String name, Class<K> keys, Class<V> values, ChangeJournal... journal) {
    return collections().multimap(name, keys, values, journal);
  }

  /** Opens or creates a set; see {@link #map(String, Codec, Codec, MapOption...)}. */
  public <E> PersistentSet<E> set(String name, Codec<E> elements, ChangeJournal... journal) {
    return collections().set(name, elements, journal);
  }

  /** Opens or creates a set; see {@link #map(String, Class, Class, MapOption...)}. */
  public <E> PersistentSet<E> set(String name, Class<E> elements, ChangeJournal... journal) {
    return collections().set(name, elements, journal);
  }

  /** Opens or creates a set whose elements expire; see {@link PersistentSet#expiry}. */
  public <E> PersistentSet<E> set(String name, Codec<E> elements, Expiry expiry) {
    return collections().set(name, elements, expiry);
  }

  /** Opens or creates a set whose elements expire, by a class. */
  public <E> PersistentSet<E> set(String name, Class<E> elements, Expiry expiry) {
    return collections().set(name, elements, expiry);
  }

  /** Opens or creates a list; see {@link #map(String, Codec, Codec, MapOption...)}. */
  public <E> PersistentList<E> list(String name, Codec<E> elements, ChangeJournal... journal) {
    return collections().list(name, elements, journal);
  }

  /** Opens or creates a list; see {@link #map(String, Class, Class, MapOption...)}. */
  public <E> PersistentList<E> list(String name, Class<E> elements, ChangeJournal... journal) {
    return collections().list(name, elements, journal);
  }

  /** Opens or creates a queue; see {@link #map(String, Codec, Codec, MapOption...)}. */
  public <E> PersistentQueue<E> queue(String name, Codec<E> elements, ChangeJournal... journal) {
    return collections().queue(name, elements, journal);
  }

  /** Opens or creates a queue; see {@link #map(String, Class, Class, MapOption...)}. */
  public <E> PersistentQueue<E> queue(String name, Class<E> elements, ChangeJournal... journal) {
    return collections().queue(name, elements, journal);
  }

  /**
   * Opens or creates a number that many add to; see {@link #map(String, Codec, Codec,
   * MapOption...)}.
   */
  public PersistentCounter counter(String name) {
    return collections().counter(name);
  }

  /** Opens or creates a sequence of bytes; see {@link #map(String, Codec, Codec, MapOption...)}. */
  public PersistentBlob blob(String name) {
    return collections().blob(name);
  }

  /**
   * Opens a type of persistent objects with those it refers to, or creates it, in a transaction of
   * its own. Do not call it in a body.
   *
   * @param type an interface marked with {@link Persistent}
   * @param lookup the caller's own, {@code MethodHandles.lookup()}: it must be in the interface's
   *     package, or see it in the same module
   * @throws InvalidTypeException if it cannot be the type of objects, or not of those in the store
   */
  public <T> PersistentType<T> type(Class<T> type, MethodHandles.Lookup lookup) {
    return types().open(type, lookup, PersistentType.Options.defaults());
  }

  /** Opens a type that has changed; see {@link #type(Class, MethodHandles.Lookup)}. */
  public <T> PersistentType<T> type(
      Class<T> type, MethodHandles.Lookup lookup, PersistentType.Options options) {
    return types().open(type, lookup, options);
  }
}
