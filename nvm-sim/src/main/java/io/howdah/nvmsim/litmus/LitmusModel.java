package io.howdah.nvmsim.litmus;

import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.persistency.PersistencyModel;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a litmus test can be run under. */
public enum LitmusModel {
  /** x86 with persistent memory, on both machines of {@link io.howdah.nvmsim.px86}. */
  PX86,
  /** Sequential consistency with strict persistency. */
  STRICT,
  /** Sequential consistency with epoch persistency. */
  EPOCH,
  /** Sequential consistency with strand persistency. */
  STRAND,
  /** Sequential consistency with epochs as BPFS detects them. */
  BPFS;

  /** The order of persists over sequential consistency; null for {@link #PX86}. */
  @Nullable PersistencyModel persistency() {
    return switch (this) {
      case PX86 -> null;
      case STRICT -> Models.STRICT;
      case EPOCH -> Models.EPOCH;
      case STRAND -> Models.STRAND;
      case BPFS -> Models.BPFS;
    };
  }

  /** The name in tests and reports. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
