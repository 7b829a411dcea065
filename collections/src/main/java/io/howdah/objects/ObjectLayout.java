package io.howdah.objects;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.ReferenceLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The layout of a persistent type's objects, as the store keeps it: a line of text with the type's
 * number, its version and the length of its objects, then one for each field.
 *
 * <p>Every object begins with a header. Fields keep their offsets for ever; those that a later
 * version of the type brings go behind the others. An object that is older than a field has it in
 * another block, which its extension points to, and which is laid out the same way.
 *
 * <pre>
 *        0              4              8
 *      +--------------+--------------+
 *    0 | type         | version,     |  14 bits, of the layout that the object was created with;
 *      |              | incarnation  |  18 bits: tells it from others that were here before
 *    8 | extension                   |  address of a block for later fields, 0 = none
 *   16 | fields ...                  |
 *
 *  reference, also what a program gets as an object's address
 *      | address, 46 bits            |
 *      | incarnation, 18 bits        |  that of the object that is meant
 * </pre>
 *
 * <p>A reference to an object that was freed is found out when it is followed, without another
 * memory access: the header that has to be read there anyway is not the one that is expected. Of
 * references to a place that another object of the type has taken, one in 2<sup>18</sup> is not.
 *
 * @param id the type's number in this store, from 1
 * @param version from 1
 * @param length of an object created with this version, in bytes
 */
public record ObjectLayout(int id, int version, int length, List<ObjectField> fields) {

  static final int EXTENSION_OFFSET = 8;
  public static final int HEADER_LENGTH = 16;

  /** Most versions of a layout: each brings fields that no version before had. */
  static final int MAX_VERSION = (1 << 14) - 1;

  /** What a header and the reference that leads to it agree on, with the type. */
  private static final long IDENTITY_MASK = ReferenceLayout.INCARNATION_MASK | 0xFFFF_FFFFL;

  /** In what an object that lies in place is bound to; addresses are multiples of 8. */
  private static final long EMBEDDED = 1;

  private static final int COLUMNS = 6;

  public ObjectLayout {
    fields = List.copyOf(fields);
  }

  /** Lays out the fields of a new type. */
  static ObjectLayout first(int id, List<ObjectField> wanted) {
    return new ObjectLayout(id, 0, HEADER_LENGTH, List.of()).with(wanted);
  }

  /** Returns the header of a new object whose reference has this incarnation. */
  long header(long reference) {
    return (id & 0xFFFF_FFFFL) | (long) version << Integer.SIZE | incarnation(reference);
  }

  /** Returns whether a header is that of the object of this type that a reference is to. */
  boolean isHeaderOf(long header, long reference) {
    return ((header ^ (id & 0xFFFF_FFFFL) ^ incarnation(reference)) & IDENTITY_MASK) == 0;
  }

  static int version(long header) {
    return (int) (header >>> Integer.SIZE) & MAX_VERSION;
  }

  /** Returns a reference to the object at an address, given anything with its incarnation. */
  static long reference(long address, long incarnation) {
    return address | incarnation(incarnation);
  }

  /** Returns what an object that lies in place, in one with this reference, is bound to. */
  static long embedded(long address, long outer) {
    return reference(address, outer) | EMBEDDED;
  }

  static boolean isEmbedded(long reference) {
    return (reference & EMBEDDED) != 0;
  }

  public static long address(long reference) {
    return ReferenceLayout.address(reference) & -Long.BYTES;
  }

  private static long incarnation(long word) {
    return word & ReferenceLayout.INCARNATION_MASK;
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
      } else if (replaced.contains(field.name())) {
        kept.set(kept.indexOf(stored), stored.named(field.name() + "#" + version));
        added.add(field);
      } else {
        throw new InvalidTypeException(
            "the store's objects of "
                + type
                + " have "
                + stored.describe()
                + ", and the interface now says "
                + field.describe()
                + "; give the property another name, or say that it replaces the other one"
                + " (PersistentType.Options.replacing). In the store: "
                + describe()
                + "; in the interface: "
                + describe(wanted));
      }
    }
    if (version == MAX_VERSION && !added.isEmpty()) {
      throw new InvalidTypeException(
          type + " has had " + MAX_VERSION + " versions that brought properties, and no more fit");
    }
    ObjectLayout base = new ObjectLayout(id, version, length, kept);
    return added.isEmpty() ? (changed ? base : this) : base.with(added);
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
    text.append(id).append('\t').append(version).append('\t').append(length);
    for (ObjectField field : fields) {
      text.append('\n').append(field.name()).append('\t').append(field.kind());
      text.append('\t').append(field.length()).append('\t').append(field.target());
      text.append('\t').append(field.offset()).append('\t').append(field.since());
    }
    return text.toString();
  }

  static ObjectLayout parse(String type, String text) {
    try {
      List<String> lines = text.lines().toList();
      String[] head = lines.getFirst().split("\t", -1);
      List<ObjectField> fields = new ArrayList<>();
      for (String line : lines.subList(1, lines.size())) {
        String[] columns = line.split("\t", COLUMNS);
        fields.add(
            new ObjectField(
                columns[0],
                FieldKind.valueOf(columns[1]),
                Integer.parseInt(columns[2]),
                columns[3],
                Integer.parseInt(columns[4]),
                Integer.parseInt(columns[5])));
      }
      return new ObjectLayout(
          Integer.parseInt(head[0]), Integer.parseInt(head[1]), Integer.parseInt(head[2]), fields);
    } catch (RuntimeException e) {
      throw new CorruptStoreException(
          "region", -1, "the description of type " + type + " cannot be read: " + text);
    }
  }
}
