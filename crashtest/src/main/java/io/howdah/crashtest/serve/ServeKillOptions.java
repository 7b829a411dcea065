package io.howdah.crashtest.serve;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What a campaign against the server does.
 *
 * @param directory of the server's store; absent or empty
 * @param seed of the commands and the moments of the kills
 * @param kills how often a server under load is killed, at least 1
 * @param running how long commands run, all servers together
 * @param connections that send commands at the same time, 1 to {@value #MAX_CONNECTIONS}
 * @param modes what replies promise, as the command names it; in turn
 * @param backings of the servers' memory, as the command names them; in turn
 */
public record ServeKillOptions(
    Path directory,
    long seed,
    int kills,
    Duration running,
    int connections,
    List<String> modes,
    List<String> backings) {

  /** Each connection is a thread of the campaign. */
  public static final int MAX_CONNECTIONS = 64;

  /** Checks the ranges. */
  public ServeKillOptions {
    if (kills < 1
        || connections < 1
        || connections > MAX_CONNECTIONS
        || modes.isEmpty()
        || backings.isEmpty()
        || running.compareTo(Duration.ofMillis(kills)) < 0) {
      throw new IllegalArgumentException(
          "out of range: "
              + kills
              + " kills, "
              + connections
              + " connections, modes "
              + modes
              + ", backings "
              + backings
              + ", running "
              + running);
    }
    modes = List.copyOf(modes);
    backings = List.copyOf(backings);
  }
}
