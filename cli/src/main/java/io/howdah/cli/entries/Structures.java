package io.howdah.cli.entries;

import static java.util.Objects.requireNonNull;

import io.howdah.Store;
import io.howdah.cli.catalogue.DataException;
import io.howdah.cli.catalogue.StructureType;
import io.howdah.cli.value.JsonValue;
import io.howdah.cli.value.NumberText;
import io.howdah.collections.EntryExpiry;
import io.howdah.collections.KeyedCollection;
import io.howdah.collections.PersistentBlob;
import io.howdah.collections.PersistentCounter;
import io.howdah.collections.PersistentList;
import io.howdah.collections.PersistentMultimap;
import io.howdah.collections.PersistentQueue;
import io.howdah.collections.PersistentSet;
import io.howdah.txn.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The structures of an open store, by name. */
final class Structures {

  private static final String KEY = "KEY";
  private static final String VALUE = "VALUE";
  private static final String INDEX = "INDEX";

  private Structures() {}

  /**
   * Opens a structure with the codecs that it was created with.
   *
   * @throws DataException if there is none of that name; names those that are like it
   */
  static Structure open(Store store, String name) {
    StructureType type = StructureType.of(store, name);
    return switch (type.kind()) {
      case MAP, SORTED_MAP -> ofMap(type, type.keyed(store, name));
      case MULTIMAP -> new OfMultimap(type, store.multimap(name, type.first(), type.second()));
      case SET -> new OfSet(type, type.set(store, name));
      case LIST -> new OfList(type, store.list(name, type.first()));
      case QUEUE -> new OfQueue(type, store.queue(name, type.first()));
      case COUNTER -> new OfCounter(store.counter(name));
      case BLOB -> new OfBlob(store.blob(name));
    };
  }

  private static Keyed ofMap(StructureType type, KeyedCollection<JsonValue, JsonValue> map) {
    return new Keyed(type, map, type.isExpiring() ? map.expiry() : null);
  }

  private static long number(String text, String what) {
    try {
      return NumberText.int64(text);
    } catch (IllegalArgumentException e) {
      throw new DataException(
          what + " is a whole number, not \"" + text + "\": " + e.getMessage(), e);
    }
  }

  /**
   * A map.
   *
   * @param expiry null if its entries do not expire
   */
  private record Keyed(
      StructureType type,
      KeyedCollection<JsonValue, JsonValue> map,
      @Nullable EntryExpiry<JsonValue, JsonValue> expiry)
      implements Structure {

    @Override
    public String kind() {
      return type.kind().title();
    }

    @Override
    public List<List<String>> getOperands() {
      return List.of(List.of(KEY));
    }

    @Override
    public List<List<String>> putOperands() {
      return List.of(List.of(KEY, VALUE));
    }

    @Override
    public List<List<String>> removeOperands() {
      return getOperands();
    }

    private JsonValue key(List<String> operands) {
      return type.first().parse(operands.getFirst());
    }

    @Override
    public @Nullable JsonValue get(Tx tx, List<String> operands) {
      return map.get(tx, key(operands));
    }

    @Override
    public void put(Tx tx, List<String> operands) {
      map.put(tx, key(operands), type.second().parse(operands.get(1)));
    }

    @Override
    public boolean isExpiring() {
      return expiry != null;
    }

    @Override
    public @Nullable Instant expiresAt(Tx tx, List<String> operands) {
      return requireNonNull(expiry).expiresAt(tx, key(operands));
    }

    @Override
    public void put(Tx tx, List<String> operands, Duration timeToLive) {
      JsonValue value = type.second().parse(operands.get(1));
      requireNonNull(expiry).put(tx, key(operands), value, timeToLive);
    }

    @Override
    public boolean remove(Tx tx, List<String> operands) {
      return map.remove(tx, key(operands));
    }
  }

