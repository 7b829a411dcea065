package io.howdah.collections;

import io.howdah.codec.CodecException;
import io.howdah.codec.Encoder;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.codec.bytes.EncodingTooLongException;
import io.howdah.collections.catalogue.Catalogue;
import io.howdah.collections.changes.Changes;
import io.howdah.collections.journal.ChangeCodec;
import io.howdah.collections.journal.MapAccess;
import io.howdah.collections.journal.MapJournal;
import io.howdah.collections.structure.CollectionHome;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.collections.structure.EntryCodec;
import io.howdah.collections.structure.EntryLimits;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.StoredNumbers;
import io.howdah.core.layout.CollectionHeaderLayout;
import io.howdah.txn.ConflictException;
import io.howdah.txn.RetryException;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import org.jspecify.annotations.Nullable;

/**
 * A structure in a store, which has a name or belongs to a persistent object. Handles are cheap,
 * and those of named ones thread-safe; what they do is part of the transaction that each call
 * names, and undone with it.
 *
 * <p>What the getter of an object returns serves the transaction of that object only: with another
 * one, or after it, a call throws {@link io.howdah.core.TransactionStateException}; after the
 * object was freed, {@link io.howdah.core.InvalidAddressException}.
 *
 * <p>Keys and elements are never null: {@link NullPointerException} names the collection. A call
 * with a transaction of another store, or with one that has ended, throws {@link
 * io.howdah.core.TransactionStateException}; so do iterators and streams that outlive their
 * transaction. A structure that was dropped, or whose indexes or journal have changed since it was
 * opened, throws {@link CollectionMismatchException}.
 */
public abstract class PersistentCollection {

  /** Longest key in bytes: 64 KiB. */
  public static final int MAX_KEY_BYTES = EntryLimits.MAX_KEY_BYTES;

  /** Longest value or element in bytes: 8 MiB. */
  public static final int MAX_VALUE_BYTES = EntryLimits.MAX_VALUE_BYTES;

  /** Bytes that an entry may have in a store of any size. */
  private static final int ALWAYS_FITS_BYTES = 4096;

  private final Transactions transactions;
  private final String name;
  private final String type;
  private final long magic;
  private final long incarnation;
  private final @Nullable CollectionHome home;

  /** Of its header, if the catalogue has it. Final: any thread may use such a handle. */
  private final long named;

  /** Of its header, if it belongs to an object; 0 if nothing has been put into it yet. */
  private long held;

  PersistentCollection(Transactions transactions, FoundCollection found) {
    this(transactions, found, null);
  }

  /**
   * Creates a handle.
   *
   * @param home null if the catalogue has it
   */
  PersistentCollection(
      Transactions transactions, FoundCollection found, @Nullable CollectionHome home) {
    this.transactions = transactions;
    this.name = found.name();
    this.type = found.type();
    this.magic = found.magic();
    this.home = home;
    this.named = found.address();
    this.incarnation = found.incarnation();
  }

  /** Returns the name that the store knows it by; of one in an object, the property and object. */
  public String name() {
    return home == null ? name : home.toString();
  }

  Transactions transactions() {
    return transactions;
  }

  /** Returns the address of its header; 0 if there is none yet. */
  long address() {
    return home == null ? named : held;
  }

  /** Takes the address of the header, if it is no longer where it was. */
  void moved(long to) {}

  /** Makes the header of a collection without a name. */
  long createHeader(Words words, long incarnation) {
    throw new IllegalStateException(this + " was created with its name");
  }

  /** Makes the collection before its first entry, if it belongs to an object. */
  final void requirePresent(Words words) {
    if (home != null && held == 0) {
      words.operations.begin();
      long created = createHeader(words, Catalogue.incarnation(words));
      home.keep(words, created);
      move(created);
      words.operations.end();
    }
  }

  /** Looks where the collection is: a roll back, or a codec, may have made another one of it. */
  final void locate(Words words) {
    if (home != null) {
      long found = home.find(words);
      if (found != held) {
        requireHeader(words, found);
        move(found);
      }
    }
  }

  private void move(long to) {
    held = to;
    moved(to);
  }

  private void requireHeader(Words words, long header) {
    if (header != 0) {
      StoredNumbers.block(
          words, header, CollectionHeaderLayout.HEADER_LENGTH, header, "a collection");
      if (words.getUnchecked(header + CollectionHeaderLayout.MAGIC_OFFSET) != magic) {
        throw words.inconsistentRead(header, toString());
      }
    }
  }

