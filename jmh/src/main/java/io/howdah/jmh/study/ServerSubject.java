package io.howdah.jmh.study;

import io.howdah.jmh.process.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A server that a study compares with others.
 *
 * @param name for tables and messages, unique
 * @param server howdah or memcached
 * @param durability of howdah; empty for memcached
 * @param stopSignal makes it stop and keep what it can, for instance {@code TERM}
 * @param starter starts it
 */
public record ServerSubject(
    String name, String server, String durability, String stopSignal, Starter starter) {

  /** Starts a server with a folder of its own, where what it keeps may be already. */
  @FunctionalInterface
  public interface Starter {

    /** Starts one; {@code threads} serve its connections. */
    ServerProcess start(Path folder, int threads) throws IOException, InterruptedException;
  }
}
