package io.howdah.collections;

import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Pair;
import io.howdah.codec.derived.CodecRegistry;
import io.howdah.collections.catalogue.Catalogue;
import io.howdah.collections.catalogue.CollectionBlocks;
import io.howdah.collections.catalogue.SchemaCheck;
import io.howdah.collections.catalogue.StoredShapes;
import io.howdah.collections.eviction.FrequencySketch;
import io.howdah.collections.expiry.ExpiryClock;
import io.howdah.collections.expiry.Reclaimer;
import io.howdah.collections.index.IndexCatalogue;
import io.howdah.collections.index.MaintainedIndex;
import io.howdah.collections.index.MapIndexes;
import io.howdah.collections.journal.Deliveries;
import io.howdah.collections.journal.JournalNames;
import io.howdah.collections.journal.MapJournal;
import io.howdah.collections.journal.StoredJournal;
import io.howdah.collections.structure.CodecContract;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.HashTable;
import io.howdah.collections.structure.TableBound;
import io.howdah.collections.structure.Tree;
import io.howdah.core.Execution;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.core.report.ProgramLog;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The collections of a store, by their names. Thread-safe. */
public final class PersistentCollections {

  private final Transactions transactions;
  private final Catalogue catalogue;
  private final StoredShapes shapes;
  private final StoredShapes keyShapes;
  private final CodecRegistry registry;
  private final DerivedCodecs codecs;
  private final ObjectCollections ofObjects;
  private final ExpiryClock clock;
  private final Reclaimer reclaimer;
  private final ProgramLog programLog;
  private final Deliveries deliveries;

  /** What the handles of each cache share, by the incarnation that it was first opened as. */
  private final Map<Long, OpenCache> caches = new ConcurrentHashMap<>();

  /**
   * Creates the collections of a store. Stores call this; programs use {@code Store}.
   *
   * @param clock by which entries expire
   */
  public PersistentCollections(
      Transactions transactions, Catalogue catalogue, CodecRegistry codecs, InstantSource clock) {
    this.transactions = transactions;
    this.catalogue = catalogue;
    this.shapes = new StoredShapes(transactions);
    this.keyShapes = shapes.forKeys();
    this.registry = codecs;
    this.codecs = new DerivedCodecs(codecs);
    this.ofObjects = new ObjectCollections(transactions, this.codecs, shapes, keyShapes);
    this.clock = new ExpiryClock(clock);
    Execution execution = transactions.execution();
    this.reclaimer = new Reclaimer(execution);
    this.programLog = new ProgramLog("io.howdah.collections", execution);
    this.deliveries = new Deliveries(transactions, programLog);
  }

  /** Ends what goes on in the background. Stores call this when they close. */
  public void close() {
    deliveries.close();
    reclaimer.close();
  }

  /** Returns how many expired entries were reclaimed since the store was opened. */
  public long reclaimedEntries() {
    return reclaimer.reclaimed();
  }

  /** Returns how many subscriptions there are. */
  public int subscriptions() {
    return deliveries.count();
  }

  /** Returns how many subscriptions have ended by themselves since the store was opened. */
  public long endedSubscriptions() {
    return deliveries.ended();
  }

  /**
   * Returns how many changes the slowest subscription has not taken that are committed.
   *
   * @param word reads a word of the region, whoever writes it
   */
  public long subscriptionLag(LongUnaryOperator word) {
    return deliveries.lag(word);
  }

  /** Returns the collections that belong to objects. */
  public ObjectCollections ofObjects() {
    return ofObjects;
  }

  /** Returns the structures as bytes, for exports and imports. */
  public RawCollections raw() {
    return new RawCollections(transactions, catalogue, shapes);
  }

  /** Returns what checks the classes of a program against the types of the store. */
  public SchemaCheck schemaCheck(Tx tx) {
    return new SchemaCheck(registry, StoredShapes.texts(transactions.use(tx, this)));
  }

  /** Returns the shapes of the records, enums and sealed interfaces that the store holds. */
  public StoredShapes shapes() {
    return shapes;
  }

