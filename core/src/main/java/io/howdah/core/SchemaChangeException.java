package io.howdah.core;

/**
 * A program would change what the store knows of a type or a collection that it has: the shape of a
 * record, the constants of an enum, the classes of a sealed interface, the layout of objects, the
 * indexes of a map. The store was opened with options that refuse this, so nothing was changed, and
 * the release that made the store can still use it.
 */
public final class SchemaChangeException extends HowdahException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates one.
   *
   * @param what what would change, and how
   */
  public SchemaChangeException(String what) {
    super(
        what
            + ". The store was opened with StoreOptions.withSchemaChanges(REFUSE), so this was not"
            + " done. Verify that an older release is no longer needed or can use the changed store"
            + " (docs/upgrading.md), keep a backup, and open the store with ALLOW once");
  }
}
