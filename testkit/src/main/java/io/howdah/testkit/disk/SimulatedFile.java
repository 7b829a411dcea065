package io.howdah.testkit.disk;

import io.howdah.core.storage.Storage.Access;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** An open file of a {@link SimulatedStorage}. */
final class SimulatedFile implements StorageFile {

  private final DiskOperations operations;
  private final FileSystem files;
  private final Inode inode;
  private final Incarnation process;
  private final int directAlignmentBytes;
  private final String name;
  private final String description;
  private final Access access;
  private volatile boolean closed;

  SimulatedFile(
      DiskOperations operations,
      FileSystem files,
      Inode inode,
      Incarnation process,
      int directAlignmentBytes,
      String name,
      String description,
      Access access) {
    this.operations = operations;
    this.files = files;
    this.inode = inode;
    this.process = process;
    this.directAlignmentBytes = directAlignmentBytes;
    this.name = name;
    this.description = description;
    this.access = access;
  }

  @Override
  public String describe() {
    return description;
  }

  @Override
  public long sizeBytes() {
    synchronized (operations.lock()) {
      process.checkAlive();
      requireOpen("ask the length of");
      return inode.size;
    }
  }

  @Override
  public int alignmentBytes() {
    return access == Access.DIRECT ? directAlignmentBytes : 1;
  }

  @Override
  public int read(long offset, ByteBuffer target) {
    requireAligned(offset, target);
    requireOpen("read");
    return operations.perform(
        process,
        files,
        Operation.READ,
        name,
        offset,
        target.remaining(),
        0,
        _ -> inode.read(offset, target));
  }

  @Override
  public void write(long offset, ByteBuffer source) {
    requireAligned(offset, source);
    requireOpen("write");
    if (access == Access.READ) {
      throw new StorageException(
          Reason.ACCESS_DENIED, "write " + description + " (it is open for reading)", null);
    }
    int start = source.position();
    int length = source.remaining();
    operations.perform(
        process,
        files,
        Operation.WRITE,
        name,
        offset,
        length,
        contentHash(source),
        doneBytes -> {
          write(offset, source, start, (int) doneBytes);
          return doneBytes;
        });
    source.position(start + length);
  }

  private void write(long offset, ByteBuffer source, int start, int length)
      throws FileSystem.NoSpace {
    int done = 0;
    try {
      while (done < length) {
        long at = offset + done;
        int from = (int) (at & (Pages.PAGE_BYTES - 1));
        int part = Math.min(length - done, Pages.PAGE_BYTES - from);
        byte[] page = files.touch(inode, (int) (at >>> Pages.PAGE_SHIFT), from, part);
        source.get(start + done, page, from, part);
        done += part;
      }
    } finally {
      if (offset + done > inode.size && done > 0) {
        files.setSize(inode, offset + done);
      }
    }
  }

  private static long contentHash(ByteBuffer source) {
    CRC32C crc = new CRC32C();
    crc.update(source.duplicate());
    return crc.getValue();
  }

  @Override
  public void setSize(long lengthBytes) {
    if (lengthBytes < 0) {
      throw new IllegalArgumentException("length " + lengthBytes + " of " + description);
    }
    requireOpen("set the length of");
    if (access == Access.READ) {
      throw new StorageException(
          Reason.ACCESS_DENIED, "set the length of " + description + ", open for reading,", null);
    }
    operations.perform(
        process,
        files,
        Operation.SET_SIZE,
        name,
        lengthBytes,
        0,
        0,
        _ -> {
          files.setSize(inode, lengthBytes);
          return lengthBytes;
        });
  }

  @Override
  public void force() {
    requireOpen("force");
    operations.performForce(
        process,
        files,
        Operation.FORCE,
        name,
        new DiskOperations.ForceEffect<Object>() {
          @Override
          public Object begin() {
            return inode.beginForce();
          }

          @Override
          public void complete(Object mark) {
            inode.completeForce(mark);
            files.changed();
          }

          @Override
          public void fail(Object mark) {
            inode.failForce(mark);
            files.changed();
          }
        });
  }

  @Override
  public void close() {
    process.checkAlive();
    closed = true;
  }

  private void requireOpen(String verb) {
    if (closed) {
      throw new StorageException(Reason.CLOSED, verb + " " + description, null);
    }
  }

  private void requireAligned(long offset, ByteBuffer buffer) {
    if (!buffer.isDirect()) {
      throw new IllegalArgumentException("not a direct buffer, for " + description);
    }
    if (offset < 0) {
      throw new IllegalArgumentException("negative offset " + offset + " in " + description);
    }
    int alignment = alignmentBytes();
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
}