  /**
   * Opens a map, or creates it in a transaction of its own. Do not call it in a body.
   *
   * <p>The transactions of a map change its indexes. An index that the map does not have yet is
   * built, in transactions of some entries each, before this returns; if the program ends
   * meanwhile, the next opening continues. If an entry cannot be in it, the index is dropped and
   * the reason thrown.
   *
   * @param name 1 to 255 characters
   * @param options all indexes that the map has, and those that it is to have; whether its entries
   *     expire; whether it is to have a change journal
   * @throws CollectionMismatchException if the name stands for something else, or the map has an
   *     index that is not among {@code options}, or is another one there
   * @throws UniqueIndexException if two entries have one key in a unique index that is built
   */
  public <K, V> PersistentMap<K, V> map(
      String name, Codec<K> keys, Codec<V> values, MapOption<? super V>[] options) {
    Codec<K> boundKeys = CodecContract.bind(keys, keyShapes);
    Codec<V> boundValues = CodecContract.bind(values, shapes);
    IndexOpening<K, V> declared = new IndexOpening<>(transactions, catalogue, boundKeys);
    MapExpiry expiry = declare(name, declared, options);
    String type = PersistentMap.type(boundKeys, boundValues, expiry);
    int valueLength = PersistentMap.valueLength(boundValues, expiry);
    FoundCollection found =
        catalogue.open(
            name, type, new NewTable(declared, name, boundKeys.fixedLength(), valueLength));
    PersistentMap<K, V> map;
    if (isPlain(found, type) && !declared.isDeclared()) {
      map =
          new PersistentMap<>(
              transactions, found, boundKeys, boundValues, EntryChanges.none(), expiry);
    } else {
      IndexOpening.Opened<K, V> opened = declared.open(name);
      map =
          new PersistentMap<>(
              transactions,
              opened.map(),
              boundKeys,
              boundValues,
              EntryChanges.of(indexes(opened), journal(opened.journal())),
              expiry);
      build(map, opened.indexes());
    }
    reclaimInBackground(map);
    return map;
  }

  private record NewTable(IndexOpening<?, ?> declared, String name, int keyLength, int valueLength)
      implements Catalogue.Creator {
    @Override
    public long create(Words words, long incarnation) {
      declared.requireNames(words, name);
      return HashTable.create(words, incarnation, keyLength, valueLength);
    }
  }

  private record NewTree(IndexOpening<?, ?> declared, String name, int keyLength, int valueLength)
      implements Catalogue.Creator {
    @Override
    public long create(Words words, long incarnation) {
      declared.requireNames(words, name);
      return Tree.create(words, incarnation, keyLength, valueLength);
    }
  }

  /** Declares the indexes and the journal among options; returns the expiry, or null. */
  private <K, V> @Nullable MapExpiry declare(
      String name, IndexOpening<K, V> declared, MapOption<? super V>[] options) {
    MapExpiry expiry = null;
    for (MapOption<? super V> option : options) {
      switch (option) {
        case Index<? super V, ?> index -> declared.declare(name, of(index), codecs, keyShapes);
        case Expiry each -> {
          if (expiry != null) {
            throw new IllegalArgumentException("\"" + name + "\" is given two expiries");
          }
          expiry = expiry(each);
        }
        case ChangeJournal journal -> declared.declare(name, journal);
      }
    }
    return expiry;
  }

  private void reclaimInBackground(KeyedCollection<?, ?> map) {
    if (map.expires() && !transactions.isReadOnly()) {
      map.expiry().reclaimInBackground();
    }
  }

  /** Returns whether a map has neither an index nor a journal; refuses one of another type. */
  private static boolean isPlain(FoundCollection found, String type) {
    boolean isOfType = IndexCatalogue.plain(found.type()).equals(type);
    requireType(found, isOfType ? found.type() : type);
    return found.type().equals(type);
  }

  private static <K, V> @Nullable MapIndexes<K, V> indexes(IndexOpening.Opened<K, V> opened) {
    return opened.indexes().isEmpty() ? null : new MapIndexes<>(opened.indexes());
  }

