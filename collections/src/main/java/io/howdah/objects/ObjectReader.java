package io.howdah.objects;

import io.howdah.collections.structure.EntryLimits;
import io.howdah.collections.structure.StoredNumbers;
import io.howdah.core.layout.EntryLayout;
import io.howdah.core.layout.ObjectHeaderLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Words;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads objects by the layouts that the store has, for programs that do not have their interfaces.
 * For one transaction, not thread-safe.
 */
final class ObjectReader {

  private static final String STRING = "a string or bytes of an object";

  private final Tx tx;
  private final Words words;
  private final StoredLayouts layouts;

  ObjectReader(Tx tx, Words words, StoredLayouts layouts) {
    this.tx = tx;
    this.words = words;
    this.layouts = layouts;
  }

  /**
   * Returns the properties of an object, in the order of their names' first appearance in the type;
   * empty if the object that the reference leads to is no longer there.
   */
  Optional<Map<String, @Nullable Object>> properties(ObjectLayout layout, long reference) {
    long address = ObjectLayout.address(reference);
    if (ObjectLayout.isEmbedded(reference)
        || !words.heap.isBlock(address)
        || !layout.isIdentityOf(words.get(address), reference)) {
      return Optional.empty();
    }
    Map<String, @Nullable Object> properties = new LinkedHashMap<>();
    for (ObjectField field : layout.fields()) {
      long base = base(address, field.since());
      properties.put(field.name(), base == 0 ? null : value(field, base + field.offset()));
    }
    return Optional.of(properties);
  }

  /** Returns the block that has the fields of a version, or 0. */
  private long base(long address, int since) {
    long base = address;
    for (int blocks = 0; base != 0 && blocks <= ObjectHeaderLayout.MAX_VERSION; blocks++) {
      StoredNumbers.block(
          words, base, ObjectHeaderLayout.HEADER_LENGTH, address, "a part of an object");
      if (ObjectHeaderLayout.version(words.get(base)) >= since) {
        return base;
      }
      base = words.get(base + ObjectHeaderLayout.EXTENSION_OFFSET);
    }
    return 0;
  }

  private @Nullable Object value(ObjectField field, long at) {
    if (field.kind() == FieldKind.STRUCT) {
      return embedded(field, at);
    }
    if (field.kind().isInPlace() || field.length() == 1) {
      return named(field, one(field, at));
    }
    List<@Nullable Object> all = new ArrayList<>();
    for (int i = 0; i < field.length(); i++) {
      all.add(named(field, one(field, at + (long) i * field.kind().unitBytes())));
    }
    return all;
  }

  private static @Nullable Object named(ObjectField field, @Nullable Object value) {
    if (field.kind().refersToObject() && value instanceof Long reference) {
      return reference == 0 ? null : new StoredReference(field.target(), reference);
    }
    return value;
  }

  private Map<String, @Nullable Object> embedded(ObjectField field, long at) {
    Map<String, @Nullable Object> properties = new LinkedHashMap<>();
    long base = at - ObjectHeaderLayout.HEADER_LENGTH;
    for (ObjectField inner : layouts.layout(words, field.target()).fields()) {
      // What the type got later is not there.
      if (inner.offset() + inner.bytes() <= ObjectHeaderLayout.HEADER_LENGTH + field.length()) {
        properties.put(inner.name(), value(inner, base + inner.offset()));
      }
    }
    return properties;
  }

  /**
   * Returns a value, or one of an array's; a reference as a number, which is 0 for null; of a
   * collection kind and codecs, null if nothing was put into it. An embedded object is no such
   * value: null.
   */
  @Nullable Object one(ObjectField field, long at) {
    return switch (field.kind()) {
      case BOOLEAN -> (tx.getByte(at) & 1) != 0;
      case BYTE -> tx.getByte(at);
      case SHORT -> tx.getShort(at);
      case CHAR -> (char) tx.getShort(at);
      case INT -> tx.getInt(at);
      case FLOAT -> tx.getFloat(at);
      case LONG, REFERENCE, OWNED -> tx.getLong(at);
      case DOUBLE -> tx.getDouble(at);
      case ENUM -> constant(field, at);
      case STRING -> text(ofBlock(at));
      case BYTES -> ofBlock(at);
      case FIXED_STRING -> text(inPlace(field, at));
      case FIXED_BYTES -> inPlace(field, at);
      case COLLECTION -> tx.getLong(at) == 0 ? null : field.target();
      case STRUCT -> null;
    };
  }

  private @Nullable String constant(ObjectField field, long at) {
    int number = tx.getInt(at);
    String[] names = field.target().split(",", -1);
    StoredNumbers.length(words, number, names.length, at, "a constant of an object");
    return number == 0 ? null : names[number - 1];
  }

  private static @Nullable String text(byte @Nullable [] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  private byte @Nullable [] ofBlock(long word) {
    long block = tx.getLong(word);
    if (block == 0) {
      return null;
    }
    StoredNumbers.block(words, block, Long.BYTES, word, STRING);
    int length = tx.getInt(block + EntryLayout.LENGTH_OFFSET);
    StoredNumbers.length(words, length, EntryLimits.MAX_VALUE_BYTES, block, STRING);
    return bytes(block + EntryLayout.BYTES_OFFSET, length);
  }

  private byte @Nullable [] inPlace(ObjectField field, long at) {
    int stored = tx.getInt(at);
    if (stored == 0) {
      return null;
    }
    StoredNumbers.length(words, stored - 1L, field.length(), at, STRING);
    return bytes(at + Integer.BYTES, stored - 1);
  }

  private byte[] bytes(long address, int length) {
    byte[] bytes = new byte[length];
    tx.read(address, bytes);
    return bytes;
  }
}
