package io.howdah.springboot;

import io.howdah.ArchiveStatus;
import io.howdah.BackupReport;
import io.howdah.CheckpointReport;
import io.howdah.Store;
import io.howdah.StoreFigure;
import io.howdah.core.HowdahException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * The endpoint {@code howdah}: figures of a store, and checkpoints, backups and the archive on
 * request. A request is answered when its work has ended, and with status 400 and the reason if it
 * is refused or fails.
 */
@WebEndpoint(id = "howdah")
public final class HowdahEndpoint {

  /** A name of one folder, so that a request cannot leave the folder of backups. */
  private static final Pattern BACKUP = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

  private final HowdahStores stores;
  private final HowdahProperties properties;

  HowdahEndpoint(HowdahStores stores, HowdahProperties properties) {
    this.stores = stores;
    this.properties = properties;
  }

  /**
   * What an archive has.
   *
   * @param lsn up to which every commit is in it
   * @param time of that moment; null before the first one
   * @param restorable whether the store can be restored as of that LSN
   * @param lag durable commits that it does not have
   * @param problem of the last attempt, or null
   */
  public record ArchiveAnswer(
      long lsn, @Nullable String time, boolean restorable, long lag, @Nullable String problem) {

    static ArchiveAnswer of(Store store, ArchiveStatus status) {
      return new ArchiveAnswer(
          status.lsn(),
          status.time().map(Object::toString).orElse(null),
          status.restorable(),
          Math.max(0, store.admin().stats().stableLsn() - status.lsn()),
          status.problem().orElse(null));
    }
  }

  /**
   * What a store tells.
   *
   * @param figures by the names of {@link StoreFigure}
   * @param archive null without one
   */
  public record StoreAnswer(Map<String, Long> figures, @Nullable ArchiveAnswer archive) {}

  /**
   * What a checkpoint did.
   *
   * @param lsn after which a recovery replays
   * @param writtenBytes by the checkpoint
   * @param millis that it took
   */
  public record CheckpointAnswer(long lsn, long writtenBytes, long millis) {}

  /**
   * What a backup holds.
   *
   * @param directory of the backup
   * @param lsn up to which it has every commit
   * @param writtenBytes its length
   * @param millis that it took
   */
  public record BackupAnswer(String directory, long lsn, long writtenBytes, long millis) {}

  /** Returns the names of the stores. */
  @ReadOperation
  public Map<String, List<String>> stores() {
    return Map.of("stores", new ArrayList<>(stores.all().keySet()));
  }

  /** Returns the figures of a store that take microseconds, and how far its archive is. */
  @ReadOperation
  public WebEndpointResponse<?> store(@Selector String store) {
    Store found = stores.get(store).orElse(null);
    if (found == null) {
      return refused(WebEndpointResponse.STATUS_NOT_FOUND, "there is no store " + store);
    }
    return answer(
        () -> {
          List<StoreFigure> cheap =
              StoreFigure.of(found.admin()).stream().filter(StoreFigure::isCheap).toList();
          SequencedMap<String, Long> figures = new LinkedHashMap<>();
          StoreFigure.read(cheap, found.admin())
              .forEach((figure, value) -> figures.put(figure.name(), value));
          return new StoreAnswer(
              figures,
              found.admin().archive().map(status -> ArchiveAnswer.of(found, status)).orElse(null));
        });
  }

  /**
   * Does something with a store.
   *
   * @param operation {@code checkpoint}; {@code backup}; or {@code archive}, which brings the
   *     archive up to date
   * @param name of the backup: a folder below {@code howdah.stores.NAME.backups}, which must not be
   *     there
   */
  @WriteOperation
  public WebEndpointResponse<?> change(
      @Selector String store, @Selector String operation, @Nullable String name) {
    Store found = stores.get(store).orElse(null);
    if (found == null) {
      return refused(WebEndpointResponse.STATUS_NOT_FOUND, "there is no store " + store);
    }
    return switch (operation) {
      case "checkpoint" -> answer(() -> checkpoint(found));
      case "backup" -> answer(() -> backup(found, directory(store, name)));
      case "archive" -> answer(() -> ArchiveAnswer.of(found, found.admin().updateArchive()));
      default ->
          refused(
              WebEndpointResponse.STATUS_BAD_REQUEST,
              "a store has no operation " + operation + ", only checkpoint, backup and archive");
    };
  }

  private static CheckpointAnswer checkpoint(Store store) {
    CheckpointReport report = store.admin().checkpoint();
    return new CheckpointAnswer(report.lsn(), report.writtenBytes(), report.took().toMillis());
  }

  private static BackupAnswer backup(Store store, Path directory) {
    BackupReport report = store.admin().backup(directory);
    return new BackupAnswer(
        directory.toString(), report.lsn(), report.writtenBytes(), report.took().toMillis());
  }

  private Path directory(String store, @Nullable String name) {
    StoreProperties of = properties.stores().get(store);
    Path backups = of == null ? null : of.backups();
    if (backups == null) {
      throw new IllegalArgumentException(
          "backups by request are off: set "
              + HowdahProperties.name(store, "backups")
              + " to the directory that gets them");
    }
    if (name == null || !BACKUP.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "the name of a backup has letters, digits, points, lines and underlines, not " + name);
    }
    return backups.toAbsolutePath().resolve(name);
  }

  private static WebEndpointResponse<?> answer(Supplier<?> work) {
    try {
      return new WebEndpointResponse<>(work.get());
    } catch (HowdahException | IllegalStateException | IllegalArgumentException e) {
      return refused(WebEndpointResponse.STATUS_BAD_REQUEST, String.valueOf(e.getMessage()));
    }
  }

  private static WebEndpointResponse<?> refused(int status, String why) {
    return new WebEndpointResponse<>(Map.of("error", why), status);
  }
}