  /**
   * Builds what is not whole yet of a map's indexes. In a store that is open for reading only they
   * stay as they are, and are not searched.
   */
  private <K, V> void build(KeyedCollection<K, V> map, List<MaintainedIndex<V, ?, K>> indexes) {
    if (transactions.isReadOnly()) {
      return;
    }
    for (MaintainedIndex<V, ?, K> index : indexes) {
      if (!index.isFinished()) {
        new IndexBuild<>(transactions, catalogue, map, index).run();
      }
    }
  }

  private @Nullable MapJournal journal(@Nullable StoredJournal stored) {
    return stored == null ? null : new MapJournal(stored, deliveries);
  }

  /** An index takes values only as arguments of its function. */
  @SuppressWarnings("unchecked")
  private static <V, X> Index<V, X> of(Index<? super V, X> index) {
    return (Index<V, X>) index;
  }

  private MapExpiry expiry(Expiry declaration) {
    return new MapExpiry(declaration, clock, reclaimer, programLog);
  }

  /**
   * A cache that was opened.
   *
   * @param evictedBefore how many entries it had evicted before
   */
  private record OpenCache(CacheState state, long evictedBefore) {}

  /** Most entries that one transaction evicts when a cache gets a lower bound. */
  private static final int EVICTED_AT_ONCE = 64;

  /** An entry of a cache of which only the memory is bounded takes so much, about. */
  private static final int ASSUMED_BYTES = 128;

  private static final long NO_IMAGE = 0;

  /**
   * Opens a cache, or creates it in a transaction of its own. Do not call it in a body.
   *
   * <p>If the store has it with another bound, it gets the bound of the options. A lower one evicts
   * entries, in transactions of some each, before this returns; if the program ends meanwhile, the
   * bound is between the two.
   *
   * @param name 1 to 255 characters
   * @throws CollectionMismatchException if the name stands for something else
   */
  public <K, V> PersistentCache<K, V> cache(
      String name, Codec<K> keys, Codec<V> values, CacheOptions options) {
    Codec<K> boundKeys = CodecContract.bind(keys, keyShapes);
    Codec<V> boundValues = CodecContract.bind(values, shapes);
    MapExpiry expiry = options.expiry() == null ? null : expiry(options.expiry());
    IndexOpening<K, V> declared = new IndexOpening<>(transactions, catalogue, boundKeys);
    if (options.journal() != null) {
      declared.declare(name, options.journal());
    }
    String type = PersistentCache.type(PersistentMap.type(boundKeys, boundValues, expiry));
    int valueLength = PersistentMap.valueLength(boundValues, expiry);
    FoundCollection found =
        catalogue.open(
            name,
            type,
            (words, incarnation) -> {
              declared.requireNames(words, name);
              return HashTable.createBounded(
                  words,
                  incarnation,
                  boundKeys.fixedLength(),
                  valueLength,
                  options.maxBytes(),
                  options.maxEntries());
            });
    EntryChanges<K, V> changes = EntryChanges.none();
    if (!isPlain(found, type) || declared.isDeclared()) {
      IndexOpening.Opened<K, V> opened = declared.open(name);
      found = opened.map();
      changes = EntryChanges.of(null, journal(opened.journal()));
    }
    OpenCache open = openCache(found, options);
    PersistentMap<K, V> map =
        new PersistentMap<>(
            transactions, found, boundKeys, boundValues, changes, expiry, open.state());
    if (!transactions.isReadOnly()) {
      moveBound(map, options, open.state().policy().sketch().words());
    }
    reclaimInBackground(map);
    Duration afterAccess = options.afterAccess();
    long accessMillis = afterAccess == null ? 0 : afterAccess.toMillis();
    return new PersistentCache<>(map, open.state(), accessMillis, open.evictedBefore());
  }

