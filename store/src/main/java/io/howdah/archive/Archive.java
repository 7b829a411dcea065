package io.howdah.archive;

import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.storage.file.FileStorageOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the archive of a store is, and how it is made. Immutable: each {@code with} method returns
 * another archive.
 */
public final class Archive {

  /** Shortest interval: 10 ms. */
  public static final Duration MIN_INTERVAL = Duration.ofMillis(10);

  /** Longest interval: one hour. */
  public static final Duration MAX_INTERVAL = Duration.ofHours(1);

  private final Supplier<ArchiveTarget> target;
  private final @Nullable Path directory;
  private final Duration interval;
  private final @Nullable Duration keep;

  private Archive(
      Supplier<ArchiveTarget> target,
      @Nullable Path directory,
      Duration interval,
      @Nullable Duration keep) {
    this.target = target;
    this.directory = directory;
    this.interval = interval;
    this.keep = keep;
  }

  /**
   * Returns an archive in a directory, which is created if it is absent: on another disk, on a
   * network file system, or a mounted bucket. It holds the archive of one store.
   *
   * @param interval how often what has become durable in the store is copied and forced: what a
   *     destroyed machine loses at most, together with the time of one force; {@link #MIN_INTERVAL}
   *     to {@link #MAX_INTERVAL}
   */
  public static Archive to(Path directory, Duration interval) {
    Objects.requireNonNull(directory, "directory");
    return new Archive(
        () -> new StorageTarget(FileStorage.open(directory, options())),
        directory,
        range(interval),
        null);
  }

  /**
   * Returns an archive in a place of another kind.
   *
   * @param target opens the place, each time that the archive is used
   * @param interval as for {@link #to(Path, Duration)}
   */
  public static Archive to(Supplier<ArchiveTarget> target, Duration interval) {
    return new Archive(Objects.requireNonNull(target, "target"), null, range(interval), null);
  }

  /**
   * Returns an archive in a directory, to read it.
   *
   * @throws io.howdah.core.UnsupportedStoreException by its use, if there is no such directory
   */
  public static Archive in(Path directory) {
    Objects.requireNonNull(directory, "directory");
    return new Archive(
        () ->
            new StorageTarget(
                FileStorage.open(directory, options().withCreate(false).withReadOnly(true))),
        directory,
        MAX_INTERVAL,
        null);
  }

  private static FileStorageOptions options() {
    return FileStorageOptions.DEFAULT.withNetworkFileSystemAllowed(true);
  }

  /**
   * Sets how long the archive can go back in time. Bases and log that no moment of this time needs
   * are removed, whenever a new base is complete; the newest base never is. Default: nothing is
   * removed.
   *
   * @param time one minute to 100 years
   */
  public Archive withKeep(Duration time) {
    if (time.compareTo(Duration.ofMinutes(1)) < 0 || time.compareTo(Duration.ofDays(36_500)) > 0) {
      throw new IllegalArgumentException("keep must be from one minute to 100 years, not " + time);
    }
    return new Archive(target, directory, interval, time);
  }

  private static Duration range(Duration interval) {
    if (interval.compareTo(MIN_INTERVAL) < 0 || interval.compareTo(MAX_INTERVAL) > 0) {
      throw new IllegalArgumentException(
          "interval must be from " + MIN_INTERVAL + " to " + MAX_INTERVAL + ", not " + interval);
    }
    return interval;
  }

  /** Opens the place; the caller closes it. */
  public ArchiveTarget open() {
    return target.get();
  }

  /** Returns the directory, if the place is one. */
  public Optional<Path> directory() {
    return Optional.ofNullable(directory);
  }

  /** Returns how often the archive is brought up to date. */
  public Duration interval() {
    return interval;
  }

  /** Returns how long the archive goes back in time; empty if nothing is removed. */
  public Optional<Duration> keep() {
    return Optional.ofNullable(keep);
  }
}
