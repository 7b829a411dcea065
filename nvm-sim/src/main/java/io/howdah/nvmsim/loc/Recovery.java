package io.howdah.nvmsim.loc;

import static io.howdah.nvmsim.timing.MemoryDevice.LINE_WORDS;

/** Recovery after a power cut, in simulated memory, for every protocol that promises one. */
public final class Recovery {
  private Recovery() {}

  /** Lines of memory that a protocol needs: its data and what it keeps behind. */
  public static int memoryLines(Protocol protocol, CoreConfig config) {
    return switch (protocol) {
      case KILN, LOC_KILN -> (int) config.homeLines() + NvCacheCore.imageLines(config.homeLines());
      default -> ownMemoryLines(config);
    };
  }

  /** Lines of memory of an own protocol: its data and its log. */
  public static int ownMemoryLines(CoreConfig config) {
    return (int) config.homeLines() + OwnProtocol.logLines(config);
  }

  /** Prepares memory that has never been used. */
  public static void format(Protocol protocol, CoreConfig config, long[] words) {
    switch (protocol) {
      case H_WAL, EC_WAL, LOC_WAL ->
          LogLayout.putHead(words, (int) config.logLine() * LINE_WORDS, 1, 1);
      default -> {}
    }
  }

  /**
   * Brings the home locations to the state after the last transaction that is kept; the protocol
   * may run again afterwards.
   *
   * @throws DamagedLogException if the log holds what the protocol never writes
   */
  public static void run(Protocol protocol, CoreConfig config, Contents contents) {
    switch (protocol) {
      case BASE -> throw new IllegalArgumentException("Base has nothing to recover from");
      case S_WAL -> software(config, contents);
      case H_WAL -> new WindowRecovery(config, contents, true).recover();
      case EC_WAL, LOC_WAL -> new WindowRecovery(config, contents, false).recover();
      case KILN, LOC_KILN -> NvCacheImage.recover(config, contents);
    }
  }

  /** S-WAL: replays the transaction whose commit record stands in the head, if there is one. */
  private static void software(CoreConfig config, Contents contents) {
    long head = contents.word(config.logLine(), 0);
    int groups = (int) head & SoftwareLogCore.GROUPS_MASK;
    if (head != 0) {
      long firstSid = head >>> SoftwareLogCore.SID_SHIFT;
      int half = (int) (head >>> SoftwareLogCore.HALF_SHIFT) & 1;
      int halfGroups = config.logGroups() / 2;
      if (groups == 0 || groups > halfGroups) {
        throw new DamagedLogException("its head is 0x" + Long.toHexString(head));
      }
      for (int group = 0; group < groups; group++) {
        replay(config, contents, firstSid + group, half * halfGroups + group);
      }
      contents.sink().waited();
      contents.sendLine(config.logLine(), new long[LINE_WORDS], 0);
    }
    contents.sink().waited();
  }

  private static void replay(CoreConfig config, Contents contents, long sid, int slot) {
    long first = config.logLine() + LogLayout.HEAD_LINES + (long) slot * LogLayout.GROUP_LINES;
    long meta = first + LogLayout.META;
    if (contents.word(meta, 0) != sid) {
      throw new DamagedLogException(sid, slot, "its SID is " + contents.word(meta, 0));
    }
    long[] words = new long[LINE_WORDS];
    for (int i = 0; i < LogLayout.BLOCKS; i++) {
      long tag = contents.word(meta, 1 + i);
      if (tag == 0) {
        continue;
      }
      long home = LogLayout.tagHome(tag);
      if (home >= config.homeLines()) {
        throw new DamagedLogException(sid, slot, "tag " + i + " names home line " + home);
      }
      contents.copyTo(first + i, words, 0);
      contents.sendLine(home, words, 0);
    }
  }
}
