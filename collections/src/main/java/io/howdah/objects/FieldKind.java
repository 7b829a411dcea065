package io.howdah.objects;

import io.howdah.core.layout.ObjectHeaderLayout;

/**
 * What a field of a persistent object holds, and in how many bytes; {@link ObjectHeaderLayout}
 * describes each kind.
 */
enum FieldKind {
  BOOLEAN(1),
  BYTE(1),
  SHORT(2),
  CHAR(2),
  INT(4),
  FLOAT(4),
  LONG(8),
  DOUBLE(8),
  ENUM(4),
  REFERENCE(8),
  OWNED(8),
  STRING(8),
  BYTES(8),
  COLLECTION(8),
  FIXED_STRING(1),
  FIXED_BYTES(1),
  STRUCT(1);

  private final int unitBytes;

  FieldKind(int unitBytes) {
    this.unitBytes = unitBytes;
  }

  /** Returns the length of one value, or of one byte of those in place. */
  int unitBytes() {
    return unitBytes;
  }

  boolean isInPlace() {
    return this == FIXED_STRING || this == FIXED_BYTES;
  }

  /** Returns whether the field refers to an object of its target. */
  boolean refersToObject() {
    return this == REFERENCE || this == OWNED;
  }

  /** Returns whether the field's words are references or addresses of blocks. */
  boolean isAddress() {
    return refersToObject() || ownsBlock() || this == COLLECTION;
  }

  /** Returns whether the field is the address of a block that belongs to the object. */
  boolean ownsBlock() {
    return this == STRING || this == BYTES;
  }
}
