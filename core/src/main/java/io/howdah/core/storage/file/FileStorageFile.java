package io.howdah.core.storage.file;

import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.core.storage.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.NonWritableChannelException;
import org.jspecify.annotations.Nullable;

/** An open file of a {@link FileStorage}. */
final class FileStorageFile implements StorageFile {

  private final FileStorage storage;
  private final String description;
  private final FileChannel channel;
  private final int alignment;

  FileStorageFile(FileStorage storage, String description, FileChannel channel, int alignment) {
    this.storage = storage;
    this.description = description;
    this.channel = channel;
    this.alignment = alignment;
  }

  @Override
  public String describe() {
    return description;
  }

  @Override
  public long sizeBytes() {
    try {
      return channel.size();
    } catch (IOException e) {
      throw new StorageException(FailureReasons.of(e), "ask the length of " + description, e);
    }
  }

  @Override
  public int alignmentBytes() {
    return alignment;
  }

  @Override
  public int read(long offset, ByteBuffer target) {
    requireAligned(offset, target);
    int start = target.position();
    try {
      while (target.hasRemaining()) {
        int count = channel.read(target, offset + target.position() - start);
        // A direct read comes back short of a whole block at the end of the file alone, and the
        // rest could not be asked for: its offset is not aligned.
        if (count <= 0 || (target.position() - start) % alignment != 0) {
          break;
        }
      }
      return target.position() - start;
    } catch (IOException e) {
      throw failed("read", offset, target.limit() - start, FailureReasons.of(e), e);
    }
  }

  @Override
  public void write(long offset, ByteBuffer source) {
    requireAligned(offset, source);
    int start = source.position();
    int length = source.remaining();
    try {
      while (source.hasRemaining()) {
        if (channel.write(source, offset + source.position() - start) <= 0) {
          throw new IOException("the system accepts no more bytes");
        }
      }
    } catch (IOException e) {
      Reason reason = FailureReasons.of(e);
      // The system's message may be in any language; a write that had no room for it failed for
      // that.
      if (reason == Reason.IO && storage.hasNoRoomFor(length)) {
        reason = Reason.NO_SPACE;
      }
      throw failed("write", offset, length, reason, e);
    } catch (NonWritableChannelException e) {
      throw failed(
          "write (the file is open for reading)", offset, length, Reason.ACCESS_DENIED, null);
    }
  }

  @Override
  public void setSize(long lengthBytes) {
    try {
      if (lengthBytes < channel.size()) {
        channel.truncate(lengthBytes);
      } else if (lengthBytes > channel.size()) {
        Regions.extend(channel, lengthBytes);
      }
    } catch (IOException e) {
      throw new StorageException(
          FailureReasons.of(e), "set " + description + " to " + lengthBytes + " bytes", e);
    } catch (NonWritableChannelException e) {
      throw new StorageException(
          Reason.ACCESS_DENIED, "set the length of " + description + ", open for reading,", null);
    }
  }

  @Override
  public void force() {
    try {
      // fdatasync, which includes a changed length, and on macOS the flush of the drive's own
      // cache.
      channel.force(false);
    } catch (IOException e) {
      throw new StorageException(FailureReasons.of(e), "force " + description, e);
    }
  }

  @Override
  public void close() {
    storage.forget(this);
    try {
      channel.close();
    } catch (IOException e) {
      throw new StorageException(FailureReasons.of(e), "close " + description, e);
    }
  }

  private void requireAligned(long offset, ByteBuffer buffer) {
    if (offset < 0) {
      throw new IllegalArgumentException("negative offset " + offset + " in " + description);
    }
    if (alignment > 1
        && (offset % alignment != 0
            || buffer.remaining() % alignment != 0
            || buffer.alignmentOffset(buffer.position(), alignment) != 0)) {
      throw new IllegalArgumentException(
          "direct access to "
              + description
              + " at offset "
              + offset
              + ", "
              + buffer.remaining()
              + " bytes: offset, length and the buffer's address must be multiples of "
              + alignment);
    }
  }

  private StorageException failed(
      String verb, long offset, int length, Reason reason, @Nullable IOException cause) {
    return new StorageException(
        reason, verb + " " + description + " at " + offset + ", " + length + " bytes", cause);
  }
}
