package io.howdah.archives3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.archive.ArchiveTarget;
import io.howdah.archive.ObjectStore;
import io.howdah.archives3.FaultyHttp.Fault;
import io.howdah.archives3.FaultyHttp.Faults;
import io.howdah.core.storage.StorageException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.services.s3.S3Client;

/** An object store whose answers fail, come late, are cut off or do not come. */
final class S3FaultsTest {

  private static final String LOG = ArchiveTargetContract.LOG;

  /** A hanging request is given up soon; with the others the limits make no difference. */
  private static final S3Limits IMPATIENT =
      new S3Limits(4, Duration.ofMillis(1), Duration.ofSeconds(1), Duration.ofSeconds(60));

  private static final S3Limits ONCE =
      new S3Limits(1, Duration.ofMillis(1), Duration.ofSeconds(20), Duration.ofSeconds(60));

  private final String bucket = LocalS3.bucket();

  private void with(S3Limits limits, Faults faults, Use use) {
    try (S3Client client = LocalS3.client(limits, faults);
        ArchiveTarget target = S3Archives.over(client, bucket, "p")) {
      use.of(target);
    }
  }

  private interface Use {
    void of(ArchiveTarget target);
  }

  private static void appendForced(ArchiveTarget target, byte[] all, int from, int to) {
    target.append(LOG, from, ArchiveTargetContract.buffer(all, from, to - from));
    target.force(LOG);
  }

  /** Each request goes wrong in three attempts, and is right in the fourth one. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void whatPassesIsTriedAgain(Fault fault) {
    byte[] all = ArchiveTargetContract.bytes(1, 100_000);
    Faults three =
        (number, request) ->
            number % 4 == 3 || (fault == Fault.CUT_OFF && request.method() != SdkHttpMethod.GET)
                ? Fault.NONE
                : fault;
    // A cut off answer counts only where there is a body.
    with(
        IMPATIENT,
        fault == Fault.CUT_OFF ? (_, _) -> Fault.NONE : three,
        target -> {
          appendForced(target, all, 0, 1000);
          appendForced(target, all, 1000, 100_000);
        });
    AtomicInteger reads = new AtomicInteger();
    with(
        IMPATIENT,
        fault == Fault.CUT_OFF
            ? (_, request) ->
                isRead(request.encodedPath()) && reads.getAndIncrement() % 4 != 3
                    ? fault
                    : Fault.NONE
            : three,
        target -> assertThat(ArchiveTargetContract.read(target, LOG, 0, 200_000)).isEqualTo(all));
    if (fault == Fault.CUT_OFF) {
      assertThat(reads).hasValueGreaterThanOrEqualTo(8);
    }
  }

  private static boolean isRead(String path) {
    return path.contains(LOG);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void whatDoesNotPassIsToldWithTheRequest(Fault fault) {
    AtomicInteger attempts = new AtomicInteger();
    with(
        IMPATIENT,
        (_, _) -> {
          attempts.incrementAndGet();
          return fault;
        },
        target ->
            assertThatThrownBy(target::list)
                .isInstanceOfSatisfying(
                    StorageException.class,
                    e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.IO))
                .hasMessageContaining("list s3://" + bucket + "/p/ failed"));
    assertThat(attempts).hasValueBetween(1, 4);
  }

  /** The archive's thread and the operator act by the reason of a failure. */
  @ParameterizedTest
  @CsvSource({
    "404, NoSuchBucket, MISSING",
    "403, AccessDenied, ACCESS_DENIED",
    "401, Unauthorized, ACCESS_DENIED",
    "400, QuotaExceeded, NO_SPACE",
    "507, InsufficientStorage, NO_SPACE",
    "400, InvalidRequest, IO",
    "500, InternalError, IO"
  })
  void aRefusalHasItsReason(int status, String code, StorageException.Reason reason) {
    String error = "<Error><Code>" + code + "</Code><Message>test</Message></Error>";
    try (S3Client client = LocalS3.client(status, error);
        ArchiveTarget target = S3Archives.over(client, bucket, "p")) {
      for (ThrowingCallable each :
          List.<ThrowingCallable>of(
              target::list,
              () -> target.remove(LOG),
              () -> target.put(LOG, ArchiveTargetContract.buffer(new byte[1], 0, 1)))) {
        assertThatThrownBy(each)
            .isInstanceOfSatisfying(
                StorageException.class, e -> assertThat(e.reason()).isEqualTo(reason));
      }
    }
  }