  /** A multimap: all values of a key are shown, pairs are added and removed. */
  private record OfMultimap(StructureType type, PersistentMultimap<JsonValue, JsonValue> map)
      implements Structure {

    /** What is shown at once. */
    private static final int MAX_VALUES = 100_000;

    @Override
    public String kind() {
      return type.kind().title();
    }

    @Override
    public List<List<String>> getOperands() {
      return List.of(List.of(KEY));
    }

    @Override
    public List<List<String>> putOperands() {
      return List.of(List.of(KEY, VALUE));
    }

    @Override
    public List<List<String>> removeOperands() {
      return List.of(List.of(KEY, VALUE), List.of(KEY));
    }

    private JsonValue key(List<String> operands) {
      return type.first().parse(operands.getFirst());
    }

    private JsonValue value(List<String> operands) {
      return type.second().parse(operands.get(1));
    }

    @Override
    public @Nullable JsonValue get(Tx tx, List<String> operands) {
      List<JsonValue> values = map.page(tx, key(operands), null, MAX_VALUES + 1);
      if (values.size() > MAX_VALUES) {
        throw new DataException(
            "the key has more than %,d values; howdah dump writes all".formatted(MAX_VALUES));
      }
      return values.isEmpty() ? null : new JsonValue(values.stream().map(JsonValue::tree).toList());
    }

    @Override
    public void put(Tx tx, List<String> operands) {
      map.put(tx, key(operands), value(operands));
    }

    @Override
    public boolean remove(Tx tx, List<String> operands) {
      return operands.size() == 1
          ? map.removeAll(tx, key(operands)) > 0
          : map.remove(tx, key(operands), value(operands));
    }
  }

  private record OfSet(StructureType type, PersistentSet<JsonValue> set) implements Structure {

    @Override
    public String kind() {
      return type.kind().title();
    }

    @Override
    public List<List<String>> getOperands() {
      return List.of(List.of("ELEMENT"));
    }

    @Override
    public List<List<String>> putOperands() {
      return getOperands();
    }

    @Override
    public List<List<String>> removeOperands() {
      return getOperands();
    }

    private JsonValue element(List<String> operands) {
      return type.first().parse(operands.getFirst());
    }

    @Override
    public @Nullable JsonValue get(Tx tx, List<String> operands) {
      JsonValue element = element(operands);
      return set.contains(tx, element) ? element : null;
    }

    @Override
    public void put(Tx tx, List<String> operands) {
      set.add(tx, element(operands));
    }

    @Override
    public boolean isExpiring() {
      return type.isExpiring();
    }

    @Override
    public @Nullable Instant expiresAt(Tx tx, List<String> operands) {
      return set.expiry().expiresAt(tx, element(operands));
    }

    @Override
    public void put(Tx tx, List<String> operands, Duration timeToLive) {
      set.expiry().add(tx, element(operands), timeToLive);
    }

    @Override
    public boolean remove(Tx tx, List<String> operands) {
      return set.remove(tx, element(operands));
    }
  }

  private record OfList(StructureType type, PersistentList<JsonValue> list) implements Structure {

    @Override
    public String kind() {
      return type.kind().title();
    }

    @Override
    public List<List<String>> getOperands() {
      return List.of(List.of(INDEX));
    }

    @Override
    public List<List<String>> putOperands() {
      return List.of(List.of(VALUE), List.of(INDEX, VALUE));
    }

    @Override
    public List<List<String>> removeOperands() {
      return getOperands();
    }

    private boolean isThere(Tx tx, long index) {
      return index >= 0 && index < list.size(tx);
    }

    @Override
    public @Nullable JsonValue get(Tx tx, List<String> operands) {
      long index = number(operands.getFirst(), "an index");
      return isThere(tx, index) ? list.get(tx, index) : null;
    }

    @Override
    public void put(Tx tx, List<String> operands) {
      JsonValue value = type.first().parse(operands.getLast());
      if (operands.size() == 1) {
        list.add(tx, value);
        return;
      }
      long index = number(operands.getFirst(), "an index");
      if (!isThere(tx, index)) {
        throw new DataException(
            "the list has " + list.size(tx) + " elements, none of index " + index);
      }
      list.set(tx, index, value);
    }

    @Override
    public boolean remove(Tx tx, List<String> operands) {
      long index = number(operands.getFirst(), "an index");
      if (!isThere(tx, index)) {
        return false;
      }
      list.remove(tx, index);
      return true;
    }
  }

