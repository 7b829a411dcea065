package io.howdah.replica.ratis;

import io.howdah.replica.consensus.Consensus;
import io.howdah.replica.consensus.ConsensusProvider;
import java.util.function.Supplier;

/** Makes members of Apache Ratis. */
public final class RatisProvider implements ConsensusProvider {

  /** Creates one. */
  public RatisProvider() {}

  @Override
  public Supplier<Consensus> engines(Settings settings) {
    return () -> new RatisConsensus(settings);
  }
}
