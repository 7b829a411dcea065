package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.core.Region;
import io.howdah.core.storage.file.Regions;
import io.howdah.testkit.disk.ForwardingRegion;
import io.howdah.testkit.schedule.SystemThreads;
import io.howdah.txn.Tx;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Operations on several keys first read what each of them will need, and nothing else: the cache
 * lines of the region, in the order in which they are read.
 */
final class LoadedAheadTest {

  private static final int CAPACITY = 1 << 25;
  private static final int KEYS = 12_000;
  private static final int LINE_SHIFT = 6;

  /** As many keys as are loaded at a time. */
  private static final int GROUP = 16;

  private final Watched region = new Watched(Regions.anonymous(CAPACITY));
  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults()
              .withMaxSize(CAPACITY)
              .withPartitions(1)
              .withOrecs(1 << 16)
              .withExecution(new SameHashes()),
          region);

  @AfterEach
  void close() {
    store.close();
  }

  /** Hashes of keys are the same in each run, and so is where entries are. */
  private static final class SameHashes extends SystemThreads {
    private final AtomicLong drawn = new AtomicLong(1);

    @Override
    public Thread start(String name, Runnable body) {
      return system.start(name, body);
    }

    @Override
    public long randomLong() {
      return drawn.getAndAdd(0x9E3779B97F4A7C15L);
    }
  }

  /** Notes the lines of words that the test's thread reads. */
  private static final class Watched extends ForwardingRegion {
    private final Thread watched = Thread.currentThread();
    private @Nullable Set<Long> lines;

    /** Where the reads of {@code TreeGroup} go, if those of others go elsewhere. */
    private @Nullable Set<Long> linesOfGroup;

    Watched(Region memory) {
      super(memory);
    }

    private void note(long address) {
      Set<Long> lines = Thread.currentThread().equals(watched) ? this.lines : null;
      if (lines != null) {
        Set<Long> ofGroup = linesOfGroup;
        (ofGroup != null && isInGroup() ? ofGroup : lines).add(address >>> LINE_SHIFT);
      }
    }

    private static boolean isInGroup() {
      return StackWalker.getInstance()
          .walk(frames -> frames.anyMatch(frame -> frame.getClassName().endsWith("TreeGroup")));
    }

    @Override
    public long getLong(long address) {
      note(address);
      return super.getLong(address);
    }

    @Override
    public long getLongOpaque(long address) {
      note(address);
      return super.getLongOpaque(address);
    }

    @Override
    public long getLongAcquire(long address) {
      note(address);
      return super.getLongAcquire(address);
    }

    @Override
    public long getLongVolatile(long address) {
      note(address);
      return super.getLongVolatile(address);
    }
  }

  /** A codec that tells when it encodes. */
  private record Told<T>(OrderedCodec<T> codec, Runnable told) implements OrderedCodec<T> {
    @Override
    public String name() {
      return codec.name();
    }

    @Override
    public int fixedLength() {
      return codec.fixedLength();
    }

    @Override
    public void encode(T value, Encoder out) {
      told.run();
      codec.encode(value, out);
    }

    @Override
    public T decode(Decoder in) {
      return codec.decode(in);
    }
  }

  private final Set<Long> ahead = new HashSet<>();
  private final Set<Long> used = new HashSet<>();
  private int encoded;

  /**
   * Keys are encoded to be loaded ahead, and again by the operation on each of them, unless a
   * sorted map takes them all.
   */
  private void encodes() {
    if (region.lines != null && region.linesOfGroup == null) {
      encoded++;
      region.lines = encoded <= GROUP ? ahead : used;
    }
  }

  /** The kinds of maps, of keys and of values: each leads to other words. */
  enum Kind {
    NUMBERS_OF_NUMBERS(false, false),
    TEXTS_OF_NUMBERS(false, true),
    NUMBERS_OF_TEXTS(true, false);

    private final boolean hasTextKeys;
    private final boolean hasTextValues;

    Kind(boolean hasTextKeys, boolean hasTextValues) {
      this.hasTextKeys = hasTextKeys;
      this.hasTextValues = hasTextValues;
    }
  }

  /** What is done with several keys. */
  enum Operation {
    GET_ALL {
      @Override
      <K, V> void run(KeyedCollection<K, V> map, Tx tx, List<K> keys, V value) {
        assertThat(map.getAll(tx, keys)).hasSize(keys.size());
      }
    },
    PUT_ALL {
      @Override
      <K, V> void run(KeyedCollection<K, V> map, Tx tx, List<K> keys, V value) {
        Map<K, V> entries = new LinkedHashMap<>();
        keys.forEach(key -> entries.put(key, value));
        map.putAll(tx, entries);
      }
    },
    REMOVE_ALL {
      @Override
      <K, V> void run(KeyedCollection<K, V> map, Tx tx, List<K> keys, V value) {
        assertThat(map.removeAll(tx, keys)).isEqualTo(keys.size());
      }
    };

    abstract <K, V> void run(KeyedCollection<K, V> map, Tx tx, List<K> keys, V value);
  }

  /**
   * How many lines were read ahead or by the operations alone, of those that both read.
   *
   * @param missing read by the operations, and not ahead
   * @param needless read ahead, and not by the operations: they go to the leaves of a sorted map
   *     without the inner nodes that led there, and to an entry that was found in its leaf without
   *     the leaf
   * @param both read by both
   */
  private record Lines(int missing, int needless, int both) {}

  private Lines measure(Operation operation, boolean isSorted, Kind kind, int entries) {
    return kind.hasTextKeys
        ? withValues(
            operation, isSorted, kind, Codec.utf8(), "the key of number %08d"::formatted, entries)
        : withValues(operation, isSorted, kind, Codec.int64(), n -> n, entries);
  }

  private <K> Lines withValues(
      Operation operation,
      boolean isSorted,
      Kind kind,
      OrderedCodec<K> keys,
      LongFunction<K> key,
      int entries) {
    OrderedCodec<K> told = new Told<>(keys, this::encodes);
    return kind.hasTextValues
        ? measure(
            operation,
            open(isSorted, told, Codec.utf8()),
            key,
            "the value of number %08d, of some length"::formatted,
            entries)
        : measure(operation, open(isSorted, told, Codec.int64()), key, n -> n, entries);
  }

  private <K, V> KeyedCollection<K, V> open(
      boolean isSorted, OrderedCodec<K> keys, Codec<V> values) {
    return isSorted ? store.sortedMap("map", keys, values) : store.map("map", keys, values);
  }

  private <K, V> Lines measure(
      Operation operation,
      KeyedCollection<K, V> map,
      LongFunction<K> key,
      LongFunction<V> value,
      int entries) {
    for (long at = entries; at > 0; at -= 100) {
      long from = at;
      store.run(
          tx -> {
            for (long n = from - 1; n >= from - 100; n--) {
              map.put(tx, key.apply(n), value.apply(n));
            }
          });
    }
    List<K> keys =
        LongStream.range(0, GROUP)
            .mapToObj(n -> key.apply((17 + n * 701) % entries))
            .toList()
            .reversed(); // a sorted map finds the leaf of keys that ascend before it loads others
    boolean isBatch = operation == Operation.PUT_ALL && map instanceof PersistentSortedMap;
    store.run(
        tx -> {
          region.linesOfGroup = isBatch ? ahead : null;
          region.lines = isBatch ? used : ahead;
          operation.run(map, tx, keys, value.apply(1));
          region.lines = null;
        });
    Set<Long> both = new HashSet<>(ahead);
    both.retainAll(used);
    return new Lines(used.size() - both.size(), ahead.size() - both.size(), both.size());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
"""
GET_ALL | false | NUMBERS_OF_NUMBERS | 6 | 5 | 46
GET_ALL | false | TEXTS_OF_NUMBERS | 6 | 1 | 46
GET_ALL | false | NUMBERS_OF_TEXTS | 0 | 4 | 58
GET_ALL | true | NUMBERS_OF_NUMBERS | 2 | 251 | 17
GET_ALL | true | TEXTS_OF_NUMBERS | 9 | 262 | 27
GET_ALL | true | NUMBERS_OF_TEXTS | 9 | 263 | 177
PUT_ALL | false | NUMBERS_OF_NUMBERS | 6 | 1 | 46
PUT_ALL | false | TEXTS_OF_NUMBERS | 6 | 1 | 46
PUT_ALL | false | NUMBERS_OF_TEXTS | 0 | 0 | 58
PUT_ALL | true | NUMBERS_OF_NUMBERS | 0 | 251 | 17
PUT_ALL | true | TEXTS_OF_NUMBERS | 9 | 272 | 17
PUT_ALL | true | NUMBERS_OF_TEXTS | 0 | 263 | 177
REMOVE_ALL | false | NUMBERS_OF_NUMBERS | 35 | 0 | 47
REMOVE_ALL | true | NUMBERS_OF_NUMBERS | 1 | 166 | 145
REMOVE_ALL | true | TEXTS_OF_NUMBERS | 14 | 125 | 164
REMOVE_ALL | true | NUMBERS_OF_TEXTS | 1 | 263 | 177
""")
  void whatSeveralKeysLeadToIsReadBeforeTheFirstOfThem(
      Operation operation, boolean isSorted, Kind kind, int missing, int needless, int both) {
    Lines lines = measure(operation, isSorted, kind, KEYS);
    boolean isBatch = region.linesOfGroup != null;
    assertThat(encoded).isGreaterThanOrEqualTo(isBatch ? 0 : 2 * GROUP);
    assertThat(lines.missing).as("%s", lines).isLessThanOrEqualTo(missing);
    assertThat(lines.needless).as("%s", lines).isLessThanOrEqualTo(needless);
    assertThat(lines.both).as("%s", lines).isGreaterThanOrEqualTo(both);
  }

  /** A codec of values that tells when it decodes one. */
  private record Shown(Runnable told) implements Codec<String> {
    @Override
    public String name() {
      return Codec.utf8().name();
    }

    @Override
    public void encode(String value, Encoder out) {
      Codec.utf8().encode(value, out);
    }

    @Override
    public String decode(Decoder in) {
      told.run();
      return Codec.utf8().decode(in);
    }
  }

  private int linesBefore;
  private int elements;
  private int waits;

  /** Counts the elements for which lines were read that none before had read. */
  private void shows() {
    if (region.lines != null) {
      elements++;
      waits += used.size() > linesBefore ? 1 : 0;
      linesBefore = used.size();
    }
  }

  /** Most elements of a range are read together with others. */
  @ParameterizedTest
  @CsvSource({
    "true, 1, 1, 5",
    "true, 2, 2, 65",
    "true, 6, 2, 65",
    "true, 40, 4, 257",
    "true, 600, 33, 2113",
    "false, 1, 1, 5",
    "false, 2, 2, 65",
    "false, 6, 3, 148",
    "false, 40, 4, 213",
    "false, 600, 34, 2137"
  })
  void mostElementsOfARangeAreReadWithOthers(
      boolean isAscending, int count, int mostWaits, int mostLines) {
    PersistentSortedMap<Long, String> map =
        store.sortedMap("map", Codec.int64(), new Shown(this::shows));
    String value = "a value of one line and of a part of another one: that is two lines";
    for (long at = 0; at < 2000; at += 100) {
      long from = at;
      store.run(
          tx -> {
            for (long n = from; n < from + 100; n++) {
              // An order in which neighbours are in no block together.
              map.put(tx, n * 1009 % 2000, value);
            }
          });
    }
    store.run(
        tx -> {
          Stream<Map.Entry<Long, String>> entries =
              isAscending
                  ? map.range(tx, Range.from(700L))
                  : map.range(tx, Range.reversed(Range.upTo(700L)));
          Iterator<Map.Entry<Long, String>> walk = entries.iterator();
          region.lines = used;
          for (int i = 0; i < count; i++) {
            assertThat(walk.next().getKey()).isEqualTo(700L + (isAscending ? i : -i));
          }
          region.lines = null;
        });
    assertThat(elements).isEqualTo(count);
    assertThat(waits).as("lines %s", used.size()).isLessThanOrEqualTo(mostWaits);
    assertThat(used.size()).as("waits %s", waits).isLessThanOrEqualTo(mostLines);
  }

  /** Few entries are in the caches: their keys are encoded by the operations alone. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nothingIsReadAheadOfASmallMap(boolean isSorted) {
    Lines _ = measure(Operation.GET_ALL, isSorted, Kind.NUMBERS_OF_NUMBERS, 800);
    assertThat(encoded).isEqualTo(GROUP);
  }
}
