package io.howdah.archive;

import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.storage.file.FileStorageOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

  private static final int KEY_BYTES = 32;

  private static final Pattern ADDRESS = Pattern.compile("([a-z][a-z0-9+.-]+)://.*");

  private final Supplier<ArchiveTarget> target;
  private final @Nullable String place;
  private final @Nullable Path directory;
  private final Duration interval;
  private final @Nullable Duration keep;
  private final boolean isCompressed;
  private final byte @Nullable [] key;

  private Archive(
      Supplier<ArchiveTarget> target,
      @Nullable String place,
      @Nullable Path directory,
      Duration interval,
      @Nullable Duration keep,
      boolean isCompressed,
      byte @Nullable [] key) {
    this.target = target;
    this.place = place;
    this.directory = directory;
    this.interval = interval;
    this.keep = keep;
    this.isCompressed = isCompressed;
    this.key = key;
  }

  private static Archive ofDirectory(
      Path directory, FileStorageOptions options, Duration interval) {
    return new Archive(
        () -> new StorageTarget(FileStorage.open(directory, options)),
        directory.toString(),
        directory,
        range(interval),
        null,
        false,
        null);
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
    return ofDirectory(directory, options(), interval);
  }

  /**
   * Returns an archive in a place of another kind.
   *
   * @param target opens the place, each time that the archive is used
   * @param interval as for {@link #to(Path, Duration)}
   */
  public static Archive to(Supplier<ArchiveTarget> target, Duration interval) {
    Objects.requireNonNull(target, "target");
    return new Archive(target, null, null, range(interval), null, false, null);
  }

  /**
   * Returns an archive in a place that is named by text: the path of a directory, or an address
   * such as {@code s3://bucket/prefix}. What is before {@code ://} chooses a library: that of
   * {@code s3} is the artifact {@code howdah-archive-s3}, which the program adds to its class path.
   * It is looked for here, by the context class loader of the thread.
   *
   * @param interval as for {@link #to(Path, Duration)}
   * @throws IllegalArgumentException if the address is none of its kind
   * @throws UnsupportedStoreException if there is no library for such addresses
   */
  public static Archive to(String place, Duration interval) {
    Matcher address = ADDRESS.matcher(place);
    return address.matches()
        ? new Archive(
            opener(address.group(1), place), place, null, range(interval), null, false, null)
        : to(Path.of(place), interval);
  }

  private static Supplier<ArchiveTarget> opener(String scheme, String place) {
    for (ArchivePlaces places : ServiceLoader.load(ArchivePlaces.class)) {
      if (places.scheme().equals(scheme)) {
        return places.at(place);
      }
    }
    throw new UnsupportedStoreException(
        "no library for "
            + scheme
            + ":// addresses of archives is installed; a program adds the artifact"
            + " howdah-archive-"
            + scheme
            + " to its class path, and the howdah command takes its jars from the folder lib/"
            + scheme);
  }

  /**
   * Returns an archive in a directory, to read it.
   *
   * @throws io.howdah.core.UnsupportedStoreException by its use, if there is no such directory
   */
  public static Archive in(Path directory) {
    Objects.requireNonNull(directory, "directory");
    return ofDirectory(directory, options().withCreate(false).withReadOnly(true), MAX_INTERVAL);
  }

  /**
   * Returns an archive in a place that is named by text, to read it.
   *
   * @param place as for {@link #to(String, Duration)}
   */
  public static Archive in(String place) {
    return ADDRESS.matcher(place).matches() ? to(place, MAX_INTERVAL) : in(Path.of(place));
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
    return new Archive(target, place, directory, interval, time, isCompressed, key);
  }

  /**
   * Sets whether what is written is compressed, by Deflate at its highest speed. It takes a
   * processor for some milliseconds for each megabyte, beside the store's threads. Default: it is
   * not.
   */
  public Archive withCompression(boolean wanted) {
    return new Archive(target, place, directory, interval, keep, wanted, key);
  }

  /**
   * Sets the key by which what is written is encrypted (AES-GCM), and by which it is read. Names,
   * lengths and numbers of the parts are not encrypted. Without the key the archive is lost.
   * Default: nothing is encrypted.
   *
   * @param secret 32 random bytes, which are copied
   */
  public Archive withKey(byte[] secret) {
    if (secret.length != KEY_BYTES) {
      throw new IllegalArgumentException(
          "the key of an archive has " + KEY_BYTES + " bytes, not " + secret.length);
    }
    return new Archive(target, place, directory, interval, keep, isCompressed, secret.clone());
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

  /** Returns the address or the path of the place; empty if the program opens it itself. */
  public Optional<String> place() {
    return Optional.ofNullable(place);
  }

  /** Returns how often the archive is brought up to date. */
  public Duration interval() {
    return interval;
  }

  /** Returns how long the archive goes back in time; empty if nothing is removed. */
  public Optional<Duration> keep() {
    return Optional.ofNullable(keep);
  }

  /** Returns whether what is written is compressed. */
  public boolean isCompressed() {
    return isCompressed;
  }

  /** Returns a copy of the key, if there is one. */
  public Optional<byte[]> key() {
    return Optional.ofNullable(key).map(byte[]::clone);
  }
}