  private OpenCache openCache(FoundCollection found, CacheOptions options) {
    OpenCache open = caches.get(found.incarnation());
    if (open != null) {
      return open;
    }
    long entries = Math.min(options.maxEntries(), options.maxBytes() / ASSUMED_BYTES);
    FrequencySketch sketch = new FrequencySketch(FrequencySketch.words(entries));
    TableBound bound =
        Objects.requireNonNull(HashTable.of(found, Codec.VARIABLE, Codec.VARIABLE).bound());
    long evicted = transactions.read(tx -> bound.evictions(transactions.use(tx, catalogue)));
    OpenCache made = new OpenCache(new CacheState(sketch, transactions.execution()), evicted);
    OpenCache other = caches.putIfAbsent(found.incarnation(), made);
    return other == null ? made : other;
  }

  /** Moves the bound of a cache to that of the options. */
  private void moveBound(PersistentMap<?, ?> map, CacheOptions options, int sketchWords) {
    TableBound bound = map.eviction().bound();
    boolean isMoved =
        transactions.read(
            tx ->
                bound.isSet(map.words(tx), options.maxBytes(), options.maxEntries(), sketchWords));
    while (!isMoved) {
      isMoved =
          transactions.call(
              TxOptions.async(),
              tx -> {
                Words words = map.words(tx);
                bound.sketchWords(words, sketchWords);
                for (int i = 0; i < EVICTED_AT_ONCE; i++) {
                  if (bound.move(words, options.maxBytes(), options.maxEntries())
                      || map.eviction().evict(words, NO_IMAGE) == MapEviction.Room.NONE) {
                    break;
                  }
                }
                return bound.move(words, options.maxBytes(), options.maxEntries());
              });
    }
  }

  /** Opens or creates a cache by classes. */
  public <K, V> PersistentCache<K, V> cache(
      String name, Class<K> keys, Class<V> values, CacheOptions options) {
    return cache(name, codecs.of(name, "keys", keys), codecs.of(name, "values", values), options);
  }

  /**
   * Opens a map that is there, to read it, whatever indexes it has.
   *
   * @throws CollectionMismatchException if there is none of that name and type
   */
  public <K, V> PersistentMap<K, V> mapToRead(String name, Codec<K> keys, Codec<V> values) {
    Codec<K> boundKeys = CodecContract.bind(keys, keyShapes);
    Codec<V> boundValues = CodecContract.bind(values, shapes);
    return transactions.readDurable(tx -> toRead(tx, name, boundKeys, boundValues));
  }

  private <K, V> PersistentMap<K, V> toRead(Tx tx, String name, Codec<K> keys, Codec<V> values) {
    Words words = transactions.use(tx, catalogue);
    FoundCollection found = findToRead(words, name);
    String type = PersistentMap.type(keys, values, null);
    String stored = TableBound.unbounded(IndexCatalogue.plain(found.type()));
    boolean expires = stored.equals(MapExpiry.expiring(type));
    requireType(found, expires || stored.equals(type) ? found.type() : type);
    return new PersistentMap<>(
        transactions,
        found,
        keys,
        values,
        EntryChanges.of(unknownIndexes(words, name, "map"), journalToRead(words, name)),
        expires ? expiry(Expiry.perEntry()) : null);
  }

  private @Nullable MapJournal journalToRead(Words words, String name) {
    FoundCollection found = IndexCatalogue.journal(catalogue, words, name);
    return found == null ? null : journal(new StoredJournal(found));
  }

  private <K, V> MapIndexes<K, V> unknownIndexes(Words words, String name, String opening) {
    String refusal = refusal(words, name, opening);
    return MapIndexes.unknown(() -> new CollectionMismatchException(refusal));
  }

  /** Returns why a map that was opened to read is not changed. */
  private String refusal(Words words, String name, String opening) {
    List<String> indexes =
        IndexCatalogue.of(catalogue, words, name).stream()
            .map(index -> '"' + IndexCatalogue.indexName(index) + '"')
            .toList();
    return "\"%s\" was opened to read%s"
        .formatted(
            name,
            indexes.isEmpty()
                ? "; open it by Store." + opening + " to change it"
                : ", and only the program that declares its "
                    + (indexes.size() == 1 ? "index " : "indexes ")
                    + String.join(", ", indexes)
                    + " can change it: an index follows a change by the function of its"
                    + " declaration, which the store does not have");
  }

