package io.howdah.crashtest.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.crashtest.history.CollectionRound.Kind;
import io.howdah.crashtest.history.CollectionRound.Operation;
import io.howdah.crashtest.history.CollectionRound.Verb;
import io.howdah.crashtest.oracle.Linearizability.Call;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lines of exported histories. The program in Go reads the same files in its own tests. */
class HistoryFilesTest {

  private static final Path SAMPLES = Path.of("second-opinion", "testdata");

  /** The clock does not begin at 0; files do. */
  private static final long FIRST = -1_000_000;

  @TempDir private Path folder;

  @Test
  void aRoundIsWrittenAsTheProgramReadsIt() throws IOException {
    HistoryFiles files = new HistoryFiles(folder, 1 << 20);
    files.round(3, words(), List.of(collections()));
    assertSample("round-00003.jsonl");
    assertThat(files.bytes()).isEqualTo(Files.size(folder.resolve("round-00003.jsonl")));
    assertThat(Opacity.violation(words())).isNull();
    assertThat(collections().violation()).isNull();
  }

  @Test
  void aControlSaysThatItIsWrong() throws IOException {
    Recorded writer = attempt(0, 50);
    writer.wrote(3, 1);
    commit(writer, 50, 1);
    Recorded stale = attempt(51, 52);
    stale.read(3, 0);
    new HistoryFiles(folder, 1).control("STALE_READ", List.of(writer, stale), List.of());
    assertSample("control-stale-read.jsonl");
  }

  @Test
  void whatDoesNotFitIsLeftOutAndAllBehindIt() throws IOException {
    HistoryFiles measured = new HistoryFiles(folder, 1 << 20);
    measured.round(0, words(), List.of());
    HistoryFiles files = new HistoryFiles(folder, 2 * measured.bytes());
    files.round(1, words(), List.of());
    files.round(2, words(), List.of(collections()));
    files.round(3, words(), List.of());
    assertThat(files.rounds()).isEqualTo(1);
    assertThat(files.leftOut()).isEqualTo(2);
    assertThat(files.bytes()).isEqualTo(measured.bytes());
    assertThat(names()).containsExactly("round-00000.jsonl", "round-00001.jsonl");
  }

  @Test
  void everyAttemptAndOperationOfARoundIsWritten() throws IOException, InterruptedException {
    HistoryFiles files = new HistoryFiles(folder, 1 << 24);
    Histories histories = new Histories(1, files);
    assertThat(histories.round(0, new Threads(3, false))).isNull();
    List<String> lines = Files.readAllLines(folder.resolve("round-00000.jsonl"));
    assertThat(lines)
        .filteredOn(line -> line.contains("\"reads\""))
        .hasSize(Math.toIntExact(histories.transactions()));
    assertThat(lines)
        .filteredOn(line -> line.contains("\"verb\""))
        .hasSize(Math.toIntExact(histories.operations()));
    assertThat(lines).filteredOn(line -> line.contains("\"history\"")).hasSize(1 + 8);
    assertThat(lines).noneMatch(line -> line.contains("\"sound\":false"));
    assertThat(lines).anyMatch(line -> line.contains("\"committed\":false"));
  }

  @Test
  void theHistoriesThatAreWrongAreWrittenAsSuch() throws IOException, InterruptedException {
    assertThat(Histories.unnoticed(1, new HistoryFiles(folder, 1))).isEmpty();
    assertThat(names())
        .containsExactly(
            "control-a-value-nobody-wrote.jsonl",
            "control-dirty-read.jsonl",
            "control-lost-update.jsonl",
            "control-stale-read.jsonl");
    for (String name : names()) {
      assertThat(Files.readAllLines(folder.resolve(name)).getFirst()).contains("\"sound\":false");
    }
  }

  private static List<Recorded> words() {
    Recorded first = attempt(0, 50);
    first.read(3, 0);
    first.wrote(3, 1);
    first.wrote(5, 2);
    commit(first, 50, 1);
    Recorded givenUp = attempt(10, 40);
    givenUp.read(3, 1);
    givenUp.read(5, 2);
    givenUp.wrote(7, 3);
    Recorded second = attempt(40, 80);
    second.read(3, 1);
    second.read(7, 0);
    second.wrote(5, 4);
    commit(second, 90, 2);
    Recorded reader = attempt(91, 94);
    reader.read(5, 4);
    reader.returned(FIRST + 95);
    return List.of(first, givenUp, second, reader);
  }

  private static Recorded attempt(long begun, long ended) {
    Recorded recorded = new Recorded(0, FIRST + begun);
    recorded.ended(FIRST + ended);
    return recorded;
  }

  private static void commit(Recorded recorded, long returned, long lsn) {
    recorded.returned(FIRST + returned);
    recorded.committed(lsn);
  }

  private static CollectionRound collections() {
    CollectionRound round =
        new CollectionRound(List.of(0L, 4L, 0L, 0L), List.of(0L, 0L, 6L, 0L), List.of(7L));
    add(round, Kind.MAP, 1, new Operation(Verb.GET_AND_PUT, 8, 4), 0, 10);
    add(round, Kind.MAP, 1, new Operation(Verb.GET, 0, 4), 5, 20);
    add(round, Kind.SORTED_MAP, 2, new Operation(Verb.REMOVE, 0, 1), 3, 9);
    add(round, Kind.SORTED_MAP, 3, new Operation(Verb.PUT, 9, 0), 10, 30);
    add(round, Kind.QUEUE, 0, new Operation(Verb.ADD, 10, 0), 0, 8);
    add(round, Kind.QUEUE, 0, new Operation(Verb.POLL, 0, 7), 9, 12);
    add(round, Kind.QUEUE, 0, new Operation(Verb.PEEK, 0, 10), 13, 15);
    return round;
  }

  private static void add(
      CollectionRound round, Kind kind, int key, Operation operation, long called, long returned) {
    round.add(kind, key, new Call<>(operation, FIRST + called, FIRST + returned));
  }

  private void assertSample(String name) throws IOException {
    assertThat(folder.resolve(name)).hasSameTextualContentAs(SAMPLES.resolve(name));
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }
}
