package io.howdah.crashtest.power;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.Storage.Access;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Copies files between a folder and a storage. Blocks of zeros are left out. */
final class DiskFiles {

  private static final int BLOCK_BYTES = 1 << 16;

  private DiskFiles() {}

  /** Copies a folder to a storage that is empty, and forces all of it. */
  static void load(Path folder, Storage storage) throws IOException {
    List<String> folders = new ArrayList<>(List.of(""));
    for (Path path : below(folder)) {
      String name = folder.relativize(path).toString();
      if (Files.isDirectory(path)) {
        storage.createDirectory(name);
        folders.add(name);
      } else {
        try (StorageFile file = storage.create(name)) {
          load(path, file);
        }
      }
    }
    folders.forEach(storage::forceDirectory);
  }

  private static void load(Path from, StorageFile to) throws IOException {
    ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
    try (FileChannel channel = FileChannel.open(from, StandardOpenOption.READ)) {
      to.setSize(channel.size());
      for (long at = 0; channel.read(block.clear(), at) > 0; at += block.limit()) {
        if (holdsAnything(block.flip())) {
          to.write(at, block.duplicate());
        }
      }
    }
    to.force();
  }

  /** Makes a folder hold what a storage holds, and nothing else. */
  static void store(Storage storage, Path folder) throws IOException {
    empty(folder);
    store(storage, "", folder);
  }

  /** Deletes a folder with all it holds. */
  static void delete(Path folder) throws IOException {
    empty(folder);
    Files.delete(folder);
  }

  private static void empty(Path folder) throws IOException {
    for (Path path : below(folder).reversed()) {
      Files.delete(path);
    }
  }

  private static void store(Storage storage, String directory, Path folder) throws IOException {
    for (String child : storage.list(directory)) {
      String name = directory.isEmpty() ? child : directory + "/" + child;
      Path path = folder.resolve(name);
      StorageFile file;
      try {
        file = storage.open(name, Access.READ);
      } catch (StorageException _) { // a folder
        Files.createDirectory(path);
        store(storage, name, folder);
        continue;
      }
      try (file) {
        store(file, path);
      }
    }
  }

  private static void store(StorageFile from, Path to) throws IOException {
    ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
    long size = from.sizeBytes();
    try (FileChannel channel =
        FileChannel.open(to, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
      for (long at = 0; at < size; at += BLOCK_BYTES) {
        from.read(at, block.clear());
        boolean isLast = at + BLOCK_BYTES >= size; // gives the file its length
        if (holdsAnything(block.flip()) || isLast) {
          channel.write(block.duplicate(), at);
        }
      }
    }
  }

  /** Returns what lies below a folder, each folder before what it holds. */
  private static List<Path> below(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(path -> !path.equals(folder)).sorted(Comparator.naturalOrder()).toList();
    }
  }

  private static boolean holdsAnything(ByteBuffer block) {
    int words = block.limit() & -Long.BYTES;
    for (int i = 0; i < words; i += Long.BYTES) {
      if (block.getLong(i) != 0) {
        return true;
      }
    }
    for (int i = words; i < block.limit(); i++) {
      if (block.get(i) != 0) {
        return true;
      }
    }
    return false;
  }
}