  /** Like {@link #mapToRead}, for a map whose keys are in order. */
  public <K, V> PersistentSortedMap<K, V> sortedMapToRead(
      String name, OrderedCodec<K> keys, Codec<V> values) {
    OrderedCodec<K> boundKeys = CodecContract.bind(keys, keyShapes);
    Codec<V> boundValues = CodecContract.bind(values, shapes);
    return transactions.readDurable(tx -> sortedToRead(tx, name, boundKeys, boundValues));
  }

  private <K, V> PersistentSortedMap<K, V> sortedToRead(
      Tx tx, String name, OrderedCodec<K> keys, Codec<V> values) {
    Words words = transactions.use(tx, catalogue);
    FoundCollection found = findToRead(words, name);
    String type = PersistentSortedMap.type(keys, values, null);
    String stored = IndexCatalogue.plain(found.type());
    boolean expires = stored.equals(MapExpiry.expiring(type));
    requireType(found, expires || stored.equals(type) ? found.type() : type);
    MapIndexes<K, V> unknown = unknownIndexes(words, name, "sortedMap");
    return new PersistentSortedMap<>(
        transactions,
        found,
        keys,
        values,
        EntryChanges.of(unknown, journalToRead(words, name)),
        expires ? expiry(Expiry.perEntry()) : null,
        null);
  }

  private FoundCollection findToRead(Words words, String name) {
    FoundCollection found = catalogue.find(words, name);
    if (found == null) {
      throw new CollectionMismatchException("there is no \"" + name + "\" in this store");
    }
    return found;
  }

  /** Opens or creates a map by classes; see {@link #map(String, Codec, Codec, MapOption[])}. */
  public <K, V> PersistentMap<K, V> map(
      String name, Class<K> keys, Class<V> values, MapOption<? super V>[] options) {
    return map(name, codecs.of(name, "keys", keys), codecs.of(name, "values", values), options);
  }

  /**
   * Opens or creates a map whose keys are in order; see {@link #map(String, Codec, Codec,
   * MapOption[])}.
   */
  public <K, V> PersistentSortedMap<K, V> sortedMap(
      String name, OrderedCodec<K> keys, Codec<V> values, MapOption<? super V>[] options) {
    OrderedCodec<K> boundKeys = CodecContract.bind(keys, keyShapes);
    Codec<V> boundValues = CodecContract.bind(values, shapes);
    IndexOpening<K, V> declared = new IndexOpening<>(transactions, catalogue, boundKeys);
    MapExpiry expiry = declare(name, declared, options);
    String type = PersistentSortedMap.type(boundKeys, boundValues, expiry);
    int valueLength = MapExpiry.valueLength(boundValues.fixedLength(), expiry);
    FoundCollection found =
        catalogue.open(
            name, type, new NewTree(declared, name, boundKeys.fixedLength(), valueLength));
    PersistentSortedMap<K, V> map;
    if (isPlain(found, type) && !declared.isDeclared()) {
      map =
          new PersistentSortedMap<>(
              transactions, found, boundKeys, boundValues, EntryChanges.none(), expiry, null);
    } else {
      IndexOpening.Opened<K, V> opened = declared.open(name);
      map =
          new PersistentSortedMap<>(
              transactions,
              opened.map(),
              boundKeys,
              boundValues,
              EntryChanges.of(indexes(opened), journal(opened.journal())),
              expiry,
              null);
      build(map, opened.indexes());
    }
    reclaimInBackground(map);
    return map;
  }

  /** Opens or creates a map by classes; see {@link #map(String, Codec, Codec, MapOption[])}. */
  public <K, V> PersistentSortedMap<K, V> sortedMap(
      String name, Class<K> keys, Class<V> values, MapOption<? super V>[] options) {
    return sortedMap(
        name, codecs.ordered(name, "keys", keys), codecs.of(name, "values", values), options);
  }

