package io.howdah.replica.ratis;

import io.howdah.core.CorruptStoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.apache.ratis.server.protocol.TermIndex;
import org.jspecify.annotations.Nullable;

/**
 * Repairs the end of Ratis's log after a power cut, before Ratis reads the log, and refuses damage.
 *
 * <p>Ratis forces each entry before it counts, so at most the last entry can be torn: it is
 * followed by zeros or by the end of the file, and was acknowledged to no other member. Ratis
 * itself either refuses such a log, or starts with whatever is before the first damaged byte. Here
 * such an entry is removed. Damage anywhere else is told with its file and offset; a member that
 * has lost entries must be replaced.
 *
 * <p>The bytes of a segment: {@code RaftLog1}, then entries, then zeros. An entry is a varint with
 * the length, a message of protobuf with that length, which begins with the term as field 1 and the
 * index as field 2, and the CRC32C of both, big-endian.
 */
final class RaftLogGuard {

  private static final byte[] HEADER = {'R', 'a', 'f', 't', 'L', 'o', 'g', '1'};
  private static final Pattern SEGMENT = Pattern.compile("log_(?:inprogress_(\\d+)|(\\d+)-\\d+)");
  private static final int CHECKSUM_BYTES = Integer.BYTES;
  private static final int TERM_TAG = 1 << 3;
  private static final int INDEX_TAG = 2 << 3;

  private final Path file;
  private final ByteBuffer bytes;
  private final int maxEntryBytes;

  /** The last valid entry. */
  private @Nullable TermIndex last;

  private RaftLogGuard(Path file, ByteBuffer bytes, int maxEntryBytes, @Nullable TermIndex before) {
    this.file = file;
    this.bytes = bytes;
    this.maxEntryBytes = maxEntryBytes;
    this.last = before;
  }

  private record Segment(Path path, long start) {}

  /**
   * Reads the segments in a directory, removes a torn entry at the end of the last one, and forces
   * that segment: a process that was killed may have written its last entry and not forced it.
   *
   * @param directory with Ratis's segments
   * @param maxEntryBytes maximum length of an entry with all that Ratis adds
   * @return the last entry, or null if there is none
   * @throws CorruptStoreException if anything else is damaged
   */
  static @Nullable TermIndex check(Path directory, int maxEntryBytes) {
    return check(directory, maxEntryBytes, channel -> channel.force(true));
  }

  /** Forces a file. */
  interface Force {
    void force(FileChannel channel) throws IOException;
  }

  /** As {@link #check(Path, int)}, with another way to force; for tests. */
  static @Nullable TermIndex check(Path directory, int maxEntryBytes, Force force) {
    try {
      List<Segment> segments = segments(directory);
      TermIndex last = null;
      for (Segment segment : segments) {
        boolean isLast = segment.equals(segments.getLast());
        last = check(segment.path(), isLast, maxEntryBytes, last, force);
      }
      return last;
    } catch (IOException e) {
      throw new UncheckedIOException("read the log of Ratis in " + directory, e);
    }
  }

