package io.howdah.nvmsim.crash.loc;

import static io.howdah.nvmsim.timing.MemoryDevice.LINE_WORDS;

import io.howdah.nvmsim.loc.Contents;
import io.howdah.nvmsim.loc.CoreConfig;
import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.loc.ProtocolProvider;
import io.howdah.nvmsim.loc.Recovery;
import io.howdah.nvmsim.loc.RecoveryMemory;
import io.howdah.nvmsim.loc.TransactionCore;

/** What power cuts need of a protocol, the paper's or an own one. */
sealed interface CutTarget {
  String name();

  TransactionCore newCore(CoreConfig config, int degree, Contents contents);

  /** Memory that has never been used: data of zeros, then what the protocol keeps. */
  long[] newMemory(CoreConfig config);

  void recover(CoreConfig config, Contents contents);

  /** Whether a transaction may begin while another is open. */
  boolean overlaps(int degree);

  /** A protocol of the paper. */
  record Paper(Protocol protocol) implements CutTarget {
    @Override
    public String name() {
      return protocol.text();
    }

    @Override
    public TransactionCore newCore(CoreConfig config, int degree, Contents contents) {
      return protocol.newCore(config, degree, contents);
    }

    @Override
    public long[] newMemory(CoreConfig config) {
      long[] memory = new long[Recovery.memoryLines(protocol, config) * LINE_WORDS];
      Recovery.format(protocol, config, memory);
      return memory;
    }

    @Override
    public void recover(CoreConfig config, Contents contents) {
      Recovery.run(protocol, config, contents);
    }

    @Override
    public boolean overlaps(int degree) {
      return protocol.speculative() && degree > 1;
    }
  }

  /** A protocol of the user. */
  record Own(ProtocolProvider provider) implements CutTarget {
    public Own {
      if (!provider.recovers()) {
        throw new IllegalArgumentException(provider.name() + " has no recovery");
      }
    }

    @Override
    public String name() {
      return provider.name();
    }

    @Override
    public TransactionCore newCore(CoreConfig config, int degree, Contents contents) {
      return provider.create(config, degree, contents);
    }

    @Override
    public long[] newMemory(CoreConfig config) {
      return new long[Recovery.ownMemoryLines(config) * LINE_WORDS];
    }

    @Override
    public void recover(CoreConfig config, Contents contents) {
      provider.recover(new RecoveryMemory(config, contents));
    }

    @Override
    public boolean overlaps(int degree) {
      return false;
    }
  }
}
