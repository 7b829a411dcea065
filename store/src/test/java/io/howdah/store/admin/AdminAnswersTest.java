package io.howdah.store.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.howdah.AdminClient;
import io.howdah.archive.Archive;
import io.howdah.core.storage.file.OwnerSocket;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the admin socket answers if a request fails. */
final class AdminAnswersTest {

  @TempDir Path directory;

  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anErrorIsAnsweredAndTheNextRequestIsServed() throws Exception {
    assumeTrue(
        FileSystems.getDefault().supportedFileAttributeViews().contains("posix"),
        "no POSIX permissions");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    AdminAnswers.Upkeep upkeep =
        new AdminAnswers.Upkeep() {
          @Override
          public void startArchive(
              String place,
              long intervalMillis,
              long keepMillis,
              boolean isCompressed,
              Optional<byte[]> key) {}

          @Override
          public boolean stopArchive() {
            return false;
          }

          @Override
          public Map<String, Long> archive() {
            return Map.of();
          }

          @Override
          public Map<String, Long> figures() {
            return Map.of("lsn", 7L);
          }

          @Override
          public long checkpoint() {
            throw new OutOfMemoryError("no thread\n(by the test)");
          }

          @Override
          public Map<String, Long> backup(Path target) {
            throw new UnsupportedOperationException("by the test");
          }

          @Override
          public Map<String, Long> export(Path target) {
            return Map.of("bytes", 7L);
          }
        };
    try (OwnerSocket _ = AdminAnswers.open(upkeep, directory)) {
      Path socket = directory.resolve(AdminAnswers.NAME);
      assertThat(OwnerSocket.ask(socket, "checkpoint"))
          .isEqualTo("error java.lang.OutOfMemoryError: no thread (by the test)\n");
      assertThat(OwnerSocket.ask(socket, "backup /x"))
          .isEqualTo("error java.lang.UnsupportedOperationException: by the test\n");
      assertThat(OwnerSocket.ask(socket, "export /x")).isEqualTo("ok\nbytes 7\n");
      assertThat(OwnerSocket.ask(socket, "stat")).isEqualTo("ok\nlsn 7\n");
    }
  }

  /** Does nothing until it is let go; counts how much it does at a time. */
  private static final class SlowUpkeep implements AdminAnswers.Upkeep {
    private final CountDownLatch isWorking = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final AtomicInteger atOnce = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    private long work() {
      most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
      isWorking.countDown();
      try {
        mayEnd.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      atOnce.decrementAndGet();
      return 7;
    }

    @Override
    public Map<String, Long> figures() {
      return Map.of("lsn", 7L);
    }

    @Override
    public long checkpoint() {
      return work();
    }

    @Override
    public Map<String, Long> backup(Path target) {
      return Map.of("lsn", work());
    }

    @Override
    public Map<String, Long> export(Path target) {
      return Map.of("items", work());
    }

    @Override
    public void startArchive(
        String place,
        long intervalMillis,
        long keepMillis,
        boolean isCompressed,
        Optional<byte[]> key) {
      work();
    }

    @Override
    public boolean stopArchive() {
      return work() > 0;
    }

    @Override
    public Map<String, Long> archive() {
      return Map.of();
    }
  }

  /** A backup of a large store takes minutes, in which monitoring goes on. */
  @ParameterizedTest
  @ValueSource(strings = {"backup /x", "export /x", "checkpoint"})
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void figuresAreToldWhileTheStoreWorks(String slow) throws Exception {
    assumeTrue(
        FileSystems.getDefault().supportedFileAttributeViews().contains("posix"),
        "no POSIX permissions");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    SlowUpkeep upkeep = new SlowUpkeep();
    try (OwnerSocket _ = AdminAnswers.open(upkeep, directory);
        ExecutorService clients = Executors.newCachedThreadPool()) {
      Path socket = directory.resolve(AdminAnswers.NAME);
      List<Future<String>> answers = new ArrayList<>();
      answers.add(clients.submit(() -> OwnerSocket.ask(socket, slow)));
      upkeep.isWorking.await();
      answers.add(clients.submit(() -> OwnerSocket.ask(socket, "checkpoint")));
      answers.add(clients.submit(() -> OwnerSocket.ask(socket, "backup /y")));
      for (int i = 0; i < 20; i++) {
        assertThat(OwnerSocket.ask(socket, "stat")).isEqualTo("ok\nlsn 7\n");
      }
      upkeep.mayEnd.countDown();
      for (Future<String> answer : answers) {
        assertThat(answer.get()).startsWith("ok\n");
      }
      assertThat(upkeep.most).as("what may take long is done one at a time").hasValue(1);
    }
  }

