package io.howdah.jmh.study;

import io.howdah.jmh.process.ServerProcess;
import io.howdah.jmh.ycsb.Protocol;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A server that a study compares with others.
 *
 * @param name for tables and messages, unique
 * @param server howdah, memcached or redis
 * @param protocol that it speaks
 * @param durability of howdah or redis; empty for memcached
 * @param stopSignal makes it stop and keep what it can, for instance {@code TERM}
 * @param starter starts it
 */
public record ServerSubject(
    String name,
    String server,
    Protocol protocol,
    String durability,
    String stopSignal,
    Starter starter) {

  /** The folder of Howdah's store, in the server's own. */
  public static final String STORE = "store";

  /** Returns where Howdah's store is that answers to its operator; null if there is none. */
  @Nullable Path storeIn(Path folder) {
    return server.equals("howdah") && !durability.equals("none") ? folder.resolve(STORE) : null;
  }

  /** Starts a server with a folder of its own, where what it keeps may be already. */
  @FunctionalInterface
  public interface Starter {

    /** Starts one; {@code threads} serve its connections. */
    ServerProcess start(Path folder, int threads) throws IOException, InterruptedException;
  }
}
