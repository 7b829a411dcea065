package io.howdah.objects;

import io.howdah.codec.CodecException;
import io.howdah.collections.EntryTooLargeException;
import io.howdah.collections.structure.EntryLimits;
import io.howdah.collections.structure.StoredNumbers;
import io.howdah.core.layout.EntryLayout;
import io.howdah.core.layout.ObjectHeaderLayout;
import io.howdah.core.layout.ReferenceLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Words;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What all persistent objects are, behind their interfaces: an address, bound to one transaction.
 * Programs do not subclass this; the classes that {@link PersistentType} makes do.
 *
 * <p>An object is used in its transaction only: after that, its methods throw {@link
 * io.howdah.core.TransactionStateException}. Two are equal if they are the same object of the
 * store.
 */
public abstract class PersistentObject {

  private final PersistentType<?> type;

  /** The transaction it is used in. */
  protected final Tx tx;

  /** Where it is. */
  protected final long address;

  /** What a word that refers to it holds. */
  private final long reference;

  /** The reference of the object that this one lies in; its own if it lies in none. */
  private long holder;

  /** For the classes that are made at run time. */
  protected PersistentObject(PersistentType<?> type, Tx tx, long reference) {
    this.type = type;
    this.tx = tx;
    this.address = ObjectLayout.address(reference);
    this.reference = reference;
    this.holder = reference;
  }

  /** Returns another object of the same type. */
  protected abstract PersistentObject bind(Tx tx, long reference);

  /** Returns the type that it belongs to. */
  protected final PersistentType<?> type() {
    return type;
  }

  /** Returns the words of its transaction. */
  final Words words() {
    return type.words(tx);
  }

  // ---- What accessors call.

  /** Returns where the fields of a later version of the layout are; 0 if they were never set. */
  protected final long base(int since) {
    Words words = type.words(tx);
    if (ObjectLayout.isEmbedded(reference)) {
      return address; // it has no header, and a type that has grown since is refused there
    }
    long base = address;
    while (base != 0 && ObjectHeaderLayout.version(words.getUnchecked(base)) < since) {
      base = words.getUnchecked(base + ObjectHeaderLayout.EXTENSION_OFFSET);
    }
    return base;
  }

  /**
   * Returns where an embedded object of a later version is. It has no setter that could make room,
   * so its getter does, in a transaction that may write; 0 if there is none in one that may not.
   */
  protected final long embeddedBase(int since) {
    long base = base(since);
    return base != 0 || type.words(tx).isReadOnly() ? base : writableBase(since);
  }

  /** Returns where the fields of a later version are, and makes room for them. */
  protected final long writableBase(int since) {
    Words words = type.words(tx);
    if (ObjectLayout.isEmbedded(reference)) {
      return address;
    }
    long base = address;
    while (ObjectHeaderLayout.version(words.getUnchecked(base)) < since) {
      long next = words.getUnchecked(base + ObjectHeaderLayout.EXTENSION_OFFSET);
      if (next == 0) {
        words.operations.begin();
        next = ObjectLayout.address(type.allocate(words));
        type.forgetUnlessCommitted(words, ReferenceLayout.reference(next, reference));
        words.putUnchecked(base + ObjectHeaderLayout.EXTENSION_OFFSET, next);
        words.operations.end();
      }
      base = next;
    }
    return base;
  }

  /** Returns an index that an array has. */
  protected final int index(int index, int length, String name) {
    if (index < 0 || index >= length) {
      throw type.words(tx)
          .refuse(
              new IndexOutOfBoundsException(
                  "index "
                      + index
                      + " of "
                      + name
                      + " of "
                      + type
                      + ", whose length is "
                      + length));
    }
    return index;
  }

  /** Returns the object that a word refers to. */
  protected final @Nullable Object reference(long word, int field) {
    long target = tx.getLong(word);
    return target == 0 ? null : type.target(field).follow(tx, target);
  }

  /** Sets the object that a word refers to. */
  protected final void reference(long word, @Nullable Object value, int field) {
    PersistentObject object = target(value, field);
    tx.putLong(word, object == null ? 0 : object.requireReference());
  }