  /** A queue: the first element is seen and taken, others are added at the end. */
  private record OfQueue(StructureType type, PersistentQueue<JsonValue> queue)
      implements Structure {

    @Override
    public String kind() {
      return type.kind().title();
    }

    @Override
    public List<List<String>> getOperands() {
      return List.of(List.of());
    }

    @Override
    public List<List<String>> putOperands() {
      return List.of(List.of(VALUE));
    }

    @Override
    public List<List<String>> removeOperands() {
      return getOperands();
    }

    @Override
    public @Nullable JsonValue get(Tx tx, List<String> operands) {
      return queue.peek(tx);
    }

    @Override
    public void put(Tx tx, List<String> operands) {
      queue.add(tx, type.first().parse(operands.getFirst()));
    }

    @Override
    public boolean remove(Tx tx, List<String> operands) {
      return queue.poll(tx) != null;
    }
  }

  private record OfCounter(PersistentCounter counter) implements Structure {

    @Override
    public String kind() {
      return StructureType.Kind.COUNTER.title();
    }

    @Override
    public List<List<String>> getOperands() {
      return List.of(List.of());
    }

    @Override
    public List<List<String>> putOperands() {
      return List.of(List.of("NUMBER"));
    }

    @Override
    public List<List<String>> removeOperands() {
      return List.of();
    }

    @Override
    public JsonValue get(Tx tx, List<String> operands) {
      return new JsonValue(counter.get(tx));
    }

    @Override
    public void put(Tx tx, List<String> operands) {
      counter.add(tx, number(operands.getFirst(), "a counter") - counter.get(tx));
    }

    @Override
    public boolean remove(Tx tx, List<String> operands) {
      throw new DataException("nothing of a counter can be removed");
    }
  }

  /** A blob: bytes in hexadecimal digits. */
  private record OfBlob(PersistentBlob blob) implements Structure {

    private static final int MAX_BYTES = 8 << 20;

    @Override
    public String kind() {
      return StructureType.Kind.BLOB.title();
    }

    @Override
    public List<List<String>> getOperands() {
      return List.of(List.of("OFFSET", "LENGTH"));
    }

    @Override
    public List<List<String>> putOperands() {
      return List.of(List.of("OFFSET", "BYTES"));
    }

    @Override
    public List<List<String>> removeOperands() {
      return List.of();
    }

    @Override
    public JsonValue get(Tx tx, List<String> operands) {
      long offset = number(operands.get(0), "an offset");
      long length = number(operands.get(1), "a length");
      long end = blob.length(tx);
      if (offset < 0 || offset > end || length < 0 || length > Math.min(MAX_BYTES, end - offset)) {
        throw new DataException(
            "the blob has %,d bytes; at most %,d can be shown at once, from an offset in it"
                .formatted(end, MAX_BYTES));
      }
      return new JsonValue(HexFormat.of().formatHex(blob.read(tx, offset, (int) length)));
    }

    @Override
    public void put(Tx tx, List<String> operands) {
      long offset = number(operands.get(0), "an offset");
      byte[] bytes;
      try {
        bytes = HexFormat.of().parseHex(operands.get(1));
      } catch (IllegalArgumentException e) {
        throw new DataException("bytes are hexadecimal digits, two for each: " + e.getMessage(), e);
      }
      if (offset < 0 || offset > PersistentBlob.MAX_LENGTH - bytes.length) {
        throw new DataException("an offset is 0 to 2^44, not " + offset);
      }
      blob.write(tx, offset, bytes);
    }

    @Override
    public boolean remove(Tx tx, List<String> operands) {
      throw new DataException("nothing of a blob can be removed");
    }
  }

  /** Returns the ways to call, for messages: "KEY VALUE", "VALUE or INDEX VALUE", "nothing". */
  static String describe(List<List<String>> operands) {
    List<String> ways =
        operands.stream().map(way -> way.isEmpty() ? "nothing" : String.join(" ", way)).toList();
    return String.join(" or ", ways);
  }
}
