package io.howdah;

import io.howdah.archive.Archive;
import io.howdah.store.admin.AdminAnswers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What a store does for other processes of its user. */
record StoreUpkeep(StoreAdmin admin) implements AdminAnswers.Upkeep {

  @Override
  public Map<String, Long> figures() {
    Map<String, Long> figures = new LinkedHashMap<>();
    StoreFigure.read(StoreFigure.of(admin), admin)
        .forEach((figure, value) -> figures.put(figure.name(), value));
    return figures;
  }

  @Override
  public long checkpoint() {
    return admin.checkpoint().lsn();
  }

  @Override
  public Map<String, Long> backup(Path directory) {
    BackupReport report = admin.backup(directory);
    Map<String, Long> figures = new LinkedHashMap<>();
    figures.put("lsn", report.lsn());
    figures.put("from", report.fromLsn());
    figures.put("bytes", report.writtenBytes());
    return figures;
  }

  @Override
  public Map<String, Long> export(Path directory) {
    ExportReport report = admin.export(directory);
    Map<String, Long> figures = new LinkedHashMap<>();
    figures.put("structures", report.structures());
    figures.put("items", report.items());
    figures.put("bytes", report.bytes());
    return figures;
  }

  @Override
  public void startArchive(
      String place,
      long intervalMillis,
      long keepMillis,
      boolean isCompressed,
      Optional<byte[]> key) {
    Archive archive =
        Archive.to(place, Duration.ofMillis(intervalMillis)).withCompression(isCompressed);
    if (keepMillis != 0) {
      archive = archive.withKeep(Duration.ofMillis(keepMillis));
    }
    if (key.isPresent()) {
      archive = archive.withKey(key.get());
    }
    admin.startArchive(archive);
  }

  @Override
  public boolean stopArchive() {
    return admin.stopArchive();
  }

  @Override
  public Map<String, Long> archive() {
    Map<String, Long> figures = new LinkedHashMap<>();
    admin
        .archive()
        .ifPresent(
            status -> {
              figures.put("lsn", status.lsn());
              figures.put("millis", status.time().map(Instant::toEpochMilli).orElse(0L));
              figures.put("lag", Math.max(0, admin.stats().stableLsn() - status.lsn()));
              figures.put("restorable", status.restorable() ? 1L : 0L);
              figures.put("gaps", status.gaps());
              figures.put("bases", status.bases());
              figures.put("writtenBytes", status.writtenBytes());
              figures.put("failedAttempts", status.failedAttempts());
            });
    return figures;
  }
}
