package io.howdah.cli.tables;

import io.howdah.cli.catalogue.DataException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a file, unpacked if its name ends in {@code .gz}, with the place where reading is
 * and the checksum of everything before it. The input is opened once: a pipe cannot be read twice.
 * For one thread.
 */
public final class ByteInput implements AutoCloseable {

  static final int END = -1;

  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private final String name;
  private InputStream in;
  private final CRC32C checksum = new CRC32C();
  private final byte[] buffer = new byte[1 << 16];
  private int limit;
  private int next;
  private int checked;
  private long passed;
  private long line = 1;
  private boolean isAtLineStart = true;

  /** What has been read since {@link #keep}; null if it is not kept. */
  private @Nullable ByteArrayOutputStream kept;

  private ByteInput(String name, InputStream in) {
    this.name = name;
    this.in = in;
  }

  /** Reads an open stream; closing this closes the stream. */
  public static ByteInput of(String name, InputStream in) {
    return new ByteInput(name, in);
  }

  static ByteInput open(Path file) throws IOException {
    InputStream raw = Files.newInputStream(file);
    try {
      boolean packed = file.toString().endsWith(".gz");
      return new ByteInput(file.toString(), packed ? new GZIPInputStream(raw, 1 << 16) : raw);
    } catch (IOException e) {
      raw.close();
      throw new DataException(file + " cannot be unpacked: " + e.getMessage(), e);
    }
  }

  /** Returns the next byte without taking it, or {@link #END}. */
  int peek() {
    return next < limit || fill() ? buffer[next] & 0xFF : END;
  }

  /** Takes the next byte, or returns {@link #END}. */
  int read() {
    if (next == limit && !fill()) {
      return END;
    }
    int taken = buffer[next++] & 0xFF;
    // Lines end in LF, CRLF or CR.
    isAtLineStart = taken == '\n' || (taken == '\r' && peek() != '\n');
    if (isAtLineStart) {
      line++;
    }
    return taken;
  }

  private boolean fill() {
    check();
    passed += limit;
    next = 0;
    checked = 0;
    limit = 0;
    return fillMore();
  }

  /** Reads behind what is in the buffer, which is not full. */
  private boolean fillMore() {
    int count;
    try {
      count = in.read(buffer, limit, buffer.length - limit);
    } catch (ZipException | EOFException e) {
      throw new DataException(name + " cannot be unpacked: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new DataException(
          name + " cannot be read from byte " + position() + " on: " + e.getMessage(), e);
    }
    if (kept != null && count > 0) {
      kept.write(buffer, limit, count);
    }
    limit += Math.max(count, 0);
    return count > 0;
  }

  /**
   * Keeps everything that is read from now on in memory, for {@link #rewind}. To be called first.
   */
  void keep() {
    if (position() > 0 || limit > 0) {
      throw new IllegalStateException("reading of " + name + " has begun");
    }
    kept = new ByteArrayOutputStream();
  }

  /** Returns to the first byte, whatever the input is, and keeps no more. */
  void rewind() {
    if (kept == null) {
      throw new IllegalStateException("what was read of " + name + " is not kept");
    }
    in = new SequenceInputStream(new ByteArrayInputStream(kept.toByteArray()), in);
    kept = null;
    checksum.reset();
    limit = 0;
    next = 0;
    checked = 0;
    passed = 0;
    line = 1;
    isAtLineStart = true;
  }

  /** Takes a byte order mark, if one comes first; nothing else that begins like it. */
  void skipByteOrderMark() {
    while (position() == 0 && limit < BYTE_ORDER_MARK.length && fillMore()) {
      // A pipe may give less than was asked for.
    }
    int length = BYTE_ORDER_MARK.length;
    if (position() == 0
        && limit >= length
        && Arrays.equals(buffer, 0, length, BYTE_ORDER_MARK, 0, length)) {
      next = length;
    }
  }

  private void check() {
    checksum.update(buffer, checked, next - checked);
    checked = next;
  }

  /** Returns how many bytes have been taken. */
  long position() {
    return passed + next;
  }

  /** Returns the checksum of the bytes that have been taken. */
  long checksum() {
    check();
    return checksum.getValue();
  }

  /** Returns the number of the line that the next byte belongs to, from 1 on. */
  long line() {
    return line;
  }

  /** Returns whether the last byte taken ended a line, or there was none. */
  boolean isAtLineStart() {
    return isAtLineStart;
  }

  /** Takes bytes up to a position; returns false if the file ends before it. */
  boolean skipTo(long position) {
    while (position() < position) {
      if (read() == END) {
        return false;
      }
    }
    return true;
  }

  /** Returns where reading is, for messages. */
  String place() {
    return name + ", line " + line + ", byte " + position();
  }

  /** Returns where the row is that was read last, for messages: the line that it ends in. */
  String lastPlace() {
    return place(isAtLineStart() ? line - 1 : line);
  }

  /** Returns where a line is, for messages. */
  String place(long number) {
    return name + ", line " + number;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
