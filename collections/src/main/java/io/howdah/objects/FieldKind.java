package io.howdah.objects;

/** What a field of a persistent object holds, and in how many bytes. */
enum FieldKind {
  BOOLEAN(1),
  BYTE(1),
  SHORT(2),
  CHAR(2),
  INT(4),
  FLOAT(4),
  LONG(8),
  DOUBLE(8),
  /** 1 + the constant's number in the stored list; 0 = null. */
  ENUM(4),
  /** Address of another object; 0 = null. */
  REFERENCE(8),
  /** Address of a block: 4 bytes of length, then UTF-8; 0 = null. */
  STRING(8),
  /** Address of a block: 4 bytes of length, then the bytes; 0 = null. */
  BYTES(8),
  /** In place: 4 bytes of length + 1, 0 = null, then UTF-8. */
  FIXED_STRING(1),
  /** In place: 4 bytes of length + 1, 0 = null, then the bytes. */
  FIXED_BYTES(1),
  /** In place: the fields of another type. */
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

  /** Returns whether the field is the address of a block that belongs to the object. */
  boolean ownsBlock() {
    return this == STRING || this == BYTES;
  }
}
