package io.howdah.nvmsim.trace;

import static io.howdah.nvmsim.trace.TraceFileLayout.*;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Reads the binary trace format of {@link TraceFileLayout}, a chunk at a time: memory use does not
 * depend on the length of the trace. Every chunk's checksum is checked before its bytes are used.
 */
public final class TraceReader implements TraceSource {
  private final InputStream in;
  private final String name;
  private final TraceHeader header;
  private final byte[] chunkHeader = new byte[CHUNK_HEADER_LENGTH];
  private final long[] lastAddress = new long[Event.MAX_THREADS];
  private final List<Integer> sites = new ArrayList<>(List.of(0));
  private ByteBuffer chunk = ByteBuffer.allocate(0);
  private long chunkOffset;
  private int chunkEventsLeft;
  private int previousThread;
  private long offset;
  private long sequence;
  private boolean ended;

  /** Opens a file and reads its header. */
  public static TraceReader open(Path file) throws IOException {
    InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
    try {
      return new TraceReader(in, file.toString());
    } catch (IOException | RuntimeException e) {
      in.close();
      throw e;
    }
  }

  /** Reads the header of a stream, which is closed with this reader; the name is for messages. */
  public TraceReader(InputStream in, String name) throws IOException {
    this.in = in;
    this.name = name;
    byte[] bytes = new byte[HEADER_LENGTH];
    readFully(bytes, HEADER_LENGTH, "header");
    ByteBuffer fields = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (fields.getLong(MAGIC_OFFSET) != MAGIC) {
      throw wrong(MAGIC_OFFSET, "not a trace file: magic is not HWDTRACE");
    }
    int version = fields.getInt(VERSION_OFFSET);
    if (version != VERSION) {
      throw wrong(VERSION_OFFSET, "trace format version " + version + ", this reads " + VERSION);
    }
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, CRC_OFFSET);
    if ((int) crc.getValue() != fields.getInt(CRC_OFFSET)) {
      throw wrong(CRC_OFFSET, "header checksum mismatch");
    }
    int flags = fields.getInt(FLAGS_OFFSET);
    if ((flags & ~FLAG_VALUES) != 0 || fields.getInt(RESERVED_OFFSET) != 0) {
      throw wrong(FLAGS_OFFSET, "unknown flags or reserved bytes not zero");
    }
    int policyLength = 0;
    while (policyLength < POLICY_LENGTH && bytes[POLICY_OFFSET + policyLength] != 0) {
      policyLength++;
    }
    String policy = new String(bytes, POLICY_OFFSET, policyLength, StandardCharsets.US_ASCII);
    try {
      header = new TraceHeader(policy, fields.getLong(SEED_OFFSET), (flags & FLAG_VALUES) != 0);
    } catch (IllegalArgumentException e) {
      throw wrong(POLICY_OFFSET, String.valueOf(e.getMessage()));
    }
    offset = HEADER_LENGTH;
  }

  public TraceHeader header() {
    return header;
  }

  @Override
  public boolean next(EventBatch batch) throws IOException {
    batch.begin(sequence);
    while (!batch.isFull()) {
      if (chunkEventsLeft == 0) {
        if (ended || batch.count() > 0 || !openChunk()) {
          break;
        }
        continue;
      }
      try {
        decode(batch);
      } catch (IllegalArgumentException e) {
        throw wrong(
            chunkOffset + CHUNK_HEADER_LENGTH + chunk.position(), String.valueOf(e.getMessage()));
      }
      if (--chunkEventsLeft == 0 && chunk.hasRemaining()) {
        throw wrong(
            chunkOffset + CHUNK_HEADER_LENGTH + chunk.position(), "bytes after the last event");
      }
    }
    sequence += batch.count();
    return batch.count() > 0;
  }

  /** Reads the next chunk; returns false at the end of the trace. */
  private boolean openChunk() throws IOException {
    chunkOffset = offset;
    readFully(chunkHeader, CHUNK_HEADER_LENGTH, "chunk header");
    ByteBuffer fields = ByteBuffer.wrap(chunkHeader).order(ByteOrder.LITTLE_ENDIAN);
    int length = fields.getInt(CHUNK_LENGTH_OFFSET);
    int count = fields.getInt(CHUNK_EVENTS_OFFSET);
    int kind = fields.getInt(CHUNK_KIND_OFFSET);
    if (length < 0 || length > MAX_PAYLOAD_LENGTH || count < 0 || count > length) {
      throw wrong(
          chunkOffset,
          "chunk of "
              + length
              + " bytes and "
              + count
              + " events is out of bounds (at most "
              + MAX_PAYLOAD_LENGTH
              + " bytes, no more events than bytes)");
    }
    byte[] payload = new byte[length];
    readFully(payload, length, "chunk payload");
    CRC32C crc = new CRC32C();
    crc.update(chunkHeader, 0, CHUNK_CRC_OFFSET);
    crc.update(payload);
    int expected = fields.getInt(CHUNK_CRC_OFFSET);
    if ((int) crc.getValue() != expected) {
      throw wrong(
          chunkOffset,
          "chunk checksum mismatch, expected 0x"
              + Integer.toHexString(expected)
              + " actual 0x"
              + Integer.toHexString((int) crc.getValue()));
    }
    chunk = ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN);
    switch (kind) {
      case CHUNK_EVENTS -> {
        chunkEventsLeft = count;
        previousThread = -1;
        Arrays.fill(lastAddress, 0);
        if (count == 0 && length > 0) {
          throw wrong(chunkOffset, "bytes in a chunk without events");
        }
      }
      case CHUNK_SITES -> readSites(count);
      case CHUNK_END -> {
        if (length != Long.BYTES || chunk.getLong() != sequence) {
          throw wrong(chunkOffset, "last chunk does not count the " + sequence + " events read");
        }
        if (in.read() >= 0) {
          throw wrong(offset, "bytes after the last chunk");
        }
        ended = true;
        return false;
      }
      default -> throw wrong(chunkOffset, "chunk of unknown kind " + kind);
    }
    return true;
  }

  private void readSites(int count) throws IOException {
    try {
      for (int i = 0; i < count; i++) {
        long line = Varint.get(chunk);
        String file = readText();
        String what = readText();
        if (line > Integer.MAX_VALUE || line < 0 || sites.size() >= Event.MAX_SITES) {
          throw new IllegalArgumentException("site out of bounds");
        }
        sites.add(Site.at(file, (int) line, what));
      }
    } catch (IllegalArgumentException e) {
      throw wrong(
          chunkOffset + CHUNK_HEADER_LENGTH + chunk.position(), String.valueOf(e.getMessage()));
    }
  }

  private String readText() {
    long length = Varint.get(chunk);
    if (length < 0 || length > chunk.remaining()) {
      throw new IllegalArgumentException("text runs past the end of its chunk");
    }
    byte[] bytes = new byte[(int) length];
    chunk.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private void decode(EventBatch batch) {
    if (!chunk.hasRemaining()) {
      throw new IllegalArgumentException("chunk ends before its last event");
    }
    int tag = chunk.get();
    int kind = tag & 0xF;
    if (kind >= Event.KINDS) {
      throw new IllegalArgumentException("unknown event kind " + kind);
    }
    if ((tag & TAG_SAME_THREAD) == 0) {
      long thread = Varint.get(chunk);
      if (thread < 0 || thread >= Event.MAX_THREADS) {
        throw new IllegalArgumentException("thread " + thread + " is out of bounds");
      }
      previousThread = (int) thread;
    } else if (previousThread < 0) {
      throw new IllegalArgumentException("first event of a chunk names no thread");
    }
    int thread = previousThread;
    long size = 0;
    if (Event.hasSize(kind)) {
      size = Varint.get(chunk);
      if (size <= 0 || size > Event.MAX_ACCESS_LENGTH) {
        throw new IllegalArgumentException("access of " + size + " bytes is out of bounds");
      }
    }
    long address = 0;
    if (hasAddress(kind)) {
      address = lastAddress[thread] + Varint.getSigned(chunk);
      lastAddress[thread] = address;
      if (Event.hasSize(kind)) {
        Event.checkAddress(address);
      }
      if (kind == Event.RMW && !Event.isAlignedAtomic(address, (int) size)) {
        throw new IllegalArgumentException(
            "unaligned atomic: read-modify-write at 0x" + Long.toHexString(address) + "+" + size);
      }
    }
    int site = 0;
    if ((tag & TAG_SITE) != 0) {
      long fileSite = Varint.get(chunk);
      if (fileSite <= 0 || fileSite >= sites.size()) {
        throw new IllegalArgumentException("site " + fileSite + " is not defined");
      }
      site = sites.get((int) fileSite);
    }
    long value = (tag & TAG_VALUE) != 0 ? Varint.getSigned(chunk) : 0;
    batch.append(
        Event.access(kind, thread, (int) size, (tag & TAG_PERSISTENT) != 0, site), address, value);
  }

  private void readFully(byte[] into, int length, String what) throws IOException {
    int read = in.readNBytes(into, 0, length);
    if (read < length) {
      throw wrong(
          offset + read,
          "trace is cut short in its " + what + ": " + (length - read) + " bytes missing");
    }
    offset += length;
  }

  private TraceFormatException wrong(long position, String what) {
    return new TraceFormatException(name, "offset", position, what);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
