package io.howdah.nvmsim.trace;

import static io.howdah.nvmsim.trace.TraceFileLayout.*;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Writes the binary trace format of {@link TraceFileLayout}, one chunk per batch. The file is whole
 * only after {@link #close}: without the last chunk a reader reports it cut short.
 */
public final class TraceWriter implements TraceSink, AutoCloseable {
  private final OutputStream out;
  private final boolean hasValues;
  private final ByteBuffer buffer =
      ByteBuffer.allocate(CHUNK_HEADER_LENGTH + EventBatch.CAPACITY * MAX_EVENT_LENGTH)
          .order(ByteOrder.LITTLE_ENDIAN);
  private final long[] lastAddress = new long[Event.MAX_THREADS];
  private final Map<Integer, Integer> fileSites = new HashMap<>();
  private long events;
  private boolean closed;

  /** Writes the header. The stream is closed with this writer; hand in a buffered one. */
  public TraceWriter(OutputStream out, TraceHeader header) throws IOException {
    this.out = out;
    this.hasValues = header.hasValues();
    ByteBuffer bytes = ByteBuffer.allocate(HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(MAGIC_OFFSET, MAGIC);
    bytes.putInt(VERSION_OFFSET, VERSION);
    bytes.putInt(FLAGS_OFFSET, hasValues ? FLAG_VALUES : 0);
    bytes.putLong(SEED_OFFSET, header.seed());
    bytes.put(POLICY_OFFSET, header.policy().getBytes(StandardCharsets.US_ASCII));
    CRC32C crc = new CRC32C();
    crc.update(bytes.array(), 0, CRC_OFFSET);
    bytes.putInt(CRC_OFFSET, (int) crc.getValue());
    out.write(bytes.array());
  }

  @Override
  public void accept(EventBatch batch) {
    try {
      writeNewSites(batch);
      writeEvents(batch);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Events written so far. */
  public long events() {
    return events;
  }

  private void writeNewSites(EventBatch batch) throws IOException {
    ByteBuffer sites = null;
    int added = 0;
    for (int i = 0; i < batch.count(); i++) {
      int site = Event.site(batch.packed()[i]);
      if (site == 0 || fileSites.containsKey(site)) {
        continue;
      }
      fileSites.put(site, fileSites.size() + 1);
      Site place = Site.of(site);
      byte[] file = bounded(place.file());
      byte[] what = bounded(place.what());
      if (sites == null) {
        sites = ByteBuffer.allocate(MAX_PAYLOAD_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        sites.position(CHUNK_HEADER_LENGTH);
      }
      Varint.put(sites, place.line());
      Varint.put(sites, file.length);
      sites.put(file);
      Varint.put(sites, what.length);
      sites.put(what);
      added++;
    }
    if (sites != null) {
      writeChunk(sites, CHUNK_SITES, added);
    }
  }

  /** Texts of at most 200 bytes, so that a batch of new sites fits one chunk. */
  private static byte[] bounded(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return bytes.length <= 200 ? bytes : Arrays.copyOf(bytes, 200);
  }

  private void writeEvents(EventBatch batch) throws IOException {
    Arrays.fill(lastAddress, 0);
    buffer.clear().position(CHUNK_HEADER_LENGTH);
    int previousThread = -1;
    for (int i = 0; i < batch.count(); i++) {
      long event = batch.packed()[i];
      int kind = Event.kind(event);
      int thread = Event.thread(event);
      int site = Event.site(event);
      long value = hasValues || kind > Event.RMW ? batch.values()[i] : 0;
      int tag =
          kind
              | (Event.isPersistent(event) ? TAG_PERSISTENT : 0)
              | (thread == previousThread ? TAG_SAME_THREAD : 0)
              | (site != 0 ? TAG_SITE : 0)
              | (value != 0 ? TAG_VALUE : 0);
      buffer.put((byte) tag);
      if (thread != previousThread) {
        Varint.put(buffer, thread);
        previousThread = thread;
      }
      if (Event.hasSize(kind)) {
        Varint.put(buffer, Event.size(event));
      }
      if (hasAddress(kind)) {
        long address = batch.addresses()[i];
        Varint.putSigned(buffer, address - lastAddress[thread]);
        lastAddress[thread] = address;
      }
      if (site != 0) {
        Varint.put(buffer, fileSites.getOrDefault(site, 0));
      }
      if (value != 0) {
        Varint.putSigned(buffer, value);
      }
    }
    writeChunk(buffer, CHUNK_EVENTS, batch.count());
    events += batch.count();
  }

  private void writeChunk(ByteBuffer chunk, int kind, int count) throws IOException {
    int length = chunk.position() - CHUNK_HEADER_LENGTH;
    chunk.putInt(CHUNK_LENGTH_OFFSET, length);
    chunk.putInt(CHUNK_EVENTS_OFFSET, count);
    chunk.putInt(CHUNK_KIND_OFFSET, kind);
    byte[] bytes = new byte[chunk.position()];
    chunk.get(0, bytes);
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, CHUNK_CRC_OFFSET);
    crc.update(bytes, CHUNK_HEADER_LENGTH, length);
    chunk.putInt(CHUNK_CRC_OFFSET, (int) crc.getValue());
    chunk.get(0, bytes);
    out.write(bytes);
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try (out) {
      buffer.clear().position(CHUNK_HEADER_LENGTH);
      buffer.putLong(events);
      writeChunk(buffer, CHUNK_END, 0);
    }
  }
}
