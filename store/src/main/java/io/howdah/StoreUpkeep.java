package io.howdah;

import io.howdah.store.admin.AdminAnswers;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a store does for other processes of its user. */
record StoreUpkeep(StoreAdmin admin) implements AdminAnswers.Upkeep {

  @Override
  public Map<String, Long> figures() {
    StoreStats stats = admin.stats();
    Map<String, Long> figures = new LinkedHashMap<>();
    figures.put("commits", stats.commits());
    figures.put("readOnlyCommits", stats.readOnlyCommits());
    figures.put("aborts", stats.totalAborts());
    figures.put("lsn", stats.lsn());
    figures.put("stableLsn", stats.stableLsn());
    figures.put("forces", stats.forces());
    figures.put("reclaimedEntries", stats.reclaimedEntries());
    figures.put("stalled", stats.stall().isPresent() ? 1L : 0L);
    ReplayStats replay = admin.replayStats();
    figures.put("replayWordsLeft", replay.wordsLeft());
    figures.put("replayDone", replay.isDone() ? 1L : 0L);
    StoreSpace space = admin.space();
    figures.put("usedBytes", space.usedBytes());
    figures.put("freeBytes", space.freeBytes());
    figures.put("reclaimableBytes", space.reclaimableBytes());
    figures.put("allocatedBytes", stats.allocatedBytes());
    figures.put("capacityBytes", stats.capacityBytes());
    figures.put("memoryBytes", stats.memoryBytes());
    figures.put("memoryLimitBytes", stats.memoryLimitBytes());
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
