package io.howdah.core.storage.file;

import io.howdah.core.Region;
import io.howdah.core.layout.Alignment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Reads a file into memory of its own, where it cannot be mapped privately. */
final class ImageLoader {

  private static final int CHUNK_BYTES = 1 << 20;
  private static final int PAGE_BYTES = Alignment.PAGE_BYTES;

  private ImageLoader() {}

  /**
   * Returns a region that starts with the file's bytes and continues with zeros.
   *
   * @param usedBytes offset from which on the file holds zeros, which are not read: reading the
   *     holes of a large file takes as long as reading data
   */
  static Region load(FileChannel channel, long lengthBytes, long usedBytes) throws IOException {
    Region region = Regions.anonymous(lengthBytes);
    boolean loaded = false;
    try {
      ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
      ByteBuffer zeros = ByteBuffer.allocateDirect(PAGE_BYTES);
      long end = Math.min(Math.min(lengthBytes, usedBytes), channel.size());
      for (long offset = 0; offset < end; offset += CHUNK_BYTES) {
        chunk.clear().limit((int) Math.min(CHUNK_BYTES, end - offset));
        readFully(channel, offset, chunk);
        for (int page = 0; page < chunk.limit(); page += PAGE_BYTES) {
          ByteBuffer bytes = chunk.slice(page, Math.min(PAGE_BYTES, chunk.limit() - page));
          // Pages of zeros are holes for the most part; skipped, they occupy no memory here either.
          if (bytes.mismatch(zeros.slice(0, bytes.remaining())) >= 0) {
            region.copyFrom(offset + page, bytes);
          }
        }
      }
      loaded = true;
      return region;
    } finally {
      if (!loaded) {
        region.close();
      }
    }
  }

  private static void readFully(FileChannel channel, long offset, ByteBuffer target)
      throws IOException {
    while (target.hasRemaining()) {
      if (channel.read(target, offset + target.position()) < 0) {
        throw new IOException("the file shrank while it was read");
      }
    }
  }
}
