package io.howdah.objects;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.InvalidAddressException;
import io.howdah.core.layout.ObjectHeaderLayout;
import io.howdah.core.layout.ReferenceLayout;
import io.howdah.core.layout.TypeTextLayout;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The layout of a persistent type's objects: which field is where. {@link TypeTextLayout} says how
 * the store keeps it, and {@link ObjectHeaderLayout} what objects look like.
 *
 * @param id the type's number in this store, from 1
 * @param version from 1
 * @param length of an object created with this version, in bytes
 */
record ObjectLayout(int id, int version, int length, List<ObjectField> fields) {

  /** In what an object that lies in place is bound to; addresses are multiples of 8. */
  private static final long EMBEDDED = 1;

  ObjectLayout {
    fields = List.copyOf(fields);
  }

  /** Lays out the fields of a new type. */
  static ObjectLayout first(int id, List<ObjectField> wanted) {
    return new ObjectLayout(id, 0, ObjectHeaderLayout.HEADER_LENGTH, List.of()).with(wanted);
  }

  /** Returns the first word of a new object whose reference has this incarnation. */
  long identity(long reference) {
    return ObjectHeaderLayout.identity(id, version, reference);
  }

  /** Returns whether a first word is that of the object of this type that a reference leads to. */
  boolean isIdentityOf(long identity, long reference) {
    return ObjectHeaderLayout.isIdentityOf(identity, id, reference);
  }

  /** Returns what an embedded object is bound to, in an object with this reference. */
  static long embedded(long address, long outer) {
    return ReferenceLayout.reference(address, outer) | EMBEDDED;
  }

  static boolean isEmbedded(long reference) {
    return (reference & EMBEDDED) != 0;
  }

  /** Returns the address that a reference, or what an embedded object is bound to, leads to. */
  static long address(long reference) {
    return ReferenceLayout.address(reference) & -Long.BYTES;
  }

  /** Returns the length of an object that was created with a version. */
  int length(int version) {
    int end = ObjectHeaderLayout.HEADER_LENGTH;
    for (ObjectField field : fields) {
      end = field.since() > version ? end : Math.max(end, field.offset() + field.bytes());
    }
    return (end + 7) & -8;
  }

  /** Refuses a reference to a place whose first word is not that of the object that is meant. */
  void requireObject(Words words, String type, long reference) {
    if (!isIdentityOf(words.get(address(reference)), reference)) {
      throw noObject(words, type, reference);
    }
  }

  static RuntimeException noObject(Words words, String type, long reference) {
    return words.refuse(
        new InvalidAddressException(
            "address "
                + address(reference)
                + " is that of no object of "
                + type
                + "; it was freed, or is something else"));
  }

  Optional<ObjectField> field(String name) {
    return fields.stream().filter(field -> field.name().equals(name)).findFirst();
  }

  /** Returns the next version, with more fields behind those there are, the longest first. */
  private ObjectLayout with(List<ObjectField> more) {
    List<ObjectField> all = new ArrayList<>(fields);
    List<ObjectField> sorted = new ArrayList<>(more);
    sorted.sort(
        Comparator.comparingInt(ObjectField::alignment)
            .reversed()
            .thenComparing(ObjectField::name));
    int at = length;
    for (ObjectField field : sorted) {
      at = (at + field.alignment() - 1) & -field.alignment();
      all.add(field.at(at, version + 1));
      at += field.bytes();
    }
    return new ObjectLayout(id, version + 1, (at + 7) & -8, all);
  }

