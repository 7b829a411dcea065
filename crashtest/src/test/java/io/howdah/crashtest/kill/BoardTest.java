package io.howdah.crashtest.kill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BoardTest {

  private static final int MODES = 2;
  private static final int THREADS = 3;
  private static final int CITIES = 5;

  @TempDir private Path folder;

  @Test
  void everyWordHasItsOwnPlaceAndBothSidesSeeIt() throws IOException {
    Path file = folder.resolve("board");
    try (Board parent = Board.create(file, MODES, THREADS, CITIES);
        Board child = Board.open(file, MODES, THREADS, CITIES)) {
      child.opened(1, 2);
      for (int mode = 0; mode < MODES; mode++) {
        for (int thread = 0; thread < THREADS; thread++) {
          child.acknowledged(mode, thread, 100 + mode * 10 + thread);
          child.recovered(mode, thread, 200 + mode * 10 + thread);
        }
      }
      for (int city = 0; city < CITIES; city++) {
        child.population(city, 300 + city);
      }
      child.phase(Board.Phase.RUNNING);
      parent.letRun();

      assertThat(parent.phase()).isEqualTo(Board.Phase.RUNNING);
      assertThat(child.mayRun()).isTrue();
      assertThat(parent.openNanos()).isEqualTo(1);
      assertThat(parent.redoRecords()).isEqualTo(2);
      for (int mode = 0; mode < MODES; mode++) {
        for (int thread = 0; thread < THREADS; thread++) {
          assertThat(parent.acknowledged(mode, thread)).isEqualTo(100 + mode * 10 + thread);
          assertThat(parent.recovered(mode, thread)).isEqualTo(200 + mode * 10 + thread);
        }
      }
      for (int city = 0; city < CITIES; city++) {
        assertThat(parent.population(city)).isEqualTo(300 + city);
      }
      parent.reset();
      assertThat(child.phase()).isEqualTo(Board.Phase.STARTING);
      assertThat(child.mayRun()).isFalse();
    }
  }

  @Test
  void refusesTheBoardOfAnotherRun() throws IOException {
    Path file = folder.resolve("board");
    Board.create(file, MODES, THREADS, CITIES).close();
    assertThatThrownBy(() -> Board.open(file, MODES, THREADS, CITIES + 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString());
    assertThatThrownBy(() -> Board.open(file, THREADS, MODES, CITIES))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("another run");
  }
}
