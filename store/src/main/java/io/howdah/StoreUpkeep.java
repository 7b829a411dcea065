package io.howdah;

import io.howdah.store.admin.AdminAnswers;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

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
}
