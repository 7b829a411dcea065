package io.howdah.server.protocol;

import java.util.function.BiConsumer;

/**
 * What commands ask of the server around the sessions. What a method does by default is what a
 * session without a server does. Thread-safe; sessions call it within the event loop, so no method
 * blocks.
 */
public interface ServerControl {

  /** No server: nothing can be stopped or changed. */
  ServerControl NONE = new ServerControl() {};

  /**
   * Begins to stop the server, and returns at once. Called only if {@link
   * ProtocolOptions#shutdownAllowed}.
   *
   * @param graceful whether the client asked for {@code shutdown graceful}
   */
  default void shutdown(boolean graceful) {}

  /**
   * Changes the limit of what all items may take.
   *
   * @return false if it cannot be changed to that
   */
  default boolean setMaxBytes(long bytes) {
    return false;
  }

  /** Changes how much is logged: 0 least. */
  default void setVerbosity(int level) {}

  /** Returns whether items that are gone are removed in the background. */
  default boolean isCrawlerEnabled() {
    return true;
  }

  /** Lets items that are gone be removed in the background, or not. */
  default void enableCrawler(boolean enabled) {}

  /** Changes how long the crawler rests among its steps through all items, 0 for not at all. */
  default void setCrawlerSleep(int micros) {}

  /** Changes how many items one crawl looks at; 0 for all. */
  default void setCrawlerLimit(long items) {}

  /**
   * Begins to look through the items now for those that are gone.
   *
   * @return false if a crawl that a client has asked for goes on
   */
  default boolean crawl() {
    return true;
  }

  /**
   * Moves the clock of the items. Called only if {@link ProtocolOptions#debugTimeAllowed}.
   *
   * @param seconds added to the clock; may be negative
   */
  default void moveClock(long seconds) {}

  /** Stops the clock of the items, or lets it go on from where it is. As {@link #moveClock}. */
  default void pauseClock(boolean paused) {}

  /** Calls a function with name and value of each row of {@code stats} that the server has. */
  default void statistics(BiConsumer<String, String> row) {}

  /** Calls a function with name and value of each row of {@code stats settings}. */
  default void settings(BiConsumer<String, String> row) {}

  /** Calls a function with name and value of each row of {@code stats conns}. */
  default void connections(BiConsumer<String, String> row) {}

  /** Sets the server's own counters to 0, for {@code stats reset}. */
  default void resetStatistics() {}
}
