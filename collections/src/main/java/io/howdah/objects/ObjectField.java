package io.howdah.objects;

/**
 * A field of a persistent type, as the store describes it.
 *
 * @param name of the property; what was replaced has "name#version"
 * @param length elements of an array; of what lies in place, bytes; else 1
 * @param target the type referred to or embedded; an enum's constants, separated by commas; kind
 *     and codecs of a collection; else ""
 * @param offset from the object's address
 * @param since the version of the layout that brought it
 */
record ObjectField(String name, FieldKind kind, int length, String target, int offset, int since) {

  /** Returns how many bytes the field takes. */
  int bytes() {
    return kind.isInPlace() ? Integer.BYTES + length : kind.unitBytes() * length;
  }

  int alignment() {
    return kind.isInPlace() ? Integer.BYTES : kind == FieldKind.STRUCT ? 8 : kind.unitBytes();
  }

  ObjectField at(int offset, int since) {
    return new ObjectField(name, kind, length, target, offset, since);
  }

  ObjectField named(String other) {
    return new ObjectField(other, kind, length, target, offset, since);
  }

  /** Returns whether what is stored as the other field can be used as this one. */
  boolean accepts(ObjectField stored) {
    boolean sameTarget =
        kind == FieldKind.ENUM
            ? (target + ",").startsWith(stored.target + ",")
            : target.equals(stored.target);
    return kind == stored.kind && length == stored.length && sameTarget;
  }

  /** Returns how messages show it. */
  String describe() {
    return name
        + ": "
        + kind.name().toLowerCase(java.util.Locale.ROOT)
        + (length == 1 ? "" : "[" + length + "]")
        + (target.isEmpty() ? "" : " " + target);
  }
}
