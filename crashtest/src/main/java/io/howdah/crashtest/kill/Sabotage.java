package io.howdah.crashtest.kill;

import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.SuperblockFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * What is done to a store after each kill, to see a run fail as it must: a check that cannot fail
 * proves nothing. None of it is anything that a kill of the process does.
 */
public enum Sabotage {

  /** Leaves the store as the kill left it. */
  NONE {
    @Override
    void strike(Path store) {}
  },

  /**
   * Removes the rings, as replacing a container together with its {@code /dev/shm} does: what was
   * not forced is lost.
   */
  RINGS {
    @Override
    void strike(Path store) {
      removeRings(store);
    }
  },

  /**
   * Makes the child's forces do nothing, in the first life and all others. Only a power cut can
   * tell.
   */
  FORCES {
    @Override
    void strike(Path store) {}
  },

  /** Changes one byte near the start of every log segment. */
  LOG {
    @Override
    void strike(Path store) throws IOException {
      List<Path> segments;
      try (Stream<Path> files = Files.walk(store.resolve("log"))) {
        segments = files.filter(Files::isRegularFile).toList();
      }
      for (Path segment : segments) {
        invert(segment, SegmentLayout.HEADER_LENGTH + SPOILED_OFFSET);
      }
    }
  };

  /** Within the first batch of a segment. */
  private static final int SPOILED_OFFSET = 100;

  /** Strikes, while no process has the store open. */
  abstract void strike(Path store) throws IOException;

  /**
   * Removes the rings of a store that no process has open.
   *
   * @throws io.howdah.core.HowdahException if the superblock, which names them, cannot be read
   */
  public static void removeRings(Path store) {
    try (Storage storage = FileStorage.open(store);
        SuperblockFile superblock = SuperblockFile.open(storage)) {
      if (superblock.current().rings() instanceof RingPlacement.VolatilePlace(var name, _)) {
        storage.volatilePlace(name, false, 0).ifPresent(Sabotage::deleteAll);
      }
    }
  }

  private static void deleteAll(Storage place) {
    try (place) {
      place.list("").forEach(place::delete);
      place.delete("");
    }
  }

  private static void invert(Path file, long offset) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, offset);
      one.put(0, (byte) ~one.get(0)).flip();
      channel.write(one, offset);
    }
  }
}