  /** Sets the object that belongs to a word, and frees the former one. */
  protected final void owned(long word, @Nullable Object value, int field) {
    PersistentObject object = target(value, field);
    PersistentType<?> target = type.target(field);
    long wanted = object == null ? 0 : object.requireReference();
    Words words = type.words(tx);
    Ownership.set(tx, words, target.types(), target.toString(), holder, word, wanted);
  }

  private @Nullable PersistentObject target(@Nullable Object value, int field) {
    if (value == null) {
      return null;
    }
    if (!(value instanceof PersistentObject object) || object.type != type.target(field)) {
      throw type.words(tx)
          .refuse(
              new IllegalArgumentException(
                  "an object of "
                      + type.target(field)
                      + " from this store is required, not "
                      + value));
    }
    return object;
  }

  /** Returns the object that lies in place. */
  protected final Object embedded(long at, int field) {
    PersistentObject inner =
        type.target(field)
            .bind(tx, ObjectLayout.embedded(at - ObjectHeaderLayout.HEADER_LENGTH, reference));
    inner.holder = holder;
    return inner;
  }

  /** Returns the collection that belongs to a property. */
  protected final Object collection(int property) {
    words(); // refuses an object of an ended transaction
    return type.collection(property, this);
  }

  /** Returns the constant that 4 bytes stand for. */
  protected final @Nullable Object constant(long at, int field) {
    int number = tx.getInt(at);
    return number == 0 ? null : type.constant(field, number - 1);
  }

  /** Sets the constant that 4 bytes stand for. */
  @SuppressWarnings("EnumOrdinal") // layouts refuse enums whose constants do not begin as stored
  protected final void constant(long at, @Nullable Enum<?> value) {
    tx.putInt(at, value == null ? 0 : value.ordinal() + 1);
  }

  /** Returns the bytes of a block that a word points to. */
  protected final byte @Nullable [] bytes(long word) {
    long block = tx.getLong(word);
    if (block == 0) {
      return null;
    }
    Words words = type.words(tx);
    if (!words.isBlock(block, Long.BYTES)) {
      requireNotFreed(words);
    }
    StoredNumbers.block(words, block, Long.BYTES, word, "a string or bytes of an object");
    int length = tx.getInt(block + EntryLayout.LENGTH_OFFSET);
    if (length < 0 || length > EntryLimits.MAX_VALUE_BYTES) {
      requireNotFreed(words);
    }
    byte[] bytes =
        new byte
            [StoredNumbers.length(
                words,
                length,
                EntryLimits.MAX_VALUE_BYTES,
                block,
                "a string or bytes of an object")];
    tx.read(block + EntryLayout.BYTES_OFFSET, bytes);
    return bytes;
  }

  /** What this transaction has freed may hold anything, which is no damage of the store. */
  private void requireNotFreed(Words words) {
    if (!ObjectLayout.isEmbedded(reference)) {
      type.requireHeader(words, reference);
    }
  }

  /** Sets the bytes of the block that a word points to. */
  protected final void bytes(long word, byte @Nullable [] value) {
    Words words = type.words(tx);
    if (value != null && value.length > EntryLimits.MAX_VALUE_BYTES) {
      throw words.refuse(
          new EntryTooLargeException(
              property(word)
                  + " would have "
                  + value.length
                  + " bytes; at most "
                  + EntryLimits.MAX_VALUE_BYTES
                  + " are possible"));
    }
    words.operations.begin();
    long old = tx.getLong(word);
    if (old != 0) {
      tx.free(old);
    }
    long block = 0;
    if (value != null) {
      block = tx.allocate(EntryLayout.BYTES_OFFSET + (long) value.length);
      tx.putInt(block + EntryLayout.LENGTH_OFFSET, value.length);
      tx.write(block + EntryLayout.BYTES_OFFSET, value);
    }
    tx.putLong(word, block);
    words.operations.end();
  }

