package io.howdah.objects;

import io.howdah.codec.Codec;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.collections.ObjectCollections;
import io.howdah.collections.structure.StoredNumbers;
import io.howdah.collections.structure.Tree;
import io.howdah.collections.structure.TreeCursor;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.SchemaChangeException;
import io.howdah.core.layout.ObjectHeaderLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.objects.TypeReader.Property;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The types of a store's objects: a tree in the region, from names to layouts, and the classes that
 * this process has made for them. Thread-safe.
 */
public final class PersistentTypes {

  private static final String TYPE = "what describes a type of objects";

  private final Transactions transactions;
  private final ObjectCollections collections;
  private final StoredLayouts layouts = new Layouts();

  // Read without the monitor: transactions do, one of which may be what all commits wait for.
  private final Map<Class<?>, PersistentType<?>> open = new ConcurrentHashMap<>();
  private final Map<String, PersistentType<?>> names = new ConcurrentHashMap<>();

  /** Creates the types of a store. Stores call this; programs use {@code Store}. */
  public PersistentTypes(Transactions transactions, ObjectCollections collections) {
    this.transactions = transactions;
    this.collections = collections;
  }

  /** What an interface says, and the layout its objects get. */
  private record Plan(List<Property> properties, ObjectLayout layout) {}

  /** Opens a type; {@code Store.type} describes it. */
  @SuppressWarnings("unchecked") // a class is the key of its own type
  public <T> PersistentType<T> open(
      Class<T> type, MethodHandles.Lookup lookup, PersistentType.Options options) {
    PersistentType<?> known = open.get(type);
    if (known != null) {
      return (PersistentType<T>) known;
    }
    CollectionProperties properties = new CollectionProperties(collections, open);
    properties.find(type); // before the transaction: codecs open others
    // Not in the monitor: the commit may wait for a transaction that opens a type as well. If two
    // threads open a type, the second one finds the layouts that the first one stored, so both
    // plans are equal. Durable in any case, found or stored: what writes objects does not read the
    // layouts (docs/protocol.md, R36).
    Map<Class<?>, Plan> plans =
        transactions.call(
            TxOptions.sync(),
            tx -> {
              Opening opening = new Opening(transactions.use(tx, this), options, properties);
              opening.plan(type);
              return opening.plans;
            });
    make(plans, properties.kinds(), lookup);
    return (PersistentType<T>) Objects.requireNonNull(open.get(type));
  }

  /** Makes those of some types that nobody has made meanwhile. */
  private synchronized void make(
      Map<Class<?>, Plan> plans,
      Map<Method, ObjectCollections.Kind> kinds,
      MethodHandles.Lookup lookup) {
    // All classes first: types refer to each other.
    Map<Class<?>, PersistentType<?>> made = new LinkedHashMap<>();
    for (Map.Entry<Class<?>, Plan> each : plans.entrySet()) {
      if (!open.containsKey(each.getKey())) {
        requireOneOfTheName(each.getKey());
        made.put(each.getKey(), make(each.getKey(), each.getValue(), kinds, lookup));
      }
    }
    made.forEach(
        (c, each) -> {
          for (int i = 0; i < each.properties().size(); i++) {
            Class<?> target = each.properties().get(i).type();
            PersistentType<?> other =
                made.containsKey(target) ? made.get(target) : open.get(target);
            if (other != null) {
              each.target(i, other);
            }
          }
        });
    made.values().forEach(PersistentType::linked);
    made.forEach((c, each) -> names.put(c.getName(), each));
    open.putAll(made);
  }

  private void requireOneOfTheName(Class<?> type) {
    if (names.containsKey(type.getName())) {
      throw new InvalidTypeException(
          "another interface named "
              + type.getName()
              + " is a type of this store already, from another class loader");
    }
  }

  private <T> PersistentType<T> make(
      Class<T> type,
      Plan plan,
      Map<Method, ObjectCollections.Kind> kinds,
      MethodHandles.Lookup lookup) {
    return new PersistentType<>(
        transactions, this, type, plan.properties, plan.layout, kinds, lookup);
  }

  /** Brings the store's layouts up to the interfaces, in one transaction. */
  private final class Opening {
    private final Words words;
    private final PersistentType.Options options;
    private final CollectionProperties collections;
    private final Map<Class<?>, Plan> plans = new LinkedHashMap<>();
    private final Deque<Class<?>> embedding = new ArrayDeque<>();

    Opening(Words words, PersistentType.Options options, CollectionProperties collections) {
      this.words = words;
      this.options = options;
      this.collections = collections;
    }

    void plan(Class<?> type) {
      if (plans.containsKey(type) || open.containsKey(type)) {
        return;
      }
      requireOneOfTheName(type);
      if (embedding.contains(type)) {
        throw new InvalidTypeException(
            type.getName() + " embeds itself, by way of " + names(embedding));
      }
      embedding.push(type);
      List<Property> properties = TypeReader.read(type, this::structLength, collections::type);
      embedding.pop();
      List<ObjectField> fields = new ArrayList<>();
      for (Property property : properties) {
        if (property.field() != null) {
          fields.add(property.field());
        }
      }
      plans.put(type, new Plan(properties, layout(type.getName(), fields)));
      for (Property property : properties) {
        if (property.field() != null && property.field().kind().refersToObject()) {
          planReferred(property.type());
        } else if (property.field() != null) {
          collections.referred(property.getter()).forEach(this::planReferred);
        }
      }
    }

    private void planReferred(Class<?> type) {
      Deque<Class<?>> outer = new ArrayDeque<>(embedding);
      embedding.clear(); // a reference does not embed
      plan(type);
      embedding.addAll(outer);
    }

