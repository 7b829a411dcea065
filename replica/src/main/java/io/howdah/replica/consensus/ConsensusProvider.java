package io.howdah.replica.consensus;

import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/** Makes members of a consensus engine. The library of an engine names it as a service. */
public interface ConsensusProvider {

  /**
   * Returns what makes an engine for each life of a member.
   *
   * @param group id of the group
   * @param peers address of each member, host and port, by its name
   * @param name of the member
   * @param directory for the engine's log
   */
  Supplier<Consensus> engines(UUID group, Map<String, String> peers, String name, Path directory);
}