  /** Returns the string that a word points to. */
  protected final @Nullable String string(long word) {
    byte[] bytes = bytes(word);
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  /** Sets the string that a word points to. */
  protected final void string(long word, @Nullable String value) {
    bytes(word, value == null ? null : utf8(word, value));
  }

  /** Returns the bytes that lie in place. */
  protected final byte @Nullable [] fixedBytes(long at, int capacity) {
    int stored = tx.getInt(at);
    if (stored == 0) {
      return null;
    }
    int length =
        StoredNumbers.length(
            type.words(tx), stored - 1L, capacity, at, "a string or bytes in an object");
    byte[] bytes = new byte[length];
    tx.read(at + Integer.BYTES, bytes);
    return bytes;
  }

  /** Sets the bytes that lie in place. */
  protected final void fixedBytes(long at, int capacity, byte @Nullable [] value) {
    if (value != null && value.length > capacity) {
      throw type.words(tx)
          .refuse(
              new EntryTooLargeException(
                  property(at)
                      + " would have "
                      + value.length
                      + " bytes; @Length says "
                      + capacity));
    }
    Words words = type.words(tx);
    words.operations.begin();
    tx.putInt(at, value == null ? 0 : value.length + 1);
    if (value != null) {
      tx.write(at + Integer.BYTES, value);
    }
    words.operations.end();
  }

  /** Returns the string that lies in place. */
  protected final @Nullable String fixedString(long at, int capacity) {
    byte[] bytes = fixedBytes(at, capacity);
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  /** Sets the string that lies in place. */
  protected final void fixedString(long at, int capacity, @Nullable String value) {
    fixedBytes(at, capacity, value == null ? null : utf8(at, value));
  }

  /** The JDK would replace unpaired surrogates by question marks, and keep another string. */
  private byte[] utf8(long at, String value) {
    for (int i = 0; i < value.length(); i++) {
      if (Character.isSurrogate(value.charAt(i))) {
        int point = value.codePointAt(i);
        if (!Character.isSupplementaryCodePoint(point)) {
          throw type.words(tx)
              .refuse(
                  new CodecException(
                      property(at) + " cannot hold an unpaired surrogate, at index " + i));
        }
        i++;
      }
    }
    return value.getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the name of the property at an address, for messages. */
  private String property(long at) {
    for (ObjectField field : type.layout().fields()) {
      long base = base(field.since());
      if (base != 0 && base + field.offset() == at) {
        return "property " + field.name() + " of " + type;
      }
    }
    return "a property of " + type;
  }

  /** Returns a property that does not persist, or null if it was not set since the opening. */
  protected final @Nullable Object notPersistent(int index) {
    type.words(tx);
    return type.notPersistent().get(reference, index);
  }

  /** Sets a property that does not persist. */
  protected final void notPersistent(int index, @Nullable Object value) {
    type.words(tx);
    type.notPersistent().set(reference, index, value);
  }

  /**
   * Returns what a word that refers to it holds; refuses an object of an ended transaction, one
   * that was freed, and one that lies in another.
   */
  final long requireReference() {
    Words words = type.words(tx);
    requireOfItsOwn(words);
    type.requireHeader(words, reference);
    return reference;
  }

  /** Refuses an object that cannot be freed. */
  final void requireBlock(Words words) {
    requireOfItsOwn(words);
    if (!words.heap.isBlock(address)) {
      throw type.noObject(words, reference);
    }
    type.requireHeader(words, reference);
  }

  private void requireOfItsOwn(Words words) {
    if (ObjectLayout.isEmbedded(reference)) {
      throw words.refuse(
          new IllegalArgumentException(
              this
                  + " is embedded in another object, so it can be neither referred to nor freed alone"));
    }
  }

  /** Returns the reference of the object whose blocks it lies in, which may be its own. */
  final long holder() {
    return holder;
  }

  final long reference() {
    return reference;
  }

  @Override
  public final boolean equals(@Nullable Object other) {
    return other instanceof PersistentObject object
        && object.type == type
        && object.reference == reference;
  }

  @Override
  public final int hashCode() {
    return Long.hashCode(reference);
  }

  @Override
  public final String toString() {
    return type + "@" + address;
  }
}