  /** Paths that a line of the socket could misread. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a b",
        "/a\nb",
        "/a\n",
        "/\n/\n",
        "/a\\",
        "/a\\nb",
        "/a\\\nb\\\\n",
        "/ ",
        "/a\rb\t"
      })
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aPathArrivesAsItWasNamed(String path) throws Exception {
    assumeTrue(
        FileSystems.getDefault().supportedFileAttributeViews().contains("posix"),
        "no POSIX permissions");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    NotingUpkeep upkeep = new NotingUpkeep();
    try (OwnerSocket _ = AdminAnswers.open(upkeep, directory)) {
      AdminClient.backup(directory, Path.of(path));
      AdminClient.export(directory, Path.of(path));
      AdminClient.startArchive(directory, Archive.to(path, Duration.ofSeconds(1)));
    }
    assertThat(upkeep.named).containsExactly(path, path, path);
  }

  /** A request without a directory would make its copy in the working directory of the process. */
  @ParameterizedTest
  @ValueSource(strings = {"", " ", " x", " ./x", " ../x", "  /x", " /x\\t", " /x\\"})
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aDirectoryIsNamedByAnAbsolutePath(String rest) throws Exception {
    assumeTrue(
        FileSystems.getDefault().supportedFileAttributeViews().contains("posix"),
        "no POSIX permissions");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    NotingUpkeep upkeep = new NotingUpkeep();
    try (OwnerSocket _ = AdminAnswers.open(upkeep, directory)) {
      for (String request : List.of("backup", "export")) {
        assertThat(OwnerSocket.ask(directory.resolve(AdminAnswers.NAME), request + rest))
            .startsWith("error ")
            .contains(rest.contains("\\") ? "backslash" : request + " names a directory");
      }
    }
    assertThat(upkeep.named).isEmpty();
  }

  /** Notes what it was asked to write to. */
  private static final class NotingUpkeep implements AdminAnswers.Upkeep {
    private final List<String> named = new CopyOnWriteArrayList<>();

    @Override
    public Map<String, Long> figures() {
      return Map.of();
    }

    @Override
    public long checkpoint() {
      return 0;
    }

    @Override
    public Map<String, Long> backup(Path target) {
      named.add(target.toString());
      return Map.of();
    }

    @Override
    public Map<String, Long> export(Path target) {
      named.add(target.toString());
      return Map.of();
    }

    @Override
    public void startArchive(
        String place,
        long intervalMillis,
        long keepMillis,
        boolean isCompressed,
        Optional<byte[]> key) {
      named.add(place);
    }

    @Override
    public boolean stopArchive() {
      return false;
    }

    @Override
    public Map<String, Long> archive() {
      return Map.of();
    }
  }

  /** What a client makes of each answer, also of one that ends early or has odd figures. */
  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aClientUnderstandsEachAnswer() throws Exception {
    assumeTrue(
        FileSystems.getDefault().supportedFileAttributeViews().contains("posix"),
        "no POSIX permissions");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    Map<String, Map<String, Long>> answers =
        Map.of(
            "ok", Map.of(),
            "ok\n", Map.of(),
            "ok\na 0\nb -1\n", Map.of("a", 0L, "b", -1L),
            "ok\na 9223372036854775807\n", Map.of("a", Long.MAX_VALUE),
            "ok\na -9223372036854775808\nb 1", Map.of("a", Long.MIN_VALUE, "b", 1L),
            "ok\na 9223372036854775808\nb 1\n", Map.of("b", 1L),
            "ok\na 12345678901234567890123\nb  1\nc 1 2\nd\ne -\nf 7\n", Map.of("f", 7L));
    for (var answer : answers.entrySet()) {
      try (OwnerSocket _ = answering(answer.getKey())) {
        assertThat(AdminClient.figures(directory)).as(answer.getKey()).isEqualTo(answer.getValue());
      }
    }
    Map<String, String> refusals =
        Map.of(
            "", "the store at %s ended the connection without an answer".formatted(directory),
            "error full\n", "the store refused: full",
            "error \n", "the store refused: ",
            "okay\n", "the store refused: okay");
    for (var answer : refusals.entrySet()) {
      try (OwnerSocket _ = answering(answer.getKey())) {
        assertThatThrownBy(() -> AdminClient.figures(directory))
            .as(answer.getKey())
            .isInstanceOf(AdminClient.RefusedException.class)
            .hasMessageStartingWith(answer.getValue());
      }
    }
  }

  private OwnerSocket answering(String answer) throws IOException {
    return OwnerSocket.open(directory.resolve(AdminAnswers.NAME), _ -> answer);
  }
}
