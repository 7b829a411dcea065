package io.howdah.replica.consensus;

import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Makes members of a consensus engine. The library of an engine names it as a service. */
public interface ConsensusProvider {

  /** Returns what makes an engine for each life of a member. */
  Supplier<Consensus> engines(Settings settings);

  /**
   * What an engine has to know.
   *
   * @param group id of the group
   * @param peers address of each member, host and port, by its name
   * @param name of the member
   * @param directory for the engine's log
   * @param maxLogBytes length of the log beyond which it is removed although a member has not got
   *     it; {@code Long.MAX_VALUE} if members get no snapshots
   * @param joins returns whether the member has never been started, and waits for being added to a
   *     group that exists
   * @param started called when the engine has made its directory
   */
  record Settings(
      UUID group,
      Map<String, String> peers,
      String name,
      Path directory,
      long maxLogBytes,
      BooleanSupplier joins,
      Runnable started) {

    /** Settings of a member of a new group, whose log is not bounded. */
    public Settings(UUID group, Map<String, String> peers, String name, Path directory) {
      this(group, peers, name, directory, Long.MAX_VALUE, () -> false, () -> {});
    }
  }
}
