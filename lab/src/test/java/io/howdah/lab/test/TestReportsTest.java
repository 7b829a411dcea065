package io.howdah.lab.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Lines as Maven prints them. */
final class TestReportsTest {

  @Test
  void classesAreAddedUpAndFailuresAreNamed() {
    TestReports reports = new TestReports();
    assertThat(
            Stream.of(
                    "[INFO] Running io.howdah.ATest",
                    "[INFO] Tests run: 7, Failures: 0, Errors: 0, Skipped: 2, Time elapsed: 1.5 s -- in io.howdah.ATest",
                    "[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 33.12 s <<< FAILURE! -- in io.howdah.BTest",
                    "[ERROR] io.howdah.BTest.aFirst -- Time elapsed: 33.10 s <<< FAILURE!",
                    "[ERROR] io.howdah.BTest.aSecond(int)[2] -- Time elapsed: 0.01 s <<< ERROR!",
                    "[INFO] Tests run: 10, Failures: 1, Errors: 1, Skipped: 2",
                    "[ERROR]   BTest.aFirst:27 ")
                .filter(reports::accept))
        .hasSize(2);
    assertThat(reports.failed())
        .containsExactly("io.howdah.BTest.aFirst", "io.howdah.BTest.aSecond(int)[2]");
    assertThat(new int[] {reports.classes(), reports.ran(), reports.failures(), reports.skipped()})
        .containsExactly(2, 10, 2, 2);
  }
}
