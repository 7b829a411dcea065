package io.howdah.crashtest.kill;

import io.howdah.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** How the life of a child ends, and what that takes away. */
public interface Death {

  /** The process is killed; the operating system keeps what it was given. */
  Death KILL = (child, _) -> child.kill();

  /**
   * Makes ready for a child, before it starts.
   *
   * @return what its environment has besides that of this process
   */
  default Map<String, String> prepare() throws IOException {
    return Map.of();
  }

  /**
   * Ends the child. When this returns, the store's files are as the next opening is to find them.
   *
   * @param child runs, or has ended by itself just now
   * @param store folder of the store
   */
  void strike(ChildJvm child, Path store) throws IOException, InterruptedException;

  /** Returns whether what was not forced may be gone, the rings in memory among it. */
  default boolean losesUnforced() {
    return false;
  }
}
