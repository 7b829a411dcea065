package io.howdah.codec;

import java.util.List;

/**
 * What the classes of a program would make of the types in a store, from {@code
 * StoreAdmin.checkSchema}. Immutable.
 *
 * @param findings one for each record, enum and sealed interface of the store, in the order of
 *     their names
 */
public record SchemaReport(List<Finding> findings) {

  /** What becomes of a type. */
  public enum Verdict {
    /** No class that was given has the type's name. */
    ABSENT,

    /** It stays as it is. */
    SAME,

    /** The program adds a shape, constants or classes. The store then remembers them for ever. */
    CHANGES,

    /**
     * The program is older than the store: it opens the type, but refuses to write a record, or to
     * read some values.
     */
    LIMITED,

    /** The program cannot open it. */
    REFUSED
  }

  /**
   * What becomes of a type.
   *
   * @param type by its name in the store
   * @param stored what the store has
   * @param detail what it would be, what the program refuses to do, or why the type is refused;
   *     empty if it stays
   */
  public record Finding(String type, Verdict verdict, String stored, String detail) {}

  /** Creates one. */
  public SchemaReport {
    findings = List.copyOf(findings);
  }

  /** Returns whether no type has a verdict. */
  public boolean isWithout(Verdict verdict) {
    return findings.stream().noneMatch(each -> each.verdict() == verdict);
  }
}
