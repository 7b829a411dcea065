package io.howdah.crashtest.power;

import io.howdah.crashtest.kill.Death;
import java.io.IOException;
import java.nio.file.Path;

/** A disk whose power can be cut, again and again. For one thread. */
public interface PowerDisk extends AutoCloseable {

  /** Returns the folder for files, which exists. */
  Path root();

  /**
   * Returns what cuts its power, and brings it back.
   *
   * @param seed of what survives without having been forced
   */
  Death cut(long seed);

  /** Leaves its files for inspection when this is closed; returns where they are. */
  Path keep();

  @Override
  void close() throws IOException;
}