  private static List<Segment> segments(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .<Segment>mapMulti(
              (path, found) -> {
                Matcher name = SEGMENT.matcher(path.getFileName().toString());
                if (name.matches()) {
                  String start = name.group(1) != null ? name.group(1) : name.group(2);
                  found.accept(new Segment(path, Long.parseLong(start)));
                }
              })
          .sorted((a, b) -> Long.compare(a.start(), b.start()))
          .toList();
    }
  }

  private static @Nullable TermIndex check(
      Path file, boolean isLast, int maxEntryBytes, @Nullable TermIndex before, Force force)
      throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
      RaftLogGuard guard = new RaftLogGuard(file, bytes, maxEntryBytes, before);
      int bad = guard.firstBad();
      if (bad >= 0) {
        if (!isLast) {
          throw guard.damaged(bad, "entries of later segments follow");
        }
        guard.requireTorn(bad);
        int end = guard.lastNonZero(bad) + 1;
        ByteBuffer zeros = ByteBuffer.allocate(end - bad);
        for (int at = bad; zeros.hasRemaining(); ) {
          at += channel.write(zeros, at);
        }
      }
      if (isLast) {
        force.force(channel);
      }
      return guard.last;
    }
  }

  /** Returns the offset of the first byte that belongs to no valid entry, or -1. */
  private int firstBad() {
    int at = 0;
    while (at < HEADER.length) {
      if (at == bytes.limit() || bytes.get(at) != HEADER[at]) {
        // A segment that was begun and not forced has no header, or a part of it.
        return lastNonZero(at) < at ? -1 : at;
      }
      at++;
    }
    while (at < bytes.limit() && bytes.get(at) != 0) {
      int end = endOfEntry(at);
      if (end < 0) {
        return at;
      }
      at = end;
    }
    return lastNonZero(at) < at ? -1 : at;
  }

  /** Returns the index of the last byte that is not zero, or {@code from} - 1. */
  private int lastNonZero(int from) {
    int at = bytes.limit() - 1;
    while (at >= from && bytes.get(at) == 0) {
      at--;
    }
    return at;
  }

  /** Returns the end of a valid entry, which becomes the last one; -1 if it is not valid. */
  private int endOfEntry(int at) {
    long length = varint(at);
    int body = at + varintBytes;
    if (length <= 0 || length > maxEntryBytes || body + length + CHECKSUM_BYTES > bytes.limit()) {
      return -1;
    }
    int end = body + (int) length;
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().position(at).limit(end));
    if (bytes.getInt(end) != (int) crc.getValue()) {
      return -1;
    }
    TermIndex found = termIndex(body);
    if (found == null) {
      return -1;
    }
    last = found;
    return end + CHECKSUM_BYTES;
  }

  private @Nullable TermIndex termIndex(int body) {
    long[] numbers = new long[2];
    int at = body;
    // A number that is 0 is left out.
    if (at < bytes.limit() && bytes.get(at) == TERM_TAG) {
      numbers[0] = varint(at + 1);
      at += 1 + varintBytes;
    }
    if (at < bytes.limit() && bytes.get(at) == INDEX_TAG) {
      numbers[1] = varint(at + 1);
    }
    return numbers[0] < 0 || numbers[1] < 0 ? null : TermIndex.valueOf(numbers[0], numbers[1]);
  }

  /** Length of the last {@link #varint}. */
  private int varintBytes;

  /** Returns an unsigned number of at most 63 bits, or -1 if none is there. */
  private long varint(int at) {
    long value = 0;
    for (int i = 0; i < 9 && at + i < bytes.limit(); i++) {
      byte next = bytes.get(at + i);
      value |= (long) (next & 0x7F) << (7 * i);
      if (next >= 0) {
        varintBytes = i + 1;
        return value;
      }
    }
    varintBytes = 1;
    return -1;
  }

  /**
   * Requires that what is behind the last valid entry is one torn entry.
   *
   * @throws CorruptStoreException if it may be more
   */
  private void requireTorn(int bad) {
    int end = lastNonZero(bad) + 1;
    if (end - bad > maxEntryBytes + 2 * CHECKSUM_BYTES + Long.BYTES) {
      throw damaged(bad, "more bytes follow than an entry has");
    }
    long length = varint(bad);
    if (bytes.get(bad) != 0
        && length > 0
        && length <= maxEntryBytes
        && bad + varintBytes + length + CHECKSUM_BYTES < end) {
      throw damaged(bad, "bytes follow behind its end");
    }
    TermIndex before = last;
    for (int at = bad + 1; at < end; at++) {
      // Nearly all offsets are told from an entry by the first byte of its message.
      if (varint(at) > 0
          && bytes.limit() > at + varintBytes
          && bytes.get(at + varintBytes) == TERM_TAG
          && endOfEntry(at) >= 0) {
        TermIndex next = last;
        throw damaged(bad, "a whole entry follows, " + next + ", after " + before);
      }
    }
    last = before;
  }

  private CorruptStoreException damaged(int at, String why) {
    return new CorruptStoreException(
        file.toString(),
        at,
        "the log of Ratis is damaged: no valid entry is here, and it is not the torn last one, for "
            + why
            + ". This member has lost entries of the group, and must not start again: replace it");
  }
}