  /** Opens or creates a map from keys to many values each. */
  public <K, V> PersistentMultimap<K, V> multimap(
      String name, OrderedCodec<K> keys, OrderedCodec<V> values, ChangeJournal... journals) {
    OrderedCodec<K> boundKeys = CodecContract.bind(keys, keyShapes);
    OrderedCodec<V> boundValues = CodecContract.bind(values, keyShapes);
    OrderedCodec<Pair<K, V>> pairs = PersistentMultimap.codec(boundKeys, boundValues);
    WithJournal opened =
        open(
            name,
            PersistentMultimap.type(boundKeys, boundValues),
            pairs,
            journals,
            (words, incarnation) ->
                Tree.create(
                    words,
                    incarnation,
                    pairs.fixedLength(),
                    PersistentMultimap.PRESENT.fixedLength()));
    return new PersistentMultimap<>(transactions, opened.found(), pairs, opened.journal());
  }

  /** A collection without indexes, and its journal if it has one. */
  private record WithJournal(FoundCollection found, @Nullable MapJournal journal) {}

  private WithJournal open(
      String name,
      String type,
      Codec<?> keys,
      ChangeJournal[] journals,
      Catalogue.Creator creator) {
    IndexOpening<?, ?> declared = new IndexOpening<>(transactions, catalogue, keys);
    for (ChangeJournal journal : journals) {
      declared.declare(name, journal);
    }
    FoundCollection found =
        catalogue.open(
            name,
            type,
            (words, incarnation) -> {
              declared.requireNames(words, name);
              return creator.create(words, incarnation);
            });
    if (isPlain(found, type) && !declared.isDeclared()) {
      return new WithJournal(found, null);
    }
    IndexOpening.Opened<?, ?> opened = declared.open(name);
    return new WithJournal(opened.map(), journal(opened.journal()));
  }

  /** Opens or creates a multimap by classes. */
  public <K, V> PersistentMultimap<K, V> multimap(
      String name, Class<K> keys, Class<V> values, ChangeJournal... journals) {
    return multimap(
        name, codecs.ordered(name, "keys", keys), codecs.ordered(name, "values", values), journals);
  }

  /** Opens or creates a set; see {@link #map(String, Codec, Codec, MapOption[])}. */
  public <E> PersistentSet<E> set(String name, Codec<E> elements, ChangeJournal... journals) {
    Codec<E> boundElements = CodecContract.bind(elements, keyShapes);
    WithJournal opened =
        open(
            name,
            PersistentSet.type(boundElements, null),
            boundElements,
            journals,
            (words, incarnation) ->
                HashTable.create(words, incarnation, boundElements.fixedLength(), 0));
    return new PersistentSet<>(transactions, opened.found(), boundElements, opened.journal(), null);
  }

  /** Opens or creates a set whose elements expire. */
  public <E> PersistentSet<E> set(String name, Codec<E> elements, Expiry declaration) {
    Codec<E> boundElements = CodecContract.bind(elements, keyShapes);
    MapExpiry expiry = expiry(declaration);
    int valueLength = PersistentSet.valueLength(expiry);
    PersistentSet<E> set =
        new PersistentSet<>(
            transactions,
            open(
                name,
                PersistentSet.type(boundElements, expiry),
                (words, incarnation) ->
                    HashTable.create(words, incarnation, boundElements.fixedLength(), valueLength)),
            boundElements,
            null,
            expiry);
    if (!transactions.isReadOnly()) {
      set.reclaimInBackground();
    }
    return set;
  }

  /** Opens or creates a set by a class whose elements expire. */
  public <E> PersistentSet<E> set(String name, Class<E> elements, Expiry expiry) {
    return set(name, codecs.of(name, "elements", elements), expiry);
  }

  /** Opens or creates a set by a class; see {@link #map(String, Codec, Codec, MapOption[])}. */
  public <E> PersistentSet<E> set(String name, Class<E> elements, ChangeJournal... journals) {
    return set(name, codecs.of(name, "elements", elements), journals);
  }

  /** Opens or creates a list; see {@link #map(String, Codec, Codec, MapOption[])}. */
  public <E> PersistentList<E> list(String name, Codec<E> elements, ChangeJournal... journals) {
    Codec<E> boundElements = CodecContract.bind(elements, shapes);
    WithJournal opened =
        open(
            name,
            PersistentList.type(boundElements),
            boundElements,
            journals,
            (words, incarnation) ->
                PersistentList.create(words, incarnation, boundElements.fixedLength()));
    return new PersistentList<>(transactions, opened.found(), boundElements, opened.journal());
  }