    private int structLength(Class<?> type) {
      plan(type);
      Plan plan = plans.get(type);
      PersistentType<?> known = open.get(type);
      ObjectLayout layout = plan != null ? plan.layout : known == null ? null : known.layout();
      if (layout == null) {
        throw new InvalidTypeException(type.getName() + " embeds itself");
      }
      return Math.max(8, layout.length() - ObjectHeaderLayout.HEADER_LENGTH);
    }

    private ObjectLayout layout(String name, List<ObjectField> fields) {
      boolean isReadOnly = transactions.isReadOnly();
      if (isReadOnly && words.getUnchecked(RegionHeaderLayout.TYPES_ADDRESS) == 0) {
        throw notStored(name, "has no types");
      }
      Tree tree = tree(words, !isReadOnly);
      DecodingBuffer stored = tree.get(words, key(words, name));
      ObjectLayout before =
          stored == null ? null : ObjectLayout.parse(name, StoredNumbers.text(words, stored, TYPE));
      ObjectLayout now =
          before == null
              ? ObjectLayout.first((int) tree.size(words) + 1, fields)
              : before.evolve(name, fields, options.replaced());
      if (isReadOnly && !now.equals(before)) {
        throw notStored(name, before == null ? "has no such type" : "has another layout of it");
      }
      if (before != null && !now.equals(before) && transactions.refusesSchemaChanges()) {
        throw new SchemaChangeException(
            "objects of "
                + name
                + " have "
                + before.describe()
                + " in this store, and this program would make it "
                + now.describe());
      }
      if (!now.equals(before)) {
        int keyLength = key(words, name);
        Codec.utf8().encode(now.toText(), Tree.beginValue(words));
        tree.put(words, keyLength);
      }
      return now;
    }
  }

  private static ReadOnlyStoreException notStored(String name, String problem) {
    return new ReadOnlyStoreException(
        "type "
            + name
            + " cannot be used: this store "
            + problem
            + ", and it is open for reading only, so that does not change");
  }

  private static String names(Iterable<Class<?>> types) {
    List<String> names = new ArrayList<>();
    types.forEach(type -> names.add(type.getName()));
    return String.join(", ", names);
  }

  private static int key(Words words, String name) {
    Codec.utf8().encode(name, Tree.beginKey(words));
    return Tree.endKey(words);
  }

  private static Tree tree(Words words, boolean create) {
    long address = words.getUnchecked(RegionHeaderLayout.TYPES_ADDRESS);
    if (address == 0 && create) {
      address = Tree.create(words, 1, Codec.VARIABLE, Codec.VARIABLE);
      words.putUnchecked(RegionHeaderLayout.TYPES_ADDRESS, address);
    }
    return new Tree(address, false, Codec.VARIABLE);
  }

  /** Returns all types that the store has, with their layouts for people. */
  public SortedMap<String, String> describe(Tx tx) {
    Words words = transactions.use(tx, this);
    SortedMap<String, String> all = new TreeMap<>();
    stored(words).values().forEach(type -> all.put(type.name(), type.layout().describe()));
    return all;
  }

  /** Returns the words of a transaction, if it may use this store. */
  Words words(Tx tx) {
    return transactions.use(tx, this);
  }

  /** What walks over objects see of the types. */
  private final class Layouts implements StoredLayouts {
    @Override
    public String name(Words words, int id) {
      for (PersistentType<?> type : names.values()) {
        if (type.layout().id() == id) {
          return type.toString();
        }
      }
      Stored stored = stored(words).get(id);
      return stored != null ? stored.name() : "an object of type " + id;
    }

    @Override
    public void forgetOnCommit(Tx tx, String type, long reference) {
      PersistentType<?> open = names.get(type);
      if (open != null) {
        open.forgetOnCommit(tx, reference);
      }
    }

    @Override
    public ObjectLayout layout(Words words, String name) {
      PersistentType<?> open = names.get(name);
      if (open != null) {
        return open.layout();
      }
      DecodingBuffer stored = tree(words, false).get(words, key(words, name));
      if (stored == null) {
        throw words.inconsistentRead(
            RegionHeaderLayout.TYPES_ADDRESS, "what describes type " + name + " is not there; it");
      }
      return ObjectLayout.parse(name, StoredNumbers.text(words, stored, TYPE));
    }
  }

  StoredLayouts layouts() {
    return layouts;
  }

  /** A type as the store has it. */
  record Stored(String name, ObjectLayout layout) {}

  /** Returns all types that the store has, by their numbers. */
  SortedMap<Integer, Stored> stored(Words words) {
    SortedMap<Integer, Stored> all = new TreeMap<>();
    if (words.getUnchecked(RegionHeaderLayout.TYPES_ADDRESS) != 0) {
      TreeCursor cursor = new TreeCursor(tree(words, false));
      cursor.first(words);
      while (cursor.next(words)) {
        String name = StoredNumbers.text(words, cursor.key(words), TYPE);
        String text = StoredNumbers.text(words, cursor.value(words), TYPE);
        ObjectLayout layout = ObjectLayout.parse(name, text);
        all.put(layout.id(), new Stored(name, layout));
      }
    }
    return all;
  }

  /** Returns the properties of an object; {@code StoreAdmin.properties} describes them. */
  public Optional<Map<String, @Nullable Object>> properties(Tx tx, String type, long reference) {
    Words words = words(tx);
    if (words.getUnchecked(RegionHeaderLayout.TYPES_ADDRESS) == 0
        || tree(words, false).get(words, key(words, type)) == null) {
      throw words.refuse(new IllegalArgumentException("the store has no type " + type));
    }
    ObjectLayout layout = layouts.layout(words, type);
    return new ObjectReader(tx, words, layouts).properties(layout, reference);
  }

  @Override
  public String toString() {
    return "the types";
  }
}
