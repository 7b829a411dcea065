package io.howdah.objects;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.collections.ObjectCollections;
import io.howdah.collections.structure.PlainCodec;
import io.howdah.core.InvalidAddressException;
import io.howdah.core.layout.ObjectHeaderLayout;
import io.howdah.core.layout.ReferenceLayout;
import io.howdah.objects.TypeReader.Property;
import io.howdah.txn.Tx;
import io.howdah.txn.words.NewObjects;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes, finds and frees the objects of a {@link Persistent} interface in a store, from {@code
 * Store.type}.
 *
 * <pre>{@code
 * PersistentType<Account> accounts = store.type(Account.class, MethodHandles.lookup());
 * PersistentMap<String, Account> byName = store.map("accounts", Codec.utf8(), accounts.codec());
 * store.run(tx -> {
 *   Account account = accounts.create(tx);
 *   account.balance(100);
 *   byName.put(tx, "alice", account);
 * });
 * }</pre>
 *
 * <p>An object lives until it is freed; nothing collects it. A reference to an object that was
 * freed is refused when it is followed, or stored again, also if another object of the type has
 * taken its place; of those, one in 2<sup>18</sup> is not noticed, and leads to that object. Nor is
 * it noticed when the properties of an object are used that the same transaction has freed.
 *
 * <p>The store keeps the layout. When a program's interface has changed since:
 *
 * <ul>
 *   <li>a property added reads as 0 or null in the objects there are;
 *   <li>one removed is left alone, and is there again if it comes back;
 *   <li>constants may be added to the end of an enum;
 *   <li>a property whose type or length has changed is refused, with a message that shows both
 *       layouts, unless {@link Options#replacing} says that it takes the place of the stored one,
 *       which is no collection.
 * </ul>
 *
 * <p>Thread-safe.
 *
 * @param <T> the interface
 */
public final class PersistentType<T> {

  private final NewObjects.Owner forgetting = this::forgetNotPersistent;

  /** How a type is opened. */
  public static final class Options {

    private static final Options NONE = new Options(List.of());
    private final List<String> replaced;

    private Options(List<String> replaced) {
      this.replaced = replaced;
    }

    /** Returns options that allow compatible changes only. */
    public static Options defaults() {
      return NONE;
    }

    /**
     * Returns these options for an interface one of whose properties takes the place of a stored
     * one that has the same name and another type. Objects then have the new property, 0 or null at
     * first, and the former value from {@link PersistentType#former}, so that a program can convert
     * each of them.
     */
    public Options replacing(String property) {
      List<String> all = new ArrayList<>(replaced);
      all.add(Objects.requireNonNull(property));
      return new Options(List.copyOf(all));
    }

    List<String> replaced() {
      return replaced;
    }
  }

  private static final long MIX = 0x9E3779B97F4A7C15L;

  private final Transactions transactions;
  private final PersistentTypes types;
  private final Class<T> type;
  private final List<Property> properties;
  private final ObjectLayout layout;
  private final VolatileFields notPersistent;
  private final PersistentObject prototype;

  /** No object that there will be was there at that LSN, when the type was opened. */
  private final long openedAtLsn;

  /** By property; set before the type is handed out. */
  private final @Nullable PersistentType<?>[] targets;

  private final @Nullable Object[] @Nullable [] constants;

  /** By property. */
  private final @Nullable Held[] held;

  /** The embedded objects that have properties which do not persist; set like the targets. */
  private List<Struct> volatileStructs = List.of();

  private boolean isVolatile;

  /** An embedded object: where it begins in the block, and its type. */
  private record Struct(int offset, PersistentType<?> type) {}

  /** A property that holds a collection: its field in the store, and what makes handles. */
  private record Held(ObjectField field, ObjectCollections.Kind kind) {}

  PersistentType(
      Transactions transactions,
      PersistentTypes types,
      Class<T> type,
      List<Property> properties,
      ObjectLayout layout,
      Map<Method, ObjectCollections.Kind> collections,
      MethodHandles.Lookup lookup) {
    this.transactions = transactions;
    this.types = types;
    this.type = type;
    this.properties = properties;
    this.layout = layout;
    this.openedAtLsn = transactions.newestLsn();
    this.targets = new PersistentType<?>[properties.size()];
    this.constants = new Object[properties.size()][];
    this.held = new Held[properties.size()];
    int volatiles = 0;
    for (int i = 0; i < properties.size(); i++) {
      constants[i] = properties.get(i).type().getEnumConstants();
      volatiles += properties.get(i).field() == null ? 1 : 0;
      ObjectCollections.Kind kind = collections.get(properties.get(i).getter());
      if (kind != null) {
        held[i] = new Held(layout.field(properties.get(i).name()).orElseThrow(), kind);
      }
    }
    this.notPersistent = new VolatileFields(volatiles);
    this.prototype = AccessorClass.prototype(this, type, properties, layout, lookup);
  }

  void target(int property, PersistentType<?> target) {
    targets[property] = target;
  }

  /** All targets are set. */
  void linked() {
    volatileStructs = volatileStructs();
    isVolatile = hasVolatile();
  }

  private List<Struct> volatileStructs() {
    List<Struct> found = new ArrayList<>();
    for (int i = 0; i < properties.size(); i++) {
      ObjectField field = properties.get(i).field();
      if (field != null && field.kind() == FieldKind.STRUCT && target(i).hasVolatile()) {
        int at = layout.field(field.name()).orElseThrow().offset();
        found.add(new Struct(at - ObjectHeaderLayout.HEADER_LENGTH, target(i)));
      }
    }
    return found;
  }

  /** Returns whether objects have properties that do not persist, those in them included. */
  private boolean hasVolatile() {
    return notPersistent.isUsed() || !volatileStructs().isEmpty();
  }

  List<Property> properties() {
    return properties;
  }

  ObjectLayout layout() {
    return layout;
  }

  StoredLayouts types() {
    return types.layouts();
  }

  VolatileFields notPersistent() {
    return notPersistent;
  }

  Words words(Tx tx) {
    return transactions.use(tx, this);
  }

  /** Returns the type that a property refers to, for objects to bind. */
  PersistentType<?> target(int property) {
    return Objects.requireNonNull(targets[property], "linked when opened");
  }

  /** Returns the collection in a property of an object. */
  Object collection(int property, PersistentObject object) {
    Held found = Objects.requireNonNull(held[property], "a collection");
    return found.kind.at(new OwnCollection(object, found.field));
  }

  PersistentObject bind(Tx tx, long address) {
    return prototype.bind(tx, address);
  }

  Object constant(int property, int number) {
    Object[] all = Objects.requireNonNull(constants[property], "an enum");
    if (number < 0 || number >= all.length) {
      throw new InvalidTypeException(
          "an object of "
              + this
              + " holds constant "
              + number
              + " of "
              + properties.get(property).type().getName()
              + ", which has "
              + all.length);
    }
    return all[number];
  }

  /** Returns a reference to a new object. */
  long allocate(Words words) {
    long address = words.heap.allocate(layout.length());
    long reference =
        ReferenceLayout.reference(address, incarnation(words.id, words.operations.objects++));
    words.putUnchecked(address, layout.identity(reference));
    return reference;
  }

  /**
   * Returns a number whose first bits are the incarnation of a new object. Whoever had its place
   * before was made by another opening of the store, through other words, or earlier by this one;
   * so they differ but by chance.
   */
  private long incarnation(int home, long number) {
    long mixed = (openedAtLsn * MIX + home) * MIX + number;
    mixed = (mixed ^ mixed >>> 32) * MIX;
    return (mixed ^ mixed >>> 29) * MIX;
  }

  /**
   * A block is new, so what does not persist begins anew there, and goes if the attempt does not
   * commit.
   *
   * @param holder the block's address, with the incarnation of the object
   */
  void forgetUnlessCommitted(Words words, long holder) {
    if (isVolatile) {
      forgetNotPersistent(holder); // an object with the same reference may have been here before
      words.newObjects.add(forgetting, holder);
    }
  }

  /** Forgets what does not persist of an object and of those in it. */
  void forgetNotPersistent(long holder) {
    notPersistent.clear(holder);
    for (Struct struct : volatileStructs) {
      long at = ObjectLayout.address(holder) + struct.offset;
      struct.type.forgetNotPersistent(ObjectLayout.embedded(at, holder));
    }
  }

  // ---- Objects.

  /** Creates an object; its properties are 0 or null. */
  public T create(Tx tx) {
    Words words = words(tx);
    words.operations.begin();
    long reference = allocate(words);
    forgetUnlessCommitted(words, reference);
    T created = type.cast(bind(tx, reference));
    words.operations.end();
    return created;
  }

  /**
   * Returns the object that {@link #address} gave this number of.
   *
   * @throws InvalidAddressException if that object is no longer there; the transaction has ended
   */
  public T at(Tx tx, long address) {
    Words words = words(tx);
    long block = ObjectLayout.address(address);
    if (ObjectLayout.isEmbedded(address) || !words.heap.isBlock(block)) {
      throw noObject(words, address);
    }
    requireHeader(words, address);
    return type.cast(bind(tx, address));
  }

  /**
   * Returns the object that a reference leads to. By its header, which has to be there for every
   * access, and not by the allocator's books: a block that was freed and holds the application's
   * own words by now may pass.
   */
  PersistentObject follow(Tx tx, long reference) {
    requireHeader(words(tx), reference);
    return bind(tx, reference);
  }

  /** Refuses a reference to a place whose first word is not that of the object that is meant. */
  void requireHeader(Words words, long reference) {
    layout.requireObject(words, type.getName(), reference);
  }

  RuntimeException noObject(Words words, long reference) {
    return ObjectLayout.noObject(words, type.getName(), reference);
  }

  /**
   * Returns by what {@link #at} finds an object, for words and {@linkplain Tx#root roots} of one's
   * own. It says where the object is and which one is meant of those that are there in the course
   * of time, so it is no address of the word level; the low 46 bits are.
   */
  public long address(T object) {
    return own(object).reference();
  }

  /**
   * Frees an object with its strings, bytes, collections and embedded objects, and with all it owns
   * ({@link Owned}), but nothing else that it refers to. If a property owns it, that is null
   * afterwards.
   *
   * @throws InvalidAddressException if it was freed before; the transaction has ended
   * @throws IllegalArgumentException if it is of another store or lies in another object; likewise
   * @throws io.howdah.core.TransactionTooLargeException if it owns more than one transaction can
   *     free; likewise
   */
  public void free(Tx tx, T object) {
    Words words = words(tx);
    PersistentObject own = requireBlock(words, object);
    words.operations.begin();
    boolean _ = Ownership.detach(words, own.reference());
    new ObjectTree(tx, words, types()).free(type.getName(), own.reference());
    words.operations.end();
  }

  /**
   * Takes an object out of the {@link Owned} property that it belongs to, which is null afterwards,
   * and does not free it. So it may be given to another one; if it is not, the program frees it.
   *
   * @return whether it belonged to one
   * @throws InvalidAddressException if it was freed; the transaction has ended
   * @throws IllegalArgumentException if it is of another store or lies in another object; likewise
   */
  public boolean detach(Tx tx, T object) {
    Words words = words(tx);
    return Ownership.detach(words, requireBlock(words, object).reference());
  }

  private PersistentObject requireBlock(Words words, T object) {
    if (!isOwn(object)) {
      throw words.refuse(notOwn(object));
    }
    PersistentObject own = own(object);
    own.requireBlock(words);
    return own;
  }

  /** What does not persist goes with its object, once that has gone. */
  void forgetOnCommit(Tx tx, long reference) {
    if (notPersistent.has(reference)) {
      tx.onCommit(() -> notPersistent.clear(reference));
    }
  }

  private PersistentObject own(T object) {
    if (isOwn(object)) {
      return (PersistentObject) object;
    }
    throw notOwn(object);
  }

  private boolean isOwn(@Nullable T object) {
    return object instanceof PersistentObject own && own.type() == this;
  }

  private RuntimeException notOwn(@Nullable T object) {
    String problem = "an object of " + this + " from this store is required, not " + object;
    return object == null
        ? new NullPointerException(problem)
        : new IllegalArgumentException(problem);
  }

  /**
   * Returns what an object holds in a property that another one has replaced; see {@link
   * Options#replacing}. Null if the property never was, or holds nothing.
   */
  public @Nullable Object former(T object, String property) {
    PersistentObject own = own(object);
    String prefix = property + "#";
    ObjectField found = null;
    for (ObjectField field : layout.fields()) {
      if (field.name().startsWith(prefix)) {
        found = field; // the last one to be replaced comes last
      }
    }
    long base = found == null ? 0 : own.base(found.since());
    return found == null || base == 0
        ? null
        : new ObjectReader(own.tx, own.words(), types.layouts()).one(found, base + found.offset());
  }

  /** Returns the codec of references to objects of this type, for collections of this store. */
  public Codec<T> codec() {
    return new ReferenceCodec<>(type, () -> this);
  }

  /** The codec of references to objects. */
  static final class ReferenceCodec<T> implements Codec<T>, PlainCodec {
    private final Class<T> referred;
    private final Supplier<PersistentType<T>> type;

    /**
     * Creates one.
     *
     * @param type may be opened only after this
     */
    ReferenceCodec(Class<T> referred, Supplier<PersistentType<T>> type) {
      this.referred = referred;
      this.type = type;
    }

    @Override
    public String name() {
      return "reference to " + referred.getName();
    }

    @Override
    public int fixedLength() {
      return Long.BYTES;
    }

    @Override
    public void encode(T value, Encoder out) {
      out.putLong(type.get().own(value).requireReference());
    }

    @Override
    public T decode(Decoder in) {
      Tx tx = (Tx) Objects.requireNonNull(in.attachment(), "in a transaction");
      return referred.cast(type.get().follow(tx, in.getLong()));
    }
  }

  /** Returns the interface's name. */
  @Override
  public String toString() {
    return type.getName();
  }
}
