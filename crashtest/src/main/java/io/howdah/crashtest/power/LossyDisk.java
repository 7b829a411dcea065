package io.howdah.crashtest.power;

import io.howdah.crashtest.kill.Death;
import io.howdah.process.AtExit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * A disk whose power can be cut, made of two file systems of the kernel, one in the other:
 *
 * <pre>
 *   store's files                  in the inner file system, of the kind under test
 *   inner file system              in the file "disk", through a loop device
 *   "disk"                         in the outer file system, ext4
 *   outer file system              in an ordinary file, through a loop device
 * </pre>
 *
 * What the inner file system writes to its device lies in the kernel's memory, as dirty pages of
 * "disk", until the inner file system asks for a flush of the device: they are the cache of the
 * disk. {@link #cut} stops the outer file system, which loses that cache, and then the inner one,
 * which loses what was not yet written to the device. So a write that nothing forced is lost, one
 * past the page cache as well. Before, some pages may be written back, at random: then part of what
 * was not forced survives.
 *
 * <p>The kernel keeps the two apart from all other file systems. Needs root. For one thread.
 */
final class LossyDisk implements PowerDisk {

  private static final long DISK_BYTES = 1L << 30;
  private static final long OUTER_BYTES = DISK_BYTES + (256L << 20);

  private static final String DISK = "disk";

  private final Path folder;
  private final Path image;
  private final Path outer;
  private final Path inner;
  private boolean kept;

  private LossyDisk(Path folder) {
    this.folder = folder;
    this.image = folder.resolve("image");
    this.outer = folder.resolve("outer");
    this.inner = folder.resolve("inner");
  }

  /**
   * Makes one and mounts it.
   *
   * @param folder empty; deleted with the disk
   */
  static LossyDisk create(Path folder, FileSystemKind kind)
      throws IOException, InterruptedException {
    LossyDisk disk = AtExit.close(new LossyDisk(folder.toRealPath()));
    try {
      disk.make(kind);
    } catch (IOException | InterruptedException | RuntimeException e) {
      disk.close();
      throw e;
    }
    return disk;
  }

  private void make(FileSystemKind kind) throws IOException, InterruptedException {
    Files.createDirectory(outer);
    Files.createDirectory(inner);
    Programs.run("truncate", "-s", Long.toString(OUTER_BYTES), image.toString());
    makeFileSystem(FileSystemKind.EXT4, image);
    mount(image, outer);
    Path disk = outer.resolve(DISK);
    Programs.run("fallocate", "-l", Long.toString(DISK_BYTES), disk.toString());
    makeFileSystem(kind, disk);
    Programs.run("sync", "-f", outer.toString());
    mount(disk, inner);
  }

  private static void makeFileSystem(FileSystemKind kind, Path file)
      throws IOException, InterruptedException {
    Programs.run(kind.maker(), "-q", kind.force(), file.toString());
  }

  private static void mount(Path file, Path on) throws IOException, InterruptedException {
    Programs.run("mount", "-o", "loop", file.toString(), on.toString());
  }

  /** Returns the root of the inner file system. */
  @Override
  public Path root() {
    return inner;
  }

  @Override
  public Death cut(long seed) {
    return new PowerCut(this, seed);
  }

  /**
   * Takes the power. Calls of the file system fail from now on.
   *
   * @param random decides how much of what was not forced is written back before: nothing in half
   *     of the cuts
   */
  void cut(SplittableRandom random) throws IOException {
    if (random.nextBoolean()) {
      writeSomeBack(random);
    }
    Kernel.stopFileSystems(outer, inner);
  }

  /** Starts to write random ranges of the store's files, and then of what the device was given. */
  private void writeSomeBack(SplittableRandom random) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(inner)) {
      files = new ArrayList<>(all.filter(Files::isRegularFile).toList());
    } catch (UncheckedIOException e) {
      // The workload deletes files while they are listed.
      files = new ArrayList<>();
    }
    for (Path file : files) {
      writeSomeBack(file, random);
    }
    writeSomeBack(outer.resolve(DISK), random);
  }

  private static void writeSomeBack(Path file, SplittableRandom random) {
    try {
      long length = Files.size(file);
      for (int i = random.nextInt(4); i > 0 && length > 0; i--) {
        Kernel.startWriting(file, random.nextLong(length) & -4096L, 4096L << random.nextInt(16));
      }
    } catch (IOException e) {
      // The file is gone by now.
    }
  }

  /** Brings the power back: both file systems recover and are mounted again. */
  void restart() throws IOException, InterruptedException {
    Programs.run("umount", inner.toString());
    Programs.run("umount", outer.toString());
    mount(image, outer);
    mount(outer.resolve(DISK), inner);
  }

  /** Leaves the image; returns its file. */
  @Override
  public Path keep() {
    kept = true;
    return image;
  }

  @Override
  public void close() throws IOException {
    AtExit.forget(this);
    for (Path mounted : List.of(inner, outer)) {
      try {
        if (isMounted(mounted)) {
          Programs.run("umount", mounted.toString());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted before " + mounted + " was unmounted", e);
      }
      Files.deleteIfExists(mounted);
    }
    if (!kept) {
      Files.deleteIfExists(image);
      Files.deleteIfExists(folder);
    }
  }

  private static boolean isMounted(Path path) throws IOException {
    try (Stream<String> mounts = Files.lines(Path.of("/proc/self/mounts"))) {
      return mounts.anyMatch(line -> line.split(" ", -1)[1].equals(path.toString()));
    }
  }
}
