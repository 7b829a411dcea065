package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Notes of where a JVM reports a fatal error, and reports that are found by them. */
final class FatalErrorFilesTest {

  /** A number that no process has: larger than the kernel gives out. */
  private static final long PROCESS = 1L << 40;

  @TempDir Path folder;

  private String note(String... options) {
    return FatalErrorFiles.note(List.of(options), folder, PROCESS);
  }

  @Test
  void aReportInTheWorkingDirectoryIsFound() throws Exception {
    String note = note("java", "-Xmx1g");
    assertThat(FatalErrorFiles.found(note)).isEmpty();
    Path report = Files.createFile(folder.resolve("hs_err_pid" + PROCESS + ".log"));
    assertThat(FatalErrorFiles.found(note)).contains(report.toString());
  }

  @Test
  void aReportOfAnEarlierProcessOfThisNumberIsNone() throws Exception {
    Path report = Files.createFile(folder.resolve("hs_err_pid" + PROCESS + ".log"));
    Files.setLastModifiedTime(report, FileTime.fromMillis(1_000_000));
    String note = note();
    assertThat(FatalErrorFiles.found(note)).isEmpty();
    Files.setLastModifiedTime(report, FileTime.fromMillis(999_000)); // by a clock that was set back
    assertThat(FatalErrorFiles.found(note)).contains(report.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"%p/error-%p", "error%%%p", "error%x", "error%"})
  void thePatternOfTheOptionIsExpandedAsTheJvmDoes(String pattern) throws Exception {
    String note = note("-XX:ErrorFile=" + pattern);
    Path report =
        folder.resolve(
            pattern.replace("%%", "\0").replace("%p", Long.toString(PROCESS)).replace("\0", "%"));
    Files.createDirectories(report.getParent());
    Files.createFile(report);
    assertThat(FatalErrorFiles.found(note)).contains(report.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "\n\n", "x /tmp", "1 \0", "99999999999999999999 /tmp", "1", "1 "})
  void whatIsNoNoteFindsNothing(String note) {
    assertThat(FatalErrorFiles.found(note)).isEmpty();
  }

  @Test
  void aNoteIsBounded() {
    String[] options = new String[100];
    for (int i = 0; i < options.length; i++) {
      options[i] = "-XX:ErrorFile=/" + "\u00fc".repeat(1000) + i;
    }
    assertThat(note(options).getBytes(StandardCharsets.UTF_8)).hasSizeBetween(10_000, 1 << 14);
  }

  @Test
  void theNoteOfThisProcessHasItsNumber() {
    assertThat(FatalErrorFiles.note())
        .contains("/tmp/hs_err_pid" + ProcessHandle.current().pid() + ".log");
  }
}
