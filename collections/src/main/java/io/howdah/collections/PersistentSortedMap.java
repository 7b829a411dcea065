package io.howdah.collections;

import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.collections.expiry.ExpiryClock;
import io.howdah.collections.journal.ChangeCodec;
import io.howdah.collections.journal.StoredJournal;
import io.howdah.collections.structure.CollectionHome;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.collections.structure.EntryBatch;
import io.howdah.collections.structure.EntryCodec;
import io.howdah.collections.structure.EntryGroup;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.KeyRange;
import io.howdah.collections.structure.KeysAhead;
import io.howdah.collections.structure.StoredValue;
import io.howdah.collections.structure.Tree;
import io.howdah.collections.structure.TreeBuild;
import io.howdah.collections.structure.TreeCursor;
import io.howdah.collections.views.ViewCalls;
import io.howdah.core.layout.ChangeLayout;
import io.howdah.core.layout.EntryLayout;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import io.howdah.txn.words.RunningTx;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A persistent map whose keys are in order, from {@code Store.sortedMap}: a B+-tree. The order is
 * that of the keys' codec.
 *
 * <p>An operation takes time in the order of the logarithm of the number of entries. Two
 * transactions that change entries far apart rarely conflict. Limits are those of {@link
 * PersistentMap}.
 *
 * <p>Iterators, streams and {@link #scan} may go on while their transaction changes the map, rolls
 * back to a {@link Savepoint}, or changes anything else: they continue behind the key they are at.
 * So they show the keys in order, each at most once, all that are in the map all the while, and
 * none that is not in the map when it is come upon: {@code hasNext} looks one ahead, and {@code
 * next} returns what that has found.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public final class PersistentSortedMap<K, V> extends KeyedCollection<K, V> {

  static final String KIND = "sorted map";

  private final EntryCodec<K> keys;
  private final EntryCodec<V> values;
  private final OrderedCodec<K> ordered;
  private final Tree tree;
  private final @Nullable EntryExpiry<K, V> expiry;

  /** Length of what the tree has as values: a stamp precedes them if they expire. */
  private final int valueLength;

  PersistentSortedMap(
      Transactions transactions,
      FoundCollection found,
      OrderedCodec<K> keys,
      Codec<V> values,
      EntryChanges<K, V> entryChanges,
      @Nullable MapExpiry expiry,
      @Nullable CollectionHome home) {
    super(transactions, found, entryChanges, home);
    this.keys = new EntryCodec<>(keys);
    this.values = new EntryCodec<>(values);
    this.ordered = keys;
    this.valueLength = MapExpiry.valueLength(values.fixedLength(), expiry);
    this.tree = new Tree(found.address(), isFixed(keys), valueLength);
    this.expiry = expiry == null ? null : new EntryExpiry<>(this, expiry);
  }

  @Override
  long createHeader(Words words, long incarnation) {
    return Tree.create(words, incarnation, keys.fixedLength(), valueLength);
  }

  @Override
  void moved(long to) {
    tree.move(to);
  }

  static boolean isFixed(Codec<?> keys) {
    return keys.fixedLength() == Long.BYTES;
  }

  static String type(Codec<?> keys, Codec<?> values, @Nullable MapExpiry expiry) {
    String type = KIND + " of " + keys.name() + " to " + values.name();
    return expiry == null ? type : MapExpiry.expiring(type);
  }

  private int begin(Words words, K key) {
    encode(words, keys, key, Tree.beginKey(words), "key", MAX_KEY_BYTES);
    return Tree.endKey(words);
  }

  @Override
  public @Nullable V get(Tx tx, K key) {
    Words words = words(tx);
    DecodingBuffer value = present(words, begin(words, key));
    return value == null ? null : values.decode(words, value);
  }

  /** Returns the value of the key in the scratch, behind its stamp; null if it has expired. */
  private @Nullable DecodingBuffer present(Words words, int keyLength) {
    DecodingBuffer value = tree.get(words, keyLength);
    return value == null || (expiry != null && expiry.isPast(words, value.getLong()))
        ? null
        : value;
  }

  @Override
  @Nullable StoredValue<V> stored(Tx tx, K key) {
    Words words = words(tx);
    DecodingBuffer value = present(words, begin(words, key));
    if (value == null) {
      return null;
    }
    byte[] bytes = value.peek(); // before the codec, which may use the buffer
    return new StoredValue<>(bytes, values.decode(words, value));
  }

  @Override
  public boolean containsKey(Tx tx, K key) {
    Words words = words(tx);
    return present(words, begin(words, key)) != null;
  }

  @Override
  void loadAhead(Words words, EntryGroup<K, V> group, boolean isChange) {
    if (tree.isAheadUseful(words)) {
      KeysAhead ahead = CollectionScratch.of(words).encodeAhead(words, keys, group);
      tree.loadAhead(words, ahead);
    }
  }

  @Override
  public void put(Tx tx, K key, V value) {
    boolean _ = isNewWhenPut(tx, key, value);
  }

  @Override
  boolean isNewWhenPut(Tx tx, K key, V value) {
    Words words = words(tx);
    return put(words, key, value, stampOfNew(words));
  }

  @Override
  boolean put(Words words, K key, V value, long expiresAt) {
    entryChanges.removePast(words, this, key, value);
    int keyLength = begin(words, key, value, expiresAt);
    requirePresent(words);
    return entryChanges.isNone()
        ? tree.put(words, keyLength)
        : entryChanges.put(words, this, key, value, keyLength);
  }

  /** Encodes an entry; returns the length of its key. */
  private int begin(Words words, K key, V value, long expiresAt) {
    int keyLength = begin(words, key);
    EncodingBuffer image = Tree.beginValue(words);
    requireRepeatable(words, keys, key, image, EntryLayout.KEY_OFFSET, keyLength);
    int limit = MAX_VALUE_BYTES;
    if (expiry != null) {
      image.putLong(expiresAt);
      limit -= MapExpiry.STAMP_BYTES;
    }
    encode(words, values, value, image, "value", limit);
    return keyLength;
  }

  @Override
  int groupEntries() {
    return entryChanges.isNone() ? EntryBatch.MAX_ENTRIES : super.groupEntries();
  }

  @Override
  long putGroup(Tx tx, EntryGroup<K, V> group) {
    if (!entryChanges.isNone() || group.count() == 1) {
      return super.putGroup(tx, group);
    }
    long added = 0;
    for (int i = 0; i < group.count(); ) {
      Words words = words(tx);
      CollectionScratch scratch = CollectionScratch.of(words);
      EntryBatch batch = scratch.batch();
      while (i < group.count() && !batch.isFull()) {
        int keyLength = begin(words, group.key(i), group.value(i), stampOfNew(words));
        batch.add(scratch.image, keyLength);
        i++;
      }
      requirePresent(words);
      added += tree.putAll(words, batch);
    }
    return added;
  }

  @Override
  @Nullable V storedValue(Words words, long keyLength) {
    DecodingBuffer value = tree.get(words, (int) keyLength);
    return value == null ? null : behindStamp(words, value);
  }

  /** Decodes a value that a stamp may precede. */
  private V behindStamp(Words words, DecodingBuffer value) {
    if (expiry != null) {
      long _ = value.getLong();
    }
    return values.decode(words, value);
  }

  @Override
  boolean putEntry(Words words, long keyLength) {
    return tree.put(words, (int) keyLength);
  }

  @Override
  boolean removeEntry(Words words, long keyLength) {
    return tree.remove(words, (int) keyLength);
  }

  @Override
  void appendPut(Words words, StoredJournal stored, long keyLength) {
    // The value follows the key without padding.
    int stampBytes = expiry == null ? 0 : MapExpiry.STAMP_BYTES;
    int valueOffset = EntryLayout.KEY_OFFSET + (int) keyLength + stampBytes;
    stored.put(
        words,
        CollectionScratch.of(words).image,
        EntryLayout.KEY_OFFSET,
        (int) keyLength,
        valueOffset);
  }

  @Override
  void appendRemoved(Words words, StoredJournal stored, long keyLength, int kind) {
    EncodingBuffer image = CollectionScratch.of(words).image;
    stored.removed(words, kind, image, EntryLayout.KEY_OFFSET, (int) keyLength);
  }

  @Override
  public boolean remove(Tx tx, K key) {
    Words words = words(tx);
    boolean isThere = expiry == null || containsKey(tx, key);
    int kind = isThere ? ChangeLayout.REMOVED : ChangeLayout.EXPIRED;
    return remove(words, key, begin(words, key), kind) && isThere;
  }

  /** Removes the key whose bytes are in the image. */
  private boolean remove(Words words, @Nullable K key, int keyLength, int kind) {
    return entryChanges.isNone()
        ? tree.remove(words, keyLength)
        : entryChanges.remove(words, this, key, keyLength, kind);
  }

  /** Removes the entry of a key by its stored bytes: its key as decoded may have others. */
  private boolean removeStored(Words words, byte[] stored, int kind) {
    K key = entryChanges.needsKey() ? decoded(words, stored) : null;
    return remove(words, key, beginStored(words, stored), kind);
  }

  /** Takes the stored bytes of a key into the scratch, and returns their length. */
  private static int beginStored(Words words, byte[] stored) {
    Tree.beginKey(words).putBytes(stored);
    return Tree.endKey(words);
  }

  // ---- What the expiry of entries needs.

  @Override
  @Nullable EntryExpiry<K, V> expiryOrNull() {
    return expiry;
  }

  @Override
  long storedEntries(Words words) {
    return tree.size(words);
  }

  @Override
  long expiresAt(Words words, K key) {
    return presentUntil(words, begin(words, key));
  }

  /** Returns when the key in the scratch expires; {@link EntryExpiry#ABSENT} if it has. */
  private long presentUntil(Words words, int keyLength) {
    long stamp = stamp(words, keyLength);
    return stamp == EntryExpiry.ABSENT || isPast(words, stamp) ? EntryExpiry.ABSENT : stamp;
  }

  /** Returns the stamp of the key in the scratch; {@link EntryExpiry#ABSENT} if it is not there. */
  private long stamp(Words words, int keyLength) {
    DecodingBuffer value = tree.get(words, keyLength);
    return value == null
        ? EntryExpiry.ABSENT
        : expiry == null ? ExpiryClock.NEVER : value.getLong();
  }

  private boolean isPast(Words words, long stamp) {
    return expiry != null && expiry.isPast(words, stamp);
  }

  @Override
  boolean restamp(Words words, K key, long expiresAt) {
    entryChanges.requireChangeable(words);
    int keyLength = begin(words, key);
    DecodingBuffer value = tree.get(words, keyLength);
    long stamp = value == null ? EntryExpiry.ABSENT : value.getLong();
    if (value == null || isPast(words, stamp)) {
      return false;
    }
    if (stamp != expiresAt) {
      byte[] bytes = value.peek();
      EncodingBuffer image = Tree.beginValue(words);
      image.putLong(expiresAt);
      image.putBytes(bytes);
      boolean _ = tree.put(words, keyLength);
    }
    return true;
  }

  @Override
  byte @Nullable [] walkStored(
      Tx tx, byte @Nullable [] position, int entries, StoredVisitor<K> visitor) {
    KeyRange behind = position == null ? KeyRange.ALL : KeyRange.ALL.from(position, false);
    Iterator<byte[]> all = new StoredKeys(tx, behind);
    for (int shown = 0; all.hasNext(); shown++) {
      byte[] stored = all.next();
      Words words = words(tx);
      long stamp = stamp(words, beginStored(words, stored));
      visitor.visit(decoded(words, stored), stored, stamp);
      if (shown + 1 == entries) {
        return stored;
      }
    }
    return null;
  }

  @Override
  boolean reclaim(Words words, byte[] key) {
    long stamp = stamp(words, beginStored(words, key));
    return stamp != EntryExpiry.ABSENT
        && expiry != null
        && expiry.isReclaimable(words, stamp)
        && removeStored(words, key, ChangeLayout.EXPIRED);
  }

  @Override
  void removePast(Words words, K key) {
    long stamp = stamp(words, begin(words, key));
    if (stamp != EntryExpiry.ABSENT && isPast(words, stamp)) {
      boolean _ = remove(words, key, begin(words, key), ChangeLayout.EXPIRED);
    }
  }

  @Override
  boolean buildStep(Tx tx, Tree index, int entries, BiConsumer<? super K, ? super V> function) {
    Words words = words(tx);
    byte[] last = TreeBuild.key(words, index);
    KeyRange behind = last == null ? KeyRange.ALL : KeyRange.ALL.from(last, false);
    RangeIterator walk = new RangeIterator(tx, behind, true, true);
    int shown = 0;
    while (shown < entries && walk.hasNext()) {
      Map.Entry<K, V> entry = walk.next();
      function.accept(entry.getKey(), entry.getValue());
      last = walk.stored(words); // the key as it is decoded may have other bytes
      shown++;
    }
    boolean hasEnded = shown < entries;
    TreeBuild.key(words, index, hasEnded ? null : last);
    return hasEnded;
  }

  @Override
  public <X> PersistentIndex<X, K, V> index(Index<V, X> declaration) {
    return entryChanges.search(this, declaration);
  }

  @Override
  EntryCodec<K> keyCodec() {
    return keys;
  }

  @Override
  EntryCodec<V> valueCodec() {
    return values;
  }

  @Override
  ChangeCodec<K, V> changeCodec() {
    return ChangeCodec.of(keys, values);
  }

  @Override
  public long size(Tx tx) {
    return expiry == null ? tree.size(words(tx)) : keys(tx).count();
  }

  /** Returns whether there is no entry. If entries expire, it looks for one that has not. */
  @Override
  public boolean isEmpty(Tx tx) {
    return expiry == null ? tree.size(words(tx)) == 0 : first(tx) == null;
  }

  @Override
  public void clear(Tx tx) {
    KeyRange rest = KeyRange.ALL;
    while (rest != null) {
      rest = clear(tx, rest, Integer.MAX_VALUE);
    }
  }

  /**
   * Removes the first entries of a range, and returns the range of the others, or null if there are
   * none. Goes by stored bytes: an entry goes although its key or its value cannot be decoded.
   */
  @Nullable KeyRange clear(Tx tx, KeyRange range, int entries) {
    Iterator<byte[]> all = new StoredKeys(tx, range);
    byte[] last = null;
    for (int left = entries; left > 0; left--) {
      if (!all.hasNext()) {
        return null;
      }
      last = all.next();
      Words words = words(tx);
      boolean isPast = expiry != null && isPast(words, stamp(words, beginStored(words, last)));
      boolean _ = removeStored(words, last, isPast ? ChangeLayout.EXPIRED : ChangeLayout.REMOVED);
    }
    return last == null ? range : range.from(last, false);
  }

  private K decoded(Words words, byte[] key) {
    DecodingBuffer bytes = CollectionScratch.of(words).decoder;
    bytes.wrap(key, 0, key.length);
    return keys.decode(words, bytes);
  }

  /** Returns the entry with the lowest key, or null. */
  public Map.@Nullable Entry<K, V> first(Tx tx) {
    return one(iterator(tx, KeyRange.ALL, true));
  }

  /** Returns the entry with the highest key, or null. */
  public Map.@Nullable Entry<K, V> last(Tx tx) {
    return one(iterator(tx, KeyRange.ALL, false));
  }

  /** Returns the entry with the highest key that is not greater than a key, or null. */
  public Map.@Nullable Entry<K, V> floor(Tx tx, K key) {
    return one(iterator(tx, key, true, false));
  }

  /** Returns the entry with the lowest key that is not less than a key, or null. */
  public Map.@Nullable Entry<K, V> ceiling(Tx tx, K key) {
    return one(iterator(tx, key, true, true));
  }

  /** Returns the entry with the highest key that is less than a key, or null. */
  public Map.@Nullable Entry<K, V> lower(Tx tx, K key) {
    return one(iterator(tx, key, false, false));
  }

  /** Returns the entry with the lowest key that is greater than a key, or null. */
  public Map.@Nullable Entry<K, V> higher(Tx tx, K key) {
    return one(iterator(tx, key, false, true));
  }

  /** Returns the entries from a key on, in one of the two directions. */
  private RangeIterator iterator(Tx tx, K from, boolean inclusive, boolean ascending) {
    requireKey(tx, from);
    return iterator(tx, bytes(tx, from), inclusive, ascending);
  }

  private RangeIterator iterator(Tx tx, byte[] from, boolean inclusive, boolean ascending) {
    KeyRange range =
        ascending ? KeyRange.ALL.from(from, inclusive) : KeyRange.ALL.to(from, inclusive);
    return new RangeIterator(tx, range, ascending);
  }

  /** Returns the entries of a range, in one of the two directions. */
  TransactionIterator<Map.Entry<K, V>> iterator(Tx tx, KeyRange range, boolean ascending) {
    return new RangeIterator(tx, range, ascending);
  }

  private static <T> @Nullable T one(Iterator<T> iterator) {
    return iterator.hasNext() ? iterator.next() : null;
  }

  /** Returns all entries, the lowest key first. */
  public Stream<Map.Entry<K, V>> entries(Tx tx) {
    return new RangeIterator(tx, KeyRange.ALL, true).stream();
  }

  /**
   * Returns the entries of a range, in the order of the range. The stream may be left at any entry,
   * and continues while the transaction changes this map. {@link #scan} reads a range from the
   * lowest key on without an object for each entry, which takes less time.
   *
   * {@snippet :
   * record ByCustomer(String customer, Instant at, UUID id) {}
   *
   * byCustomer.range(tx, Range.prefix("alice")).forEach(System.out::println);
   * }
   *
   * @throws io.howdah.codec.CodecException if the range has a prefix and the keys have no such
   *     parts
   */
  public Stream<Map.Entry<K, V>> range(Tx tx, Range<K> range) {
    return iterator(tx, keyRange(tx, range), range.isAscending()).stream();
  }

  private KeyRange keyRange(Tx tx, Range<K> range) {
    List<@Nullable Object> prefix = range.prefixParts();
    KeyRange bytes = prefix == null ? KeyRange.ALL : withPrefixOf(tx, prefix.toArray());
    K lower = range.lower();
    if (lower != null) {
      bytes = bytes.from(bytes(tx, lower), true);
    }
    K upper = range.upper();
    if (upper != null) {
      bytes = bytes.to(bytes(tx, upper), range.isUpperInclusive());
    }
    K last = range.last();
    if (last == null) {
      return bytes;
    }
    return range.isAscending()
        ? bytes.from(bytes(tx, last), false)
        : bytes.to(bytes(tx, last), false);
  }

  private KeyRange withPrefixOf(Tx tx, @Nullable Object... parts) {
    Words words = words(tx);
    EncodingBuffer prefix = new EncodingBuffer();
    try {
      ordered.encodePrefix(prefix, parts);
    } catch (RuntimeException e) {
      throw words.refuse(e);
    }
    return KeyRange.withPrefix(Arrays.copyOf(prefix.array(), prefix.length()));
  }

  /**
   * Returns the first entries of a range: a page. {@link Range#behind} of its last key is the range
   * of the next page.
   *
   * {@snippet :
   * record ByCustomer(String customer, Instant at, UUID id) {}
   *
   * Range<ByCustomer> range = Range.reversed(Range.prefix("alice"));
   * List<Map.Entry<ByCustomer, Order>> page = byCustomer.page(tx, range, 50);
   * List<Map.Entry<ByCustomer, Order>> next =
   *     byCustomer.page(tx, Range.behind(page.getLast().getKey(), range), 50);
   * }
   *
   * @param entries the maximum, at least 1
   * @throws io.howdah.codec.CodecException if the range has a prefix and the keys have no such
   *     parts
   */
  public List<Map.Entry<K, V>> page(Tx tx, Range<K> range, int entries) {
    requirePage(words(tx), entries);
    return range(tx, range).limit(entries).toList();
  }

  private void requirePage(Words words, int entries) {
    if (entries < 1) {
      throw words.refuse(
          new IllegalArgumentException(
              "a page of " + this + " has at least 1 entry, not " + entries));
    }
  }

  /** Removes the entry with the lowest key and returns it, or null. */
  public Map.@Nullable Entry<K, V> pollFirst(Tx tx) {
    return poll(tx, KeyRange.ALL, true);
  }

  /** Removes the entry with the highest key and returns it, or null. */
  public Map.@Nullable Entry<K, V> pollLast(Tx tx) {
    return poll(tx, KeyRange.ALL, false);
  }

  /**
   * Removes the first entry of a range in one of the two directions, and returns it, or null. Goes
   * by its stored bytes: its key as it is decoded may have others.
   */
  Map.@Nullable Entry<K, V> poll(Tx tx, KeyRange range, boolean ascending) {
    RangeIterator first = new RangeIterator(tx, range, ascending);
    if (!first.hasNext()) {
      return null;
    }
    Map.Entry<K, V> entry = first.next();
    Words words = words(tx);
    int keyLength = beginStored(words, first.stored(words));
    boolean _ = remove(words, entry.getKey(), keyLength, ChangeLayout.REMOVED);
    return entry;
  }

  /** Removes the entries that a range with this prefix has, and returns how many there were. */
  long removeWithPrefix(Tx tx, @Nullable Object... parts) {
    KeyRange rest = withPrefixOf(tx, parts);
    long before = size(tx);
    while (rest != null) {
      rest = clear(tx, rest, Integer.MAX_VALUE);
    }
    return before - size(tx);
  }

  /** Returns the bytes of a key, which have the order of the keys. */
  byte[] bytes(Tx tx, K key) {
    Words words = words(tx);
    int length = begin(words, key);
    byte[] image = CollectionScratch.of(words).image.array();
    return Arrays.copyOfRange(image, EntryLayout.KEY_OFFSET, EntryLayout.KEY_OFFSET + length);
  }

  /**
   * Compares keys as this map does, by their bytes. Needs no transaction, so it serves a {@code
   * TreeMap} that outlives one.
   */
  Comparator<K> comparator() {
    return (one, other) -> Arrays.compareUnsigned(bytes(one), bytes(other));
  }

  private byte[] bytes(K key) {
    EncodingBuffer out = new EncodingBuffer();
    ordered.encode(key, out);
    return Arrays.copyOf(out.array(), out.length());
  }

  /**
   * Returns this map as one of {@code java.util}, each of whose operations is a transaction of its
   * own. Atomic methods are atomic; {@code putAll} is many, and {@code clear} removes the entries
   * of a large map in several. Going over it, or over a part of it, shows one state, which is
   * copied to the Java heap; what an iterator removes is removed from the map.
   *
   * <p>{@link KeyedCollection} says which keys and values are the same for it.
   *
   * <p>In the body of a transaction use {@link #asMap(Tx)}: this view does not see what the body
   * has written, and what it changes stays so although the body is rolled back.
   */
  public ConcurrentNavigableMap<K, V> asMap() {
    return new SortedMapView<>(this, ViewCalls.each(transactions()), KeyRange.ALL, true);
  }

  /**
   * Returns this map as one of {@code java.util} within a transaction, with which it ends. Its
   * iterators go on while the transaction changes the map, as those of this class, and remove what
   * they have shown. Its comparator goes by the bytes of the keys, as this map does.
   */
  public ConcurrentNavigableMap<K, V> asMap(Tx tx) {
    return new SortedMapView<>(this, ViewCalls.in(tx), KeyRange.ALL, true);
  }

  /** Returns all values, the lowest key first. */
  public Stream<V> values(Tx tx) {
    return entries(tx).map(Map.Entry::getValue);
  }

  /** Returns all keys, the lowest first. */
  public Stream<K> keys(Tx tx) {
    return entries(tx).map(Map.Entry::getKey);
  }

  /**
   * Calls a function with the entries from a key on, the lowest key first, until the function
   * returns false or the end is reached. It differs from {@link #range} in that it makes neither a
   * stream nor an entry for each key, so it takes less time where many entries are read; it has one
   * direction and no prefixes.
   *
   * @param from the first key, or null to begin with the lowest
   * @param to the end of the range, exclusive, or null for none; if it is not greater than {@code
   *     from}, the range is empty
   */
  public void scan(
      Tx tx, @Nullable K from, @Nullable K to, BiPredicate<? super K, ? super V> function) {
    Words words = words(tx);
    TreeCursor end = null;
    byte[] toBytes = null;
    if (to != null) {
      toBytes = bytes(tx, to);
      if (from != null && Arrays.compareUnsigned(bytes(tx, from), toBytes) >= 0) {
        return;
      }
      end = new TreeCursor(tree);
      seek(words, end, toBytes);
    }
    TreeCursor cursor = new TreeCursor(tree);
    if (from == null) {
      cursor.first(words);
    } else {
      cursor.seek(words, begin(words, from), false);
    }
    cursor.copyLeaf(words);
    RunningTx handle = RunningTx.of(tx);
    int number = handle.number();
    long changes = words.operations.changes();
    while ((end == null || !cursor.isAt(words, end)) && cursor.next(words)) {
      if (expiry != null && expiry.isPast(words, cursor.value(words).getLong())) {
        continue;
      }
      if (!words.isReadOnly()) {
        cursor.keepKey(words); // the function may remove the entry, and change the key it is given
      }
      K key = cursor.key(words, keys);
      if (!function.test(key, behindStamp(words, cursor.value(words)))) {
        break;
      }
      handle.requireLive(number); // the function may have ended the transaction
      if (!words.isReadOnly() && words.operations.changes() != changes) {
        words(tx); // it may have dropped the map
        changes = words.operations.changes();
        cursor.seekKept(words, true);
        if (toBytes != null && end != null) {
          seek(words, end, toBytes);
        }
      }
    }
    if (handle.isLive()) { // otherwise another thread may have the buffers
      cursor.release(words);
    }
  }

  private static void seek(Words words, TreeCursor cursor, byte[] key) {
    Tree.beginKey(words).putBytes(key);
    cursor.seek(words, Tree.endKey(words), false);
  }

  /** Goes through the keys of a range as they are stored, the lowest first. */
  private final class StoredKeys extends TreeRangeIterator<byte[]> {

    StoredKeys(Tx tx, KeyRange range) {
      super(PersistentSortedMap.this, tx, tree, range, true);
    }

    @Override
    byte[] element(Words words, TreeCursor cursor) {
      return cursor.key(words).peek();
    }
  }

  /** Goes through a range of the entries. */
  private final class RangeIterator extends TreeRangeIterator<Map.Entry<K, V>> {

    private final boolean removesPast;

    RangeIterator(Tx tx, KeyRange range, boolean ascending) {
      this(tx, range, ascending, false);
    }

    /**
     * Creates one.
     *
     * @param removesPast whether it removes entries that have expired. For an index that is built
     *     they are not there, so they must not be there for a later removal from the index
     */
    RangeIterator(Tx tx, KeyRange range, boolean ascending, boolean removesPast) {
      super(PersistentSortedMap.this, tx, tree, range, ascending);
      this.removesPast = removesPast;
    }

    @Override
    Map.@Nullable Entry<K, V> element(Words words, TreeCursor cursor) {
      if (expiry != null && expiry.isPast(words, cursor.value(words).getLong())) {
        if (removesPast) {
          boolean _ = removeStored(words, cursor.key(words).peek(), ChangeLayout.EXPIRED);
        }
        return null;
      }
      K key = keys.decode(words, cursor.key(words));
      return Map.entry(key, behindStamp(words, cursor.value(words)));
    }
  }
}
