package io.howdah.nvmsim.crash;

import io.howdah.nvmsim.mem.PersistentImage;
import java.util.List;

/** Recovers what a failure left and judges it. Must be deterministic and read only the image. */
@FunctionalInterface
public interface RecoveryOracle {
  /**
   * Judges one state.
   *
   * @return what is wrong with the recovered data, empty if nothing is
   */
  List<String> violations(PersistentImage image);
}
