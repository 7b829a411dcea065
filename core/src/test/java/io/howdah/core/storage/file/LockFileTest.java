package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LockFileTest {

  @TempDir Path directory;

  private Path path;
  private LockFile lock;

  @BeforeEach
  void acquire() throws Exception {
    path = directory.resolve("lock");
    lock = LockFile.acquire(path, false, PrivateFiles::open);
  }

  @AfterEach
  void close() throws Exception {
    lock.close();
  }

  private ChildJvm child() throws Exception {
    return ChildJvm.start(List.of(), LockFileHolder.class, path.toString());
  }

  private void drop() throws Exception {
    Files.newInputStream(path).close();
  }

  @Test
  void lockThatWasDroppedIsTakenAgain() throws Exception {
    drop();
    assertThat(lock.keep()).isTrue();
    try (ChildJvm child = child()) {
      assertThat(child.readLine()).isEqualTo("refused");
    }
    assertThat(lock.keep()).isTrue();
    assertThat(lock.isHeld()).isTrue();
  }

  @Test
  void lockThatSomebodyTookMeanwhileIsLost() throws Exception {
    drop();
    try (ChildJvm child = child()) {
      assertThat(child.readLine()).isEqualTo("held");
      assertThat(lock.keep()).isFalse();
      assertThat(lock.keep()).isFalse();
    }
  }

  @Test
  void removedFileIsMadeAndLockedAgain() throws Exception {
    Files.delete(path);
    assertThat(lock.isHeld()).isFalse();
    assertThat(lock.keep()).isTrue();
    assertThat(lock.isHeld()).isTrue();
    try (ChildJvm child = child()) {
      assertThat(child.readLine()).isEqualTo("refused");
    }
  }

  @Test
  void removedFileThatSomebodyMadeAgainIsLost() throws Exception {
    Files.delete(path);
    try (ChildJvm child = child()) {
      assertThat(child.readLine()).isEqualTo("held");
      assertThat(lock.keep()).isFalse();
    }
  }

  /** Between the two steps of an attempt from elsewhere that will fail at the second. */
  @Test
  void attemptThatHasTheFirstPartOnlyDoesNotTakeTheLock() throws Exception {
    drop();
    try (ChildJvm child = ChildJvm.start(List.of(), FirstPartHolder.class, path.toString())) {
      assertThat(child.readLine()).isEqualTo("held");
      assertThat(lock.keep()).as("the second part is taken").isTrue();
      assertThat(child.tell("second")).isEqualTo("refused");
      assertThat(lock.keep()).as("it goes on and on, so this is no attempt").isFalse();
    }
    assertThat(lock.keep()).as("it has given up").isTrue();
    try (ChildJvm child = child()) {
      assertThat(child.readLine()).isEqualTo("refused");
    }
  }
}