  /**
   * Returns what reads the changes of this collection.
   *
   * @param journal null if it has none
   * @throws IllegalArgumentException if it has none
   */
  final <K, V> Changes<K, V> changes(@Nullable MapJournal journal, ChangeCodec<K, V> codec) {
    if (journal == null) {
      throw new IllegalArgumentException(
          this + " has no change journal; pass a ChangeJournal where it is opened");
    }
    return journal.changes(
        new MapAccess() {
          @Override
          public Words words(Tx tx) {
            return PersistentCollection.this.words(tx);
          }

          @Override
          public boolean isGone(Throwable thrown) {
            return thrown instanceof CollectionMismatchException;
          }
        },
        codec);
  }

  /** Returns the words of a transaction, if it may use this collection. */
  final Words words(Tx tx) {
    Words words = transactions.use(tx, this);
    if (home != null) {
      home.requireTransaction(words, tx);
      locate(words);
    } else if (words.getUnchecked(named + CollectionHeaderLayout.INCARNATION_OFFSET)
        != incarnation) {
      throw words.refuse(
          new CollectionMismatchException(
              this + " was dropped, or its journal or its indexes have changed; open it again"));
    }
    return words;
  }

  /** Appends the bytes of a key or a value, or names the culprit. */
  final <T> void encode(
      Words words, EntryCodec<T> codec, T value, EncodingBuffer out, String role, int limit) {
    if (value == null) {
      throw isNull(words, role);
    }
    int before = out.length();
    call(words, codec, value, out, role, limit);
    locate(words);
    int length = out.length() - before;
    if (length > limit) {
      throw words.refuse(tooLarge(role, length, limit));
    }
    if (out.length() > ALWAYS_FITS_BYTES
        && out.length() + Long.BYTES > transactions.maxBlockBytes()) {
      throw words.refuse(
          EntryTooLargeException.doesNotFit(
              "the " + role + " for " + this, length, transactions.maxBlockBytes()));
    }
    if (length < 0) {
      throw words.refuse(
          new CodecException(
              "codec "
                  + codec.name()
                  + " has removed bytes that it did not write, for "
                  + this
                  + "; it must not clear the encoder"));
    }
    if (codec.fixedLength() >= 0 && length != codec.fixedLength()) {
      throw words.refuse(
          new CodecException(
              "codec "
                  + codec.name()
                  + " says that values have "
                  + codec.fixedLength()
                  + " bytes, and wrote "
                  + length
                  + " for "
                  + this));
    }
  }

  private <T> void call(
      Words words, EntryCodec<T> codec, T value, EncodingBuffer out, String role, int limit) {
    try {
      codec.encode(words, value, out);
    } catch (EncodingTooLongException e) {
      throw words.refuse(tooLarge(role, Encoder.MAX_LENGTH, limit));
    } catch (ConflictException | RetryException e) {
      throw e; // of a codec that uses the transaction
    } catch (RuntimeException e) {
      throw words.refuse(e);
    }
  }

  /** Refuses a key that is null, where null would mean something else. */
  final void requireKey(Tx tx, @Nullable Object key) {
    if (key == null) {
      throw isNull(words(tx), "key");
    }
  }

  private RuntimeException isNull(Words words, String role) {
    return words.refuse(new NullPointerException("the " + role + " for " + this + " is null"));
  }

  private EntryTooLargeException tooLarge(String role, int length, int limit) {
    return new EntryTooLargeException(
        "the "
            + role
            + " for "
            + this
            + " has "
            + length
            + " bytes or more; at most "
            + limit
            + " are possible");
  }

  /** Encodes a new key a second time: one that comes out differently would never be found again. */
  final <T> void requireRepeatable(
      Words words, EntryCodec<T> codec, T key, EncodingBuffer image, int offset, int length) {
    if (codec.isPlain()) {
      return;
    }
    EncodingBuffer again = CollectionScratch.of(words).other;
    again.clear();
    call(words, codec, key, again, "key", MAX_KEY_BYTES);
    if (!java.util.Arrays.equals(
        image.array(), offset, offset + length, again.array(), 0, again.length())) {
      throw words.refuse(
          new CodecException(
              "codec "
                  + codec.name()
                  + " encoded one key of "
                  + this
                  + " in two ways; it must depend on the key alone, and not change it"));
    }
  }

  /** Refuses to take out an element that its codec has taken out itself while it decoded it. */
  final RuntimeException changedByCodec(Words words, EntryCodec<?> codec) {
    return words.refuse(
        new CodecException(
            "codec " + codec.name() + " changed " + this + " while it served it; it must not"));
  }

  @Override
  public final boolean equals(@Nullable Object other) {
    return this == other;
  }

  @Override
  public final int hashCode() {
    return System.identityHashCode(this);
  }

  /** Returns what it is, and its name. */
  @Override
  public final String toString() {
    return type + " \"" + name() + "\"";
  }
}
