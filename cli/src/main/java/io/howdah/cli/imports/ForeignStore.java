package io.howdah.cli.imports;

import java.util.List;

/** Another embedded store that is open for reading. For one thread. */
public interface ForeignStore extends AutoCloseable {

  /** Returns the names of all that it keeps by a name, in the order in which it is copied. */
  List<String> names();

  /**
   * Returns a map.
   *
   * @param name one of the names
   * @throws io.howdah.cli.catalogue.DataException if it is no map, or one of types that an import
   *     does not keep; says what to do
   */
  ForeignMap<?, ?> map(String name);

  /** Closes it. No file of it has changed, but perhaps one for a lock. */
  @Override
  void close();
}
