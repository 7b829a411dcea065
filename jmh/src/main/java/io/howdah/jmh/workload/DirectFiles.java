package io.howdah.jmh.workload;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Files past the page cache, where the file system has that; else through it. */
final class DirectFiles {

  /** What offsets, lengths and buffers are multiples of: enough for every device. */
  static final int ALIGNMENT = 4096;

  // Looked up by name, because javac warns about the class that has it.
  private static final @Nullable OpenOption DIRECT = lookUp();

  private DirectFiles() {}

  private static @Nullable OpenOption lookUp() {
    try {
      for (Object constant :
          Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
        if (constant instanceof OpenOption option && option.toString().equals("DIRECT")) {
          return option;
        }
      }
      return null;
    } catch (ClassNotFoundException _) {
      return null;
    }
  }

  static FileChannel openToWrite(Path file) throws IOException {
    return open(file, List.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE));
  }

  static FileChannel openToRead(Path file) throws IOException {
    return open(file, List.of(StandardOpenOption.READ));
  }

  private static FileChannel open(Path file, List<OpenOption> options) throws IOException {
    if (DIRECT != null) {
      Set<OpenOption> direct = new HashSet<>(options);
      direct.add(DIRECT);
      try {
        return FileChannel.open(file, direct);
      } catch (UnsupportedOperationException | IOException _) {
        // The file system has none; buffered access fails with the better message if it must.
      }
    }
    return FileChannel.open(file, Set.copyOf(options));
  }

  static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocateDirect(bytes + ALIGNMENT).alignedSlice(ALIGNMENT).limit(bytes);
  }
}