  /** An object store may delete some objects, refuse others, and answer with 200. */
  @ParameterizedTest
  @CsvSource({"AccessDenied, ACCESS_DENIED", "InternalError, IO"})
  void anObjectThatIsNotDeletedIsTold(String code, StorageException.Reason reason) {
    String result =
        "<DeleteResult><Deleted><Key>p/a</Key></Deleted><Error><Key>p/b</Key><Code>"
            + code
            + "</Code></Error></DeleteResult>";
    try (S3Client client = LocalS3.client(200, result);
        ObjectStore objects = new S3Requests(client, bucket, "p/", false)) {
      assertThatThrownBy(() -> objects.remove(List.of("a", "b")))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.reason()).isEqualTo(reason))
          .hasMessageContaining("delete s3://" + bucket + "/p/b, " + code);
    }
  }

  @Test
  void aForceThatFailsEndsTheUseOfTheObject() {
    byte[] all = ArchiveTargetContract.bytes(2, 2000);
    AtomicInteger puts = new AtomicInteger();
    with(
        ONCE,
        (_, request) ->
            request.method() == SdkHttpMethod.PUT && puts.getAndIncrement() == 1
                ? Fault.NO_ANSWER
                : Fault.NONE,
        target -> {
          appendForced(target, all, 0, 1000);
          target.append(LOG, 1000, ArchiveTargetContract.buffer(all, 1000, 1000));
          assertThatThrownBy(() -> target.force(LOG))
              .isInstanceOf(StorageException.class)
              .hasMessageContaining("put s3://" + bucket + "/p/" + LOG + "/00000000000003e8-");
          assertThatThrownBy(() -> target.force(LOG)).isInstanceOf(IllegalStateException.class);
        });
  }

  /** Without the right to remove, parts that were replaced stay, and the archive goes on. */
  @Test
  void removalsThatFailOnlyCost() {
    byte[] all = ArchiveTargetContract.bytes(3, 6400);
    with(
        ONCE,
        (_, request) -> request.method() == SdkHttpMethod.POST ? Fault.INTERNAL_ERROR : Fault.NONE,
        target -> {
          for (int i = 0; i < 64; i++) {
            appendForced(target, all, i * 100, i * 100 + 100);
          }
          assertThat(target.list()).containsEntry(LOG, 6400L);
          assertThat(ArchiveTargetContract.read(target, LOG, 0, 7000)).isEqualTo(all);
          assertThatThrownBy(() -> target.remove(LOG)).isInstanceOf(StorageException.class);
        });
    with(
        ONCE,
        (_, _) -> Fault.NONE,
        target -> {
          target.remove(LOG);
          assertThat(target.list()).isEmpty();
        });
  }

  /**
   * The process dies at a request, which the object store has carried out or not. What was forced
   * is there afterwards, and no other byte than those that were appended. Small parts are replaced
   * behind the 64th force and at the end; all requests from shortly before on are tried.
   */
  @ParameterizedTest
  @EnumSource(names = {"NOT_SENT", "NO_ANSWER"})
  void aCrashAtARequestLeavesTheBeginningOfTheObject(Fault last) {
    int[] ends = ends();
    byte[] all = ArchiveTargetContract.bytes(4, ends[ends.length - 1]);
    int crash = 0;
    for (boolean isWhole = false; !isWhole; crash = crash == 2 ? 62 : crash + 1) {
      String name = String.format("00000001-0000abcd.log.%08d", crash + 1);
      int forced = appendUntil(crash, last, name, all, ends);
      isWhole = forced == all.length;
      int at = crash;
      with(
          ONCE,
          (_, _) -> Fault.NONE,
          target -> {
            int length = target.list().getOrDefault(name, 0L).intValue();
            assertThat(length).as("crash at request %d", at).isGreaterThanOrEqualTo(forced);
            if (length > 0) {
              assertThat(ArchiveTargetContract.read(target, name, 0, length + 1))
                  .as("crash at request %d", at)
                  .isEqualTo(Arrays.copyOf(all, length));
            }
          });
    }
    // A listing, 71 uploads and two removals, the last of which may fail.
    assertThat(crash).isEqualTo(74);
  }

  /** Appends until a request fails; returns how much was forced. */
  private int appendUntil(int crash, Fault last, String name, byte[] all, int[] ends) {
    int[] forced = {0};
    with(
        ONCE,
        (number, _) -> number < crash ? Fault.NONE : number == crash ? last : Fault.NOT_SENT,
        target -> {
          try {
            for (int end : ends) {
              target.append(
                  name, forced[0], ArchiveTargetContract.buffer(all, forced[0], end - forced[0]));
              target.force(name);
              forced[0] = end;
            }
          } catch (StorageException e) {
            // the crash
          }
        });
    return forced[0];
  }

  /** Small forces beyond one replacement of parts, then a long one that replaces the rest. */
  private static int[] ends() {
    int[] ends = new int[71];
    for (int i = 0; i < 70; i++) {
      ends[i] = 100 * (i + 1);
    }
    ends[70] = ends[69] + (1 << 20);
    return ends;
  }
}
