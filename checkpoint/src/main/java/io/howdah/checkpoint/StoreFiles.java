package io.howdah.checkpoint;

import io.howdah.core.storage.Storage;
import io.howdah.log.commit.RingDirectory;
import io.howdah.log.flush.SegmentNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The files and directories of a store except its superblock, its lock and its admin socket. */
public final class StoreFiles {

  /** Directories, each after its parent. */
  private static final List<String> DIRECTORIES =
      List.of(
          SegmentNames.LOG_DIRECTORY,
          SegmentNames.DIRECTORY,
          Journal.DIRECTORY,
          RingDirectory.DIRECTORY);

  /** Directories that contain files. */
  private static final List<String> FILE_DIRECTORIES =
      List.of(SegmentNames.DIRECTORY, Journal.DIRECTORY, RingDirectory.DIRECTORY);

  private static final List<String> FILES =
      List.of(ImageFile.NAME, ImageSums.NAME, FileCopy.COMPACT_NAME);

  /** A directory of the superuser in the root of every ext4 file system. */
  private static final String LOST_AND_FOUND = "lost+found";

  private StoreFiles() {}

  /** Returns whether a name in a store's root is that of such a file or directory. */
  public static boolean isOne(String name) {
    return DIRECTORIES.contains(name) || FILES.contains(name);
  }

  /** Returns whether a name exists in the root of an empty file system. */
  public static boolean isOfFileSystem(String name) {
    return name.equals(LOST_AND_FOUND);
  }

  /** Returns the directories that are missing. */
  public static List<String> missingDirectories(Storage storage) {
    List<String> missing = new ArrayList<>();
    for (String name : DIRECTORIES) {
      if (!storage.exists(name)) {
        missing.add(name);
      }
    }
    return missing;
  }

  /**
   * Creates missing directories, durably. A missing directory with needed files is not hidden by
   * this, because recovery reports the missing files by name.
   */
  public static void createDirectories(Storage storage) {
    List<String> missing = missingDirectories(storage);
    for (String name : missing) {
      storage.createDirectory(name);
    }
    if (!missing.isEmpty()) {
      storage.forceDirectory("");
      storage.forceDirectory(SegmentNames.LOG_DIRECTORY);
    }
  }

  /** Returns the name of an existing file, if any. */
  public static Optional<String> any(Storage storage) {
    List<String> found = new ArrayList<>();
    FILES.stream().filter(storage::exists).forEach(found::add);
    FILE_DIRECTORIES.forEach(
        directory -> storage.list(directory).forEach(name -> found.add(directory + "/" + name)));
    return found.stream().findFirst();
  }

  /** Deletes all these files and directories, durably. */
  public static void delete(Storage storage) {
    for (String directory : DIRECTORIES.reversed()) {
      if (storage.exists(directory)) {
        storage.list(directory).forEach(entry -> storage.delete(directory + "/" + entry));
        storage.delete(directory);
      }
    }
    FILES.forEach(storage::delete);
    storage.forceDirectory("");
  }
}
