package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.log.report.LogStall;
import io.howdah.txn.TxOptions;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreFigureTest {

  @TempDir Path folder;

  @Test
  void figuresAreThoseOfTheStore() {
    StoreOptions options =
        StoreOptions.defaults()
            .withMaxSize(1 << 20)
            .withPartitions(1)
            .withRingBytes(1 << 16)
            .withGroupCommitInterval(Duration.ofSeconds(10));
    try (Store store = Store.open(folder, options)) {
      store.run(TxOptions.sync(), tx -> tx.putLong(8192, 1));
      store.admin().checkpoint();
      for (int i = 0; i < 100; i++) {
        store.run(TxOptions.sync(), tx -> tx.putLong(8192, 2));
      }
      assertThatThrownBy(
              () ->
                  store.run(
                      tx -> {
                        throw new IllegalArgumentException();
                      }))
          .isInstanceOf(IllegalArgumentException.class);
      StoreAdmin admin = store.admin();
      Map<String, Long> figures = new StoreUpkeep(admin).figures();
      assertThat(figures.get("commits")).isPositive().isEqualTo(admin.stats().commits());
      assertThat(figures.get("aborts")).isPositive().isEqualTo(admin.stats().totalAborts());
      assertThat(figures.get("lsn")).isPositive().isEqualTo(admin.stats().lsn());
      assertThat(figures.get("stableLsn")).isPositive().isEqualTo(admin.stats().stableLsn());
      assertThat(figures.get("forces")).isPositive().isEqualTo(admin.stats().forces());
      CheckpointStats checkpoints = admin.checkpointStats();
      assertThat(figures.get("checkpoints")).isPositive().isEqualTo(checkpoints.taken());
      assertThat(figures.get("replayBytes")).isPositive().isEqualTo(checkpoints.replayBytes());
      assertThat(figures.get("logBytes")).isPositive().isEqualTo(checkpoints.logBytes());
      assertThat(figures.get("expectedRecoveryMillis"))
          .isEqualTo(checkpoints.expectedRecovery().toMillis());
      assertThat(figures.get("checkpointRunning")).isZero();
      assertThat(figures.get("commitsBlocked")).isZero();
      assertThat(figures.get("stalled")).isZero();
      assertThat(figures.get("stalledSinceMillis")).isZero();
      assertThat(figures.get("stallPartition")).isEqualTo(-1);
      assertThat(figures.get("replayWordsLeft")).isZero();
      assertThat(figures.get("replayDone")).isEqualTo(1);
    }
  }

  @Test
  void namesAndMetersAreDistinctAndEachFigureSaysWhatItIs() {
    List<StoreFigure> all = StoreFigure.all();
    assertThat(all).extracting(StoreFigure::name).doesNotHaveDuplicates();
    assertThat(all.stream().flatMap(figure -> figure.meter().stream())).doesNotHaveDuplicates();
    assertThat(all)
        .allSatisfy(
            figure -> {
              assertThat(figure.help()).isNotBlank().doesNotEndWith(".");
              assertThat(figure.name()).matches("[a-z][a-zA-Z]*");
            });
  }

  /** A number that {@link StoreStats} has and the table does not would be on no surface. */
  @Test
  void eachNumberOfTheStatisticsIsAFigure() {
    Set<String> names =
        StoreFigure.all().stream().map(StoreFigure::name).collect(Collectors.toSet());
    Map<String, String> named = Map.of("totalAborts", "aborts");
    assertThat(StoreStats.class.getDeclaredMethods())
        .filteredOn(method -> Modifier.isPublic(method.getModifiers()))
        .filteredOn(method -> method.getReturnType().isPrimitive())
        .extracting(method -> named.getOrDefault(method.getName(), method.getName()))
        .isNotEmpty()
        .isSubsetOf(names);
  }

  @Test
  void aStoreInMemoryHasNoFiguresOfCheckpoints() {
    try (Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(1 << 20))) {
      assertThat(StoreFigure.of(store.admin()))
          .extracting(StoreFigure::name)
          .contains("commits", "usedBytes")
          .doesNotContain("checkpoints", "logBytes", "commitsBlocked");
    }
  }

  /** The answer of another version, or of another program. */
  @Test
  void statisticsWithoutAFigureAreRefused() {
    try (Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(1 << 20))) {
      Map<String, Long> figures = new StoreUpkeep(store.admin()).figures();
      assertThat(StoreStats.of(figures).capacityBytes()).isEqualTo(1 << 20);
      figures.remove("voids");
      assertThatThrownBy(() -> StoreStats.of(figures))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("the figure voids is missing");
      figures.put("voids", 0L);
      long unknown = LogStall.Reason.values().length + 1L;
      figures.put("stallCode", unknown);
      assertThatThrownBy(() -> StoreStats.of(figures))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("a stall has no reason " + unknown);
    }
  }
}