  /**
   * Returns the layout that serves an interface as it is now: this one, or its next version.
   *
   * @param replaced fields that stand for stored ones of their names and other types
   * @throws InvalidTypeException if a field has changed that must not
   */
  ObjectLayout evolve(String type, List<ObjectField> wanted, List<String> replaced) {
    List<ObjectField> kept = new ArrayList<>(fields);
    List<ObjectField> added = new ArrayList<>();
    boolean changed = false;
    for (ObjectField field : wanted) {
      ObjectField stored = field(field.name()).orElse(null);
      if (stored == null) {
        added.add(field);
      } else if (field.accepts(stored)) {
        if (!field.target().equals(stored.target())) {
          kept.set(kept.indexOf(stored), field.at(stored.offset(), stored.since()));
          changed = true;
        }
      } else if (stored.kind() == FieldKind.COLLECTION) {
        throw new InvalidTypeException(
            changed(type, stored, field)
                + "; programs would lose its contents, so give the property another name,"
                + " and copy the entries while the interface has both");
      } else if (replaced.contains(field.name())) {
        kept.set(kept.indexOf(stored), stored.named(field.name() + "#" + version));
        added.add(field);
      } else {
        throw new InvalidTypeException(
            changed(type, stored, field)
                + "; give the property another name, or say that it replaces the other one"
                + " (PersistentType.Options.replacing). In the store: "
                + describe()
                + "; in the interface: "
                + describe(wanted));
      }
    }
    if (version == ObjectHeaderLayout.MAX_VERSION && !added.isEmpty()) {
      throw new InvalidTypeException(
          type
              + " has had "
              + ObjectHeaderLayout.MAX_VERSION
              + " versions that brought properties, and no more fit");
    }
    ObjectLayout base = new ObjectLayout(id, version, length, kept);
    return added.isEmpty() ? (changed ? base : this) : base.with(added);
  }

  private static String changed(String type, ObjectField stored, ObjectField wanted) {
    return "the store's objects of "
        + type
        + " have "
        + stored.describe()
        + ", and the interface now says "
        + wanted.describe();
  }

  String describe() {
    return describe(fields);
  }

  private static String describe(List<ObjectField> fields) {
    return fields.stream().map(ObjectField::describe).collect(Collectors.joining(", ", "{", "}"));
  }

  // ---- As text.

  String toText() {
    StringBuilder text = new StringBuilder();
    append(text, id, version, length);
    for (ObjectField field : fields) {
      text.append(TypeTextLayout.LINE_SEPARATOR);
      append(
          text,
          field.name(),
          field.kind(),
          field.length(),
          field.target(),
          field.offset(),
          field.since());
    }
    return text.toString();
  }

  private static void append(StringBuilder text, Object... columns) {
    for (int i = 0; i < columns.length; i++) {
      if (i > 0) {
        text.append(TypeTextLayout.COLUMN_SEPARATOR);
      }
      text.append(columns[i]);
    }
  }

  static ObjectLayout parse(String type, String text) {
    try {
      List<String> lines = text.lines().toList();
      String[] head = columns(lines.getFirst(), -1);
      List<ObjectField> fields = new ArrayList<>();
      for (String line : lines.subList(1, lines.size())) {
        String[] columns = columns(line, TypeTextLayout.FIELD_COLUMNS);
        fields.add(
            new ObjectField(
                columns[TypeTextLayout.FIELD_NAME_COLUMN],
                FieldKind.valueOf(columns[TypeTextLayout.FIELD_KIND_COLUMN]),
                Integer.parseInt(columns[TypeTextLayout.FIELD_LENGTH_COLUMN]),
                columns[TypeTextLayout.FIELD_TARGET_COLUMN],
                Integer.parseInt(columns[TypeTextLayout.FIELD_OFFSET_COLUMN]),
                Integer.parseInt(columns[TypeTextLayout.FIELD_SINCE_COLUMN])));
      }
      return new ObjectLayout(
          Integer.parseInt(head[TypeTextLayout.ID_COLUMN]),
          Integer.parseInt(head[TypeTextLayout.VERSION_COLUMN]),
          Integer.parseInt(head[TypeTextLayout.LENGTH_COLUMN]),
          fields);
    } catch (RuntimeException e) {
      throw new CorruptStoreException(
          "region", -1, "the description of type " + type + " cannot be read: " + text);
    }
  }

  private static String[] columns(String line, int limit) {
    return line.split(String.valueOf(TypeTextLayout.COLUMN_SEPARATOR), limit);
  }
}
