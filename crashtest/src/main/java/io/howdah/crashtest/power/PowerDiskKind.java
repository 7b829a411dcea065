package io.howdah.crashtest.power;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Disks whose power can be cut. */
public enum PowerDiskKind {

  /** The kernel's ext4, on a disk with a cache ({@link LossyDisk}). */
  EXT4(FileSystemKind.EXT4),

  /** The kernel's XFS, on the same. */
  XFS(FileSystemKind.XFS),

  /**
   * Any folder: what the process asked of the kernel is done once more on the simulated disk, which
   * says what may survive ({@link NotedDisk}).
   */
  SIMULATED(null);

  private final Optional<FileSystemKind> kernels;

  PowerDiskKind(@Nullable FileSystemKind kernels) {
    this.kernels = Optional.ofNullable(kernels);
  }

  /**
   * Makes one and tries it.
   *
   * @param folder for the trial; must exist
   * @return why this kind does not work here; empty if it does
   */
  public Optional<String> whyNot(Path folder) throws InterruptedException {
    return kernels.isPresent()
        ? PowerProbe.whyNot(folder, kernels.get())
        : NotedCalls.whyNot(folder);
  }

  /**
   * Makes one.
   *
   * @param folder empty; deleted with the disk
   */
  public PowerDisk create(Path folder) throws IOException, InterruptedException {
    return kernels.isPresent() ? LossyDisk.create(folder, kernels.get()) : NotedDisk.create(folder);
  }
}
