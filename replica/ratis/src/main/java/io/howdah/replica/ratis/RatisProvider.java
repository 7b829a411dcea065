package io.howdah.replica.ratis;

import io.howdah.replica.consensus.Consensus;
import io.howdah.replica.consensus.ConsensusProvider;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/** Makes members of Apache Ratis. */
public final class RatisProvider implements ConsensusProvider {

  /** Creates one. */
  public RatisProvider() {}

  @Override
  public Supplier<Consensus> engines(
      UUID group, Map<String, String> peers, String name, Path directory) {
    return () -> new RatisConsensus(group, peers, name, directory);
  }
}
