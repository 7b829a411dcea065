package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A system may transfer fewer bytes than it was asked for, without an error. The rest is asked for
 * again.
 */
final class ShortTransfersTest {

  private static final int LENGTH = 1000;
  private static final int PIECE = 7;
  private static final int OFFSET = 5;

  @TempDir Path folder;

  private FileStorage storage;
  private ShortChannel channel;
  private StorageFile file;

  @BeforeEach
  void open() throws IOException {
    storage = FileStorage.open(folder.resolve("store"));
    channel =
        new ShortChannel(
            FileChannel.open(
                folder.resolve("file"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE));
    file = new FileStorageFile(storage, "the file", channel, 1);
  }

  @AfterEach
  void close() {
    file.close();
    storage.close();
  }

  private static ByteBuffer pattern() {
    ByteBuffer bytes = ByteBuffer.allocateDirect(LENGTH);
    while (bytes.hasRemaining()) {
      bytes.put((byte) (bytes.position() * 31));
    }
    return bytes.flip();
  }

  @Test
  void aShortWriteIsContinuedWhereItEnded() throws IOException {
    ByteBuffer source = pattern();
    file.write(OFFSET, source);
    assertThat(source.hasRemaining()).isFalse();
    ByteBuffer written = ByteBuffer.allocateDirect(LENGTH);
    assertThat(channel.whole.read(written, OFFSET)).isEqualTo(LENGTH);
    assertThat(written.flip()).isEqualTo(pattern());
  }

  @Test
  void aShortReadIsContinuedUpToTheEndOfTheFile() throws IOException {
    channel.whole.write(pattern(), OFFSET);
    ByteBuffer target = ByteBuffer.allocateDirect(2 * LENGTH);
    assertThat(file.read(OFFSET, target)).isEqualTo(LENGTH);
    assertThat(target.flip()).isEqualTo(pattern());
  }

  @Test
  void aWriteOfWhichNothingIsTakenFails() {
    channel.pieceBytes = 0;
    assertThatThrownBy(() -> file.write(OFFSET, pattern()))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("write the file at " + OFFSET + ", " + LENGTH + " bytes")
        .hasMessageContaining("no more bytes");
  }

  /**
   * Transfers a few bytes for each call at an offset. A storage file uses no other way to transfer,
   * to map or to lock; if it ever does, the test fails, because short transfers of that way are not
   * tested.
   */
  private static final class ShortChannel extends FileChannel {
    final FileChannel whole;
    int pieceBytes = PIECE;

    ShortChannel(FileChannel whole) {
      this.whole = whole;
    }

    private ByteBuffer piece(ByteBuffer all) {
      return all.slice(all.position(), Math.min(all.remaining(), pieceBytes));
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      int count = whole.read(piece(target), position);
      target.position(target.position() + Math.max(0, count));
      return count;
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
      int count = whole.write(piece(source), position);
      source.position(source.position() + count);
      return count;
    }

    @Override
    public long size() throws IOException {
      return whole.size();
    }

    @Override
    public void force(boolean metaData) throws IOException {
      whole.force(metaData);
    }

    @Override
    protected void implCloseChannel() throws IOException {
      whole.close();
    }

    @Override
    public int read(ByteBuffer target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer source) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel position(long position) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel truncate(long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }
  }
}