  /** Opens or creates a list by a class; see {@link #map(String, Codec, Codec, MapOption[])}. */
  public <E> PersistentList<E> list(String name, Class<E> elements, ChangeJournal... journals) {
    return list(name, codecs.of(name, "elements", elements), journals);
  }

  /** Opens or creates a queue; see {@link #map(String, Codec, Codec, MapOption[])}. */
  public <E> PersistentQueue<E> queue(String name, Codec<E> elements, ChangeJournal... journals) {
    Codec<E> boundElements = CodecContract.bind(elements, shapes);
    WithJournal opened =
        open(
            name,
            PersistentQueue.type(boundElements),
            boundElements,
            journals,
            (words, incarnation) ->
                PersistentQueue.create(words, incarnation, boundElements.fixedLength()));
    return new PersistentQueue<>(transactions, opened.found(), boundElements, opened.journal());
  }

  /** Opens or creates a queue by a class; see {@link #map(String, Codec, Codec, MapOption[])}. */
  public <E> PersistentQueue<E> queue(String name, Class<E> elements, ChangeJournal... journals) {
    return queue(name, codecs.of(name, "elements", elements), journals);
  }

  /**
   * Opens or creates a number that many add to; see {@link #map(String, Codec, Codec,
   * MapOption[])}.
   */
  public PersistentCounter counter(String name) {
    return new PersistentCounter(
        transactions, open(name, PersistentCounter.KIND, PersistentCounter::create));
  }

  /** Opens or creates a sequence of bytes; see {@link #map(String, Codec, Codec, MapOption[])}. */
  public PersistentBlob blob(String name) {
    return new PersistentBlob(
        transactions, open(name, PersistentBlob.KIND, PersistentBlob::create));
  }

  /** Returns the names of all collections, in their order, with what each is. */
  public SortedMap<String, String> names(Tx tx) {
    SortedMap<String, String> all = new TreeMap<>();
    catalogue.list(tx).forEach(found -> all.put(found.name(), found.type()));
    return all;
  }

  /**
   * Drops a collection with all it holds, its indexes and its journal, in one transaction, which
   * goes through all of it. An index has the name of its map, "/", and its own name; a journal has
   * that of its map and "/changes".
   *
   * @return whether there was one of that name
   */
  public boolean drop(String name) {
    return transactions.call(
        tx -> {
          FoundCollection found = catalogue.find(tx, name);
          if (found == null) {
            return false;
          }
          Words words = transactions.use(tx, catalogue);
          IndexCatalogue.of(catalogue, words, name).forEach(index -> drop(words, index));
          FoundCollection journal = IndexCatalogue.journal(catalogue, words, name);
          if (journal != null) {
            drop(words, journal);
          }
          drop(words, found);
          if (IndexCatalogue.isIndex(found) || JournalNames.isJournal(found)) {
            IndexCatalogue.dropped(catalogue, words, found);
          }
          return true;
        });
  }

  private void drop(Words words, FoundCollection found) {
    catalogue.remove(words, found.name());
    CollectionBlocks.drop(words, found);
  }

  private FoundCollection open(String name, String type, Catalogue.Creator creator) {
    FoundCollection found = catalogue.open(name, type, creator);
    requireType(found, type);
    return found;
  }

  private static void requireType(FoundCollection found, String type) {
    String name = found.name();
    if (!found.type().equals(type)) {
      throw CollectionMismatchException.ofType(name, found.type(), type);
    }
    if (found.magic() == HashTableLayout.FORMER_MAGIC) {
      throw formerHash(found);
    }
  }

  static CollectionMismatchException formerHash(FoundCollection found) {
    return new CollectionMismatchException(
        "\""
            + found.name()
            + "\" was made by a former build of Howdah, whose hash this one does not have; copy its"
            + " entries with that build, or drop it");
  }
}
