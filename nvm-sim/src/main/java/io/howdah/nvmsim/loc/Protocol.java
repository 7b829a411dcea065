package io.howdah.nvmsim.loc;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The protocols of the comparison, in the order of LOC's Figure 6. */
public enum Protocol {
  BASE("Base", false),
  S_WAL("S-WAL", false),
  H_WAL("H-WAL", false),
  EC_WAL("EC-WAL", false),
  LOC_WAL("LOC-WAL", true),
  KILN("Kiln", false),
  LOC_KILN("LOC-Kiln", true);

  /** The paper's speculation degree where it does not vary it. */
  public static final int DEFAULT_DEGREE = 16;

  private final String text;
  private final boolean speculative;

  Protocol(String text, boolean speculative) {
    this.text = text;
    this.speculative = speculative;
  }

  /** As the paper writes it. */
  public String text() {
    return text;
  }

  /** Whether it has a speculation window. */
  public boolean speculative() {
    return speculative;
  }

  /** Finds a protocol by the paper's name, in any case. */
  public static Protocol of(String text) {
    return Stream.of(values())
        .filter(protocol -> protocol.text.equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    String.format(Locale.ROOT, "no protocol '%s'; there are %s", text, names())));
  }

  private static List<String> names() {
    return Stream.of(values()).map(Protocol::text).toList();
  }

  /**
   * A core that runs it.
   *
   * @param degree transactions in a speculation window; ignored by protocols without one
   * @param contents what memory holds, or null to compute times only
   */
  public TransactionCore newCore(CoreConfig config, int degree, @Nullable Contents contents) {
    return switch (this) {
      case BASE -> new BaseCore(config, contents);
      case S_WAL -> new SoftwareLogCore(config, contents);
      case H_WAL -> new LogWindowCore(config, contents, 1, true);
      case EC_WAL -> new LogWindowCore(config, contents, 1, false);
      case LOC_WAL -> new LogWindowCore(config, contents, degree, false);
      case KILN -> new NvCacheCore(config, contents, 1);
      case LOC_KILN -> new NvCacheCore(config, contents, degree);
    };
  }
}
