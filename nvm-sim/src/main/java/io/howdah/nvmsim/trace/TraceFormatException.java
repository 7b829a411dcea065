package io.howdah.nvmsim.trace;

import java.io.IOException;

/**
 * A trace that cannot be read: names the file and the offset or line, and what was expected there.
 */
public final class TraceFormatException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String source;
  private final long position;

  /**
   * @param source file or other name of the input
   * @param unit what the position counts: {@code offset} or {@code line}
   * @param position byte offset or line number
   * @param what what is wrong and what would be right
   */
  TraceFormatException(String source, String unit, long position, String what) {
    super(what + ": trace=" + source + " " + unit + "=" + position);
    this.source = source;
    this.position = position;
  }

  public String source() {
    return source;
  }

  public long position() {
    return position;
  }
}
