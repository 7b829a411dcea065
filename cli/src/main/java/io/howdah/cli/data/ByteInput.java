package io.howdah.cli.data;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import java.util.zip.GZIPInputStream;

/**
 * The bytes of a file, unpacked if its name ends in {@code .gz}, with the place where reading is
 * and the checksum of everything before it. For one thread.
 */
final class ByteInput implements AutoCloseable {

  static final int END = -1;

  private final Path file;
  private final InputStream in;
  private final CRC32C checksum = new CRC32C();
  private final byte[] buffer = new byte[1 << 16];
  private int limit;
  private int next;
  private int checked;
  private long passed;
  private long line = 1;
  private int last = '\n';

  private ByteInput(Path file, InputStream in) {
    this.file = file;
    this.in = in;
  }

  static ByteInput open(Path file) throws IOException {
    InputStream raw = Files.newInputStream(file);
    try {
      boolean packed = file.toString().endsWith(".gz");
      return new ByteInput(file, packed ? new GZIPInputStream(raw, 1 << 16) : raw);
    } catch (IOException e) {
      raw.close();
      throw new DataException(file + " cannot be unpacked: " + e.getMessage(), e);
    }
  }

  /** Returns the next byte without taking it, or {@link #END}. */
  int peek() throws IOException {
    return next < limit || fill() ? buffer[next] & 0xFF : END;
  }

  /** Takes the next byte, or returns {@link #END}. */
  int read() throws IOException {
    if (next == limit && !fill()) {
      return END;
    }
    last = buffer[next++] & 0xFF;
    if (last == '\n') {
      line++;
    }
    return last;
  }

  private boolean fill() throws IOException {
    check();
    passed += limit;
    next = 0;
    checked = 0;
    int count;
    try {
      count = in.read(buffer);
    } catch (java.util.zip.ZipException | java.io.EOFException e) {
      limit = 0;
      throw new DataException(file + " cannot be unpacked: " + e.getMessage(), e);
    }
    limit = Math.max(count, 0);
    return limit > 0;
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
    return last == '\n';
  }

  /** Takes bytes up to a position; returns false if the file ends before it. */
  boolean skipTo(long position) throws IOException {
    while (position() < position) {
      if (read() == END) {
        return false;
      }
    }
    return true;
  }

  /** Returns where reading is, for messages. */
  String place() {
    return file + ", line " + line + ", byte " + position();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
