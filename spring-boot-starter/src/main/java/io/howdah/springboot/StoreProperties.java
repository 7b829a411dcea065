package io.howdah.springboot;

import io.howdah.SchemaChanges;
import io.howdah.StoreOptions;
import io.howdah.archive.Archive;
import io.howdah.core.Backing;
import io.howdah.core.HowdahException;
import io.howdah.txn.Durability;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.unit.DataSize;

/**
 * The properties of one store, {@code howdah.stores.NAME}. Those that are not here described are
 * the options of {@link StoreOptions} that have their names; what is not set has the default there.
 *
 * @param directory of the store; created if absent
 * @param inMemory whether the store is in memory alone and keeps nothing: for tests
 * @param backups the directory below which the endpoint may write backups; without it, it writes
 *     none
 */
public record StoreProperties(
    @Nullable Path directory,
    @DefaultValue("false") boolean inMemory,
    @Nullable DataSize maxSize,
    @Nullable Integer partitions,
    @Nullable DataSize ringBytes,
    @Nullable Integer orecs,
    @Nullable DataSize maxTransactionBytes,
    @Nullable DataSize maxLogBytes,
    @Nullable DataSize logSegmentBytes,
    @Nullable Duration recoveryGoal,
    @Nullable Duration groupCommitInterval,
    @Nullable Duration durabilityTimeout,
    @Nullable Duration closeTimeout,
    @Nullable Durability defaultDurability,
    @Nullable Integer irrevocableAfterAborts,
    @Nullable Backing backing,
    @Nullable Boolean warmRestart,
    @Nullable Boolean warmClose,
    @Nullable Boolean checkpointAtClose,
    @Nullable SchemaChanges schemaChanges,
    @Nullable Boolean verifyImage,
    @Nullable Boolean readOnly,
    @Nullable Boolean adminSocket,
    @Nullable Boolean managementBean,
    @Nullable ArchiveProperties archive,
    @Nullable Path backups) {

  /**
   * Where the store is copied to while it is open.
   *
   * @param place a directory, or an address such as {@code s3://bucket/prefix}
   * @param interval how often
   * @param keep how long the archive goes back in time; without it, nothing is removed
   * @param compression whether the archive is compressed
   * @param key 32 bytes in Base64 by which the archive is encrypted
   */
  public record ArchiveProperties(
      @Nullable String place,
      @DefaultValue("1s") Duration interval,
      @Nullable Duration keep,
      @DefaultValue("false") boolean compression,
      @Nullable String key) {

    /** Returns what is set, without the key. */
    @Override
    public String toString() {
      return "ArchiveProperties[place=" + place + ", interval=" + interval + ", keep=" + keep + "]";
    }
  }

  /**
   * Returns the options that these properties ask for.
   *
   * @param store the name, for messages
   * @throws InvalidConfigurationPropertyValueException for a value out of its range
   */
  StoreOptions options(String store) {
    Setting setting = new Setting(store, StoreOptions.defaults());
    setting.set("max-size", bytes(maxSize), StoreOptions::withMaxSize);
    setting.set("partitions", partitions, StoreOptions::withPartitions);
    setting.set("ring-bytes", ints(ringBytes), StoreOptions::withRingBytes);
    setting.set("orecs", orecs, StoreOptions::withOrecs);
    setting.set(
        "max-transaction-bytes", bytes(maxTransactionBytes), StoreOptions::withMaxTransactionBytes);
    setting.set("max-log-bytes", bytes(maxLogBytes), StoreOptions::withMaxLogBytes);
    setting.set("log-segment-bytes", ints(logSegmentBytes), StoreOptions::withLogSegmentBytes);
    setting.set("recovery-goal", recoveryGoal, StoreOptions::withRecoveryGoal);
    setting.set(
        "group-commit-interval", groupCommitInterval, StoreOptions::withGroupCommitInterval);
    setting.set("durability-timeout", durabilityTimeout, StoreOptions::withDurabilityTimeout);
    setting.set("close-timeout", closeTimeout, StoreOptions::withCloseTimeout);
    setting.set("default-durability", defaultDurability, StoreOptions::withDefaultDurability);
    setting.set(
        "irrevocable-after-aborts",
        irrevocableAfterAborts,
        StoreOptions::withIrrevocableAfterAborts);
    setting.set("backing", backing, StoreOptions::withBacking);
    setting.set("warm-restart", warmRestart, StoreOptions::withWarmRestart);
    setting.set("warm-close", warmClose, StoreOptions::withWarmClose);
    setting.set("checkpoint-at-close", checkpointAtClose, StoreOptions::withCheckpointAtClose);
    setting.set("schema-changes", schemaChanges, StoreOptions::withSchemaChanges);
    setting.set("verify-image", verifyImage, StoreOptions::withVerifyImage);
    setting.set("read-only", readOnly, StoreOptions::withReadOnly);
    setting.set("admin-socket", adminSocket, StoreOptions::withAdminSocket);
    setting.set("management-bean", managementBean, StoreOptions::withManagementBean);
    if (archive != null) {
      setting.options = setting.options.withArchive(archive(store, archive));
    }
    return setting.options;
  }

  private static Archive archive(String store, ArchiveProperties asked) {
    String place = asked.place;
    if (place == null) {
      throw new InvalidConfigurationPropertyValueException(
          HowdahProperties.name(store, "archive.place"), null, "an archive needs a place");
    }
    Archive _ = made(store, "archive.place", place, () -> Archive.to(place, Duration.ofSeconds(1)));
    Archive plain =
        made(store, "archive.interval", asked.interval, () -> Archive.to(place, asked.interval))
            .withCompression(asked.compression);
    Duration keep = asked.keep;
    Archive kept =
        keep == null ? plain : made(store, "archive.keep", keep, () -> plain.withKeep(keep));
    String key = asked.key;
    return key == null
        ? kept
        : made(
            store, "archive.key", "(hidden)", () -> kept.withKey(Base64.getDecoder().decode(key)));
  }

  private interface Maker<T> {
    T make();
  }

  private static <T> T made(String store, String property, Object value, Maker<T> maker) {
    try {
      return maker.make();
    } catch (IllegalArgumentException | HowdahException e) {
      InvalidConfigurationPropertyValueException invalid =
          new InvalidConfigurationPropertyValueException(
              HowdahProperties.name(store, property), value, String.valueOf(e.getMessage()));
      invalid.initCause(e);
      throw invalid;
    }
  }

  private static @Nullable Long bytes(@Nullable DataSize size) {
    return size == null ? null : size.toBytes();
  }

  /** Returns a size in bytes; one that no option takes stays one that none takes. */
  private static @Nullable Integer ints(@Nullable DataSize size) {
    return size == null ? null : Math.clamp(size.toBytes(), -1, Integer.MAX_VALUE);
  }

  /** Sets options one after the other, and names the property whose value is refused. */
  private static final class Setting {

    private final String store;
    private StoreOptions options;

    Setting(String store, StoreOptions options) {
      this.store = store;
      this.options = options;
    }

    <T> void set(
        String property, @Nullable T value, BiFunction<StoreOptions, T, StoreOptions> with) {
      if (value != null) {
        options = made(store, property, value, () -> with.apply(options, value));
      }
    }
  }
}
