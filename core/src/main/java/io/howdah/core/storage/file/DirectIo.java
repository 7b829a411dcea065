package io.howdah.core.storage.file;

import io.howdah.core.layout.Alignment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether and how files of one directory are read and written past the page cache. */
final class DirectIo {

  /** Largest alignment used; where a file system wants more, its files are buffered. */
  static final int MAX_ALIGNMENT_BYTES = Alignment.PAGE_BYTES;

  /** What {@link #probe} says of a directory whose files are buffered. */
  static final int UNSUPPORTED = 1;

  // Named in source it would trip -Werror: javac calls the class internal and offers no
  // suppression.
  private static final @Nullable OpenOption DIRECT = lookUp();

  private DirectIo() {}

  /**
   * Tries direct reading on a file.
   *
   * @return the alignment that direct access to this file and its neighbours takes, or {@link
   *     #UNSUPPORTED}
   */
  static int probe(Path file) throws IOException {
    long blockBytes = Files.getFileStore(file).getBlockSize();
    if (DIRECT == null || blockBytes > MAX_ALIGNMENT_BYTES || Long.bitCount(blockBytes) != 1) {
      return UNSUPPORTED;
    }
    int alignment = (int) blockBytes;
    // Some file systems refuse at open, others at the first access.
    try (FileChannel channel = open(file)) {
      channel.read(
          ByteBuffer.allocateDirect(2 * alignment).alignedSlice(alignment).limit(alignment), 0);
      return alignment;
    } catch (IOException | UnsupportedOperationException e) {
      return UNSUPPORTED;
    }
  }

  /** Opens an existing file, not through a symbolic link, for direct reading and writing. */
  static FileChannel open(Path file) throws IOException {
    if (DIRECT == null) {
      throw new UnsupportedOperationException("this JDK has no direct file access");
    }
    return FileChannel.open(
        file,
        Set.of(
            StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS, DIRECT));
  }

  private static @Nullable OpenOption lookUp() {
    try {
      for (Object constant :
          Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
        if (constant instanceof OpenOption option && option.toString().equals("DIRECT")) {
          return option;
        }
      }
      return null;
    } catch (ClassNotFoundException e) {
      return null;
    }
  }
}
