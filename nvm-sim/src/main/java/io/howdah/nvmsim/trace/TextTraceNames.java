package io.howdah.nvmsim.trace;

import java.util.Map;

/**
 * Function names by which a text trace carries what is no memory access. The tracer traces calls of
 * named functions; the first two names are its own, the others are ours, and a user's may be added.
 *
 * @param kinds event kind by function name
 */
public record TextTraceNames(Map<String, Integer> kinds) {
  static final String MALLOC = "atomic_trace::special_malloc";
  static final String FREE = "atomic_trace::special_free";

  /** The names {@link TextTraceExporter} writes. */
  public static final TextTraceNames DEFAULT =
      new TextTraceNames(
          Map.of(
              MALLOC,
              Event.PMALLOC,
              FREE,
              Event.PFREE,
              "howdah::persist_barrier",
              Event.PERSIST_BARRIER,
              "howdah::new_strand",
              Event.NEW_STRAND,
              "howdah::persist_sync",
              Event.PERSIST_SYNC,
              "howdah::flush",
              Event.FLUSH,
              "howdah::fence",
              Event.FENCE,
              "howdah::op_begin",
              Event.OP_BEGIN,
              "howdah::op_end",
              Event.OP_END));

  public TextTraceNames {
    kinds = Map.copyOf(kinds);
  }

  /** The name under which a kind is written. */
  String nameOf(int kind) {
    return switch (kind) {
      case Event.PMALLOC -> MALLOC;
      case Event.PFREE -> FREE;
      default -> "howdah::" + Event.name(kind);
    };
  }
}
