package io.howdah.cli.shell;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a script in UTF-8, each decoded by itself: a line that is not UTF-8 ends the script
 * at its own number, and does not run with other characters in place of its own. For one thread.
 */
final class ScriptLines {

  /** What a line may have, the longest value of a put included. */
  private static final int MAX_LINE_BYTES = 64 << 20;

  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private final InputStream in;
  private boolean isFirst = true;

  ScriptLines(InputStream in) {
    this.in = new BufferedInputStream(in);
  }

  /**
   * Returns the next line without its end, LF or CRLF; null if there is none.
   *
   * @throws CharacterCodingException if it is not UTF-8
   */
  @Nullable String next() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    int c = in.read();
    if (c < 0) {
      return null;
    }
    for (; c >= 0 && c != '\n'; c = in.read()) {
      if (line.size() == MAX_LINE_BYTES) {
        throw new IOException("a line has more than " + MAX_LINE_BYTES + " bytes");
      }
      line.write(c);
    }
    ByteBuffer bytes = ByteBuffer.wrap(line.toByteArray());
    String text = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    boolean hasMark = isFirst && text.startsWith(BYTE_ORDER_MARK);
    isFirst = false;
    String plain = hasMark ? text.substring(1) : text;
    return plain.endsWith("\r") ? plain.substring(0, plain.length() - 1) : plain;
  }
}
