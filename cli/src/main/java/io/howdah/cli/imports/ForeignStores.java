package io.howdah.cli.imports;

import java.nio.file.Path;

/**
 * Opens other embedded stores of one kind. Implementations are found by the service loader, in the
 * libraries that are installed beside those of the command.
 */
public interface ForeignStores {

  /** Returns the kind, as users name it. */
  String kind();

  /** Returns whether such a store is a directory; otherwise it is a file. */
  boolean isDirectory();

  /**
   * Opens a store for reading.
   *
   * @param place a file or a directory, as this kind has it, that is there
   * @throws io.howdah.cli.catalogue.DataException if it is no such store, is damaged, is open in
   *     another process or is to be read as what it cannot be
   */
  ForeignStore open(Path place, ForeignOptions options);
}
