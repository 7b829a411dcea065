package io.howdah.jmh.workload;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;

/**
 * What the disk can do, without the engine: forcing a small write to blocks that were written
 * before, and reading and writing in sequence. For one thread.
 */
public final class RawDisk implements AutoCloseable {

  private static final int FORCE_FILE_BYTES = 16 << 20;
  private static final int CHUNK_BYTES = 1 << 20;

  private final Path forceFile;
  private final FileChannel channel;
  private final ByteBuffer page;
  private long position;

  private RawDisk(Path forceFile, FileChannel channel) {
    this.forceFile = forceFile;
    this.channel = channel;
    this.page = DirectFiles.buffer(DirectFiles.ALIGNMENT);
  }

  /** Prepares a file in a folder, which should be beside the store that it is compared with. */
  public static RawDisk create(Path folder) throws IOException {
    Path file = Files.createTempFile(folder, "howdah-raw", ".force");
    FileChannel channel = DirectFiles.openToWrite(file);
    RawDisk disk = new RawDisk(file, channel);
    try {
      disk.writeThrough(channel, FORCE_FILE_BYTES);
      channel.force(true);
      return disk;
    } catch (IOException e) {
      disk.close();
      throw e;
    }
  }

  private void writeThrough(FileChannel target, long bytes) throws IOException {
    ByteBuffer chunk = DirectFiles.buffer(CHUNK_BYTES);
    for (long at = 0; at < bytes; at += CHUNK_BYTES) {
      chunk.rewind();
      while (chunk.hasRemaining()) {
        target.write(chunk, at + chunk.position());
      }
    }
  }

  /** Writes one page over blocks that were written before, and forces it; returns nanoseconds. */
  private long forceNanos() throws IOException {
    page.rewind();
    page.putLong(0, position); // no two pages alike, should anything below compare them
    long begin = System.nanoTime();
    channel.write(page, position);
    channel.force(false);
    long took = System.nanoTime() - begin;
    position = (position + DirectFiles.ALIGNMENT) % FORCE_FILE_BYTES;
    return took;
  }

  /** Returns how long each of so many such forces took, one after the other. */
  public Histogram forceNanos(int count) throws IOException {
    Histogram nanos = Latency.histogram();
    for (int i = 0; i < count; i++) {
      nanos.recordValue(forceNanos());
    }
    return nanos;
  }

  /** Returns how many such forces a second one thread gets, one after the other. */
  public double forcesPerSecond(long nanos) throws IOException {
    long begin = System.nanoTime();
    long count = 0;
    long took;
    do {
      forceNanos();
      count++;
      took = System.nanoTime() - begin;
    } while (took < nanos);
    return count * 1e9 / took;
  }

  /** Returns bytes per second of writing in sequence, forced at the end. */
  public double sequentialWriteBytesPerSecond(long bytes) throws IOException {
    Path file = Files.createTempFile(forceFile.resolveSibling("."), "howdah-raw", ".write");
    try (FileChannel target = DirectFiles.openToWrite(file)) {
      long begin = System.nanoTime();
      writeThrough(target, bytes);
      target.force(true);
      return bytes * 1e9 / (System.nanoTime() - begin);
    } finally {
      Files.delete(file);
    }
  }

  /** Returns bytes per second of reading files in sequence, past the page cache. */
  public static double sequentialReadBytesPerSecond(Iterable<Path> files) throws IOException {
    ByteBuffer chunk = DirectFiles.buffer(CHUNK_BYTES);
    long bytes = 0;
    long begin = System.nanoTime();
    for (Path file : files) {
      try (FileChannel source = DirectFiles.openToRead(file)) {
        long at = 0;
        int read;
        do {
          chunk.clear();
          read = source.read(chunk, at);
          at += Math.max(read, 0);
        } while (read == CHUNK_BYTES);
        bytes += at;
      }
    }
    return bytes * 1e9 / (System.nanoTime() - begin);
  }

  @Override
  public void close() throws IOException {
    channel.close();
    Files.deleteIfExists(forceFile);
  }
}
