package io.howdah.jmh.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each benchmark runs, and does what its name says. */
final class BenchmarksTest {

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void wordsAreWrittenAndRead(boolean isLogged) throws Exception {
    WordsBenchmark benchmark = new WordsBenchmark();
    benchmark.words = 8;
    benchmark.isLogged = isLogged;
    benchmark.open();
    try {
      assertThat(benchmark.read()).isZero();
      long first = benchmark.commit();
      assertThat(benchmark.commit()).isGreaterThan(first);
      assertThat(benchmark.read()).isEqualTo(8 * 2 + 28);
    } finally {
      benchmark.close();
    }
  }

  @Test
  void aBlockIsFreedAgain() throws Exception {
    AllocationBenchmark benchmark = new AllocationBenchmark();
    benchmark.bytes = 65536;
    benchmark.open();
    try {
      for (int i = 0; i < 5000; i++) { // five times the store
        assertThat(benchmark.allocateAndFree()).isPositive();
      }
    } finally {
      benchmark.close();
    }
  }

  @Test
  void recordsGoAroundTheRing() {
    AppendBenchmark benchmark = new AppendBenchmark();
    benchmark.words = 1024;
    benchmark.open();
    try {
      for (int i = 1; i <= 400; i++) { // three times around
        assertThat(benchmark.append() >>> 8).isEqualTo(i);
      }
      assertThat(benchmark.crc()).isPositive();
    } finally {
      benchmark.close();
    }
  }

  @Test
  void collectionsAreReadAndChanged() throws Exception {
    CollectionsBenchmark benchmark = new CollectionsBenchmark();
    benchmark.entries = 300;
    benchmark.open();
    CollectionsBenchmark.Keys keys = new CollectionsBenchmark.Keys();
    try {
      assertThat(benchmark.mapGet(keys)).hasSize(100);
      assertThat(benchmark.sortedMapGet(keys)).hasSize(100);
      assertThat(benchmark.sortedMapScan(keys)).isGreaterThanOrEqualTo(99 * 100 / 2);
      long first = benchmark.mapPut(keys);
      assertThat(benchmark.sortedMapPut(keys)).isGreaterThan(first);
      assertThat(benchmark.queueAddAndPoll(keys)).hasSize(100);
    } finally {
      benchmark.close();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "vacation-low, volatile",
    "vacation-high, ASYNC",
    "bank, PARTITION",
    "graph, SYNC",
  })
  void programsRunAndAreVerified(String program, String commit) throws Exception {
    MixBenchmark benchmark = new MixBenchmark();
    benchmark.program = program;
    benchmark.commit = commit;
    benchmark.rows = 64;
    benchmark.open();
    try {
      MixBenchmark.PerThread thread = new MixBenchmark.PerThread();
      thread.begin(benchmark);
      for (int i = 0; i < 20; i++) {
        benchmark.transaction(thread);
      }
    } finally {
      benchmark.close();
    }
  }

  @Test
  void anUnknownProgramIsRefused() {
    MixBenchmark benchmark = new MixBenchmark();
    benchmark.program = "none";
    benchmark.commit = "volatile";
    benchmark.rows = 64;
    assertThatThrownBy(benchmark::open).hasMessageContaining("no such program: none");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void commitsGoOnBesideCheckpoints(boolean hasCheckpoints) throws Exception {
    CheckpointBenchmark benchmark = new CheckpointBenchmark();
    benchmark.hasCheckpoints = hasCheckpoints;
    benchmark.heapMib = 2;
    benchmark.open();
    try {
      assertThat(benchmark.async()).isPositive();
    } finally {
      benchmark.close();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 100})
  void storesAreOpenedAgain(int commits) throws Exception {
    OpenBenchmark benchmark = new OpenBenchmark();
    benchmark.heapMib = 2;
    benchmark.commits = commits;
    benchmark.fill();
    try {
      long first = benchmark.openAndCommit();
      benchmark.close();
      assertThat(benchmark.openAndCommit()).isGreaterThan(first).isGreaterThan(commits);
      benchmark.close();
    } finally {
      benchmark.remove();
    }
  }
}
