package io.howdah.objects;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.collections.ObjectCollections;
import io.howdah.collections.structure.Tree;
import io.howdah.collections.structure.TreeCursor;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.layout.ObjectHeaderLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.objects.TypeReader.Property;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.TxContext;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Transactions;
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
              Opening opening =
                  new Opening(
                      TxHandle.of(tx).use(transactions.engine(), this), options, properties);
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
    private final TxContext context;
    private final PersistentType.Options options;
    private final CollectionProperties collections;
    private final Map<Class<?>, Plan> plans = new LinkedHashMap<>();
    private final Deque<Class<?>> embedding = new ArrayDeque<>();

    Opening(TxContext context, PersistentType.Options options, CollectionProperties collections) {
      this.context = context;
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
      boolean isReadOnly = transactions.engine().isReadOnly();
      if (isReadOnly && context.getUnchecked(RegionHeaderLayout.TYPES_ADDRESS) == 0) {
        throw notStored(name, "has no types");
      }
      Tree tree = tree(context, !isReadOnly);
      Decoder stored = tree.get(context, key(context, name));
      ObjectLayout before =
          stored == null ? null : ObjectLayout.parse(name, stored.getUtf8(stored.remaining()));
      ObjectLayout now =
          before == null
              ? ObjectLayout.first((int) tree.size(context) + 1, fields)
              : before.evolve(name, fields, options.replaced());
      if (isReadOnly && !now.equals(before)) {
        throw notStored(name, before == null ? "has no such type" : "has another layout of it");
      }
      if (!now.equals(before)) {
        int keyLength = key(context, name);
        Codec.utf8().encode(now.toText(), Tree.beginValue(context));
        tree.put(context, keyLength);
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

  private static int key(TxContext context, String name) {
    Codec.utf8().encode(name, Tree.beginKey(context));
    return Tree.endKey(context);
  }

  private static Tree tree(TxContext context, boolean create) {
    long address = context.getUnchecked(RegionHeaderLayout.TYPES_ADDRESS);
    if (address == 0 && create) {
      address = Tree.create(context, 1, Codec.VARIABLE, Codec.VARIABLE);
      context.putUnchecked(RegionHeaderLayout.TYPES_ADDRESS, address);
    }
    return new Tree(address, false, Codec.VARIABLE);
  }

  /** Returns all types that the store has, with their layouts for people. */
  public SortedMap<String, String> describe(Tx tx) {
    TxContext context = TxHandle.of(tx).use(transactions.engine(), this);
    SortedMap<String, String> all = new TreeMap<>();
    stored(context).values().forEach(type -> all.put(type.name(), type.layout().describe()));
    return all;
  }

  /** Returns the context of a transaction, if it may use this store. */
  TxContext context(Tx tx) {
    return TxHandle.of(tx).use(transactions.engine(), this);
  }

  /** What walks over objects see of the types. */
  private final class Layouts implements StoredLayouts {
    @Override
    public String name(TxContext context, int id) {
      for (PersistentType<?> type : names.values()) {
        if (type.layout().id() == id) {
          return type.toString();
        }
      }
      Stored stored = stored(context).get(id);
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
    public ObjectLayout layout(TxContext context, String name) {
      PersistentType<?> open = names.get(name);
      if (open != null) {
        return open.layout();
      }
      Decoder stored = tree(context, false).get(context, key(context, name));
      if (stored == null) {
        throw context.inconsistentRead(
            RegionHeaderLayout.TYPES_ADDRESS, "what describes type " + name + " is not there; it");
      }
      return ObjectLayout.parse(name, stored.getUtf8(stored.remaining()));
    }
  }

  StoredLayouts layouts() {
    return layouts;
  }

  /** A type as the store has it. */
  record Stored(String name, ObjectLayout layout) {}

  /** Returns all types that the store has, by their numbers. */
  SortedMap<Integer, Stored> stored(TxContext context) {
    SortedMap<Integer, Stored> all = new TreeMap<>();
    if (context.getUnchecked(RegionHeaderLayout.TYPES_ADDRESS) != 0) {
      TreeCursor cursor = new TreeCursor(tree(context, false));
      cursor.first(context);
      while (cursor.next(context)) {
        String name = Codec.utf8().decode(cursor.key(context));
        String text = Codec.utf8().decode(cursor.value(context));
        ObjectLayout layout = ObjectLayout.parse(name, text);
        all.put(layout.id(), new Stored(name, layout));
      }
    }
    return all;
  }

  /** Returns the properties of an object; {@code StoreAdmin.properties} describes them. */
  public Optional<Map<String, @Nullable Object>> properties(Tx tx, String type, long reference) {
    TxContext context = context(tx);
    if (context.getUnchecked(RegionHeaderLayout.TYPES_ADDRESS) == 0
        || tree(context, false).get(context, key(context, type)) == null) {
      throw context.refuse(new IllegalArgumentException("the store has no type " + type));
    }
    ObjectLayout layout = layouts.layout(context, type);
    return new ObjectReader(tx, context, layouts).properties(layout, reference);
  }

  @Override
  public String toString() {
    return "the types";
  }
}
