package io.howdah.archives3;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveNames;
import io.howdah.archive.ArchiveTarget;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.storage.StorageException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Object;

/** A bucket as the place of an archive: the contract, and the parts below it. */
final class S3TargetTest extends ArchiveTargetContract {

  private static final String PREFIX = "stores/shop";

  private final String bucket = LocalS3.bucket();
  private final S3Client client = LocalS3.client();

  @AfterEach
  void closeClient() {
    client.close();
  }

  /** Opens the place as the command does: by its address. */
  @Override
  ArchiveTarget open() {
    return Archive.to(LocalS3.address(bucket, PREFIX), Duration.ofSeconds(1)).open();
  }

  @Override
  void putStranger(String name) {
    client.putObject(
        request -> request.bucket(bucket).key(PREFIX + "/" + name), RequestBody.fromString("text"));
  }

  private List<String> keys() {
    return client.listObjectsV2(request -> request.bucket(bucket)).contents().stream()
        .map(S3Object::key)
        .toList();
  }

  private void forces(ArchiveTarget target, byte[] all, int from, int to, int length) {
    for (int i = from; i < to; i++) {
      target.append(LOG, (long) i * length, buffer(all, i * length, length));
      target.force(LOG);
    }
  }

  @Test
  void aNameIsThatOfThePlace() {
    try (ArchiveTarget target = open()) {
      assertThat(target.describe()).isEqualTo("s3://" + bucket + "/" + PREFIX);
    }
  }

  @Test
  void aKeyNamesOffsetLengthAndChecksum() {
    try (ArchiveTarget target = open()) {
      target.append(LOG, 0, buffer("123456789".getBytes(US_ASCII), 0, 9));
      target.force(LOG);
    }
    assertThat(keys()) // the check value of CRC32C
        .containsExactly(PREFIX + "/" + LOG + "/0000000000000000-00000009-e3069283");
  }

  /** An answer names 1000 keys at most, and so many are deleted with one request. */
  @Test
  void moreObjectsThanAnAnswerHoldsAreListedReadAndRemoved() {
    int count = 1001;
    byte[] all = bytes(7, count);
    String other = ArchiveNames.log(1, 0xabcd, 2);
    for (int i = 0; i < count; i++) {
      CRC32C crc = new CRC32C();
      crc.update(all, i, 1);
      String part = "%016x-%08x-%08x".formatted(i, 1, crc.getValue());
      LocalS3.put(bucket, PREFIX + "/" + LOG + "/" + part, Arrays.copyOfRange(all, i, i + 1));
    }
    try (ArchiveTarget target = open()) {
      target.append(other, 0, buffer(all, 0, 10));
      target.force(other);
      assertThat(target.list()).containsOnly(Map.entry(LOG, (long) count), Map.entry(other, 10L));
      assertThat(read(target, LOG, count - 2, 10))
          .isEqualTo(Arrays.copyOfRange(all, count - 2, count));
      target.remove(LOG);
      assertThat(target.list()).containsOnlyKeys(other);
      assertThat(keys()).hasSize(1);
    }
  }

  @Test
  void smallPartsBecomeOne() {
    byte[] all = bytes(1, 200 * 10);
    try (ArchiveTarget target = open()) {
      forces(target, all, 0, 63, 10);
      assertThat(keys()).hasSize(63);
      forces(target, all, 63, 64, 10);
      assertThat(keys()).hasSize(1);
      forces(target, all, 64, 200, 10);
      assertThat(keys()).hasSizeLessThan(64);
      assertThat(read(target, LOG, 0, 3000)).isEqualTo(all);
    }
  }

  @Test
  void aLongTailBecomesOnePart() {
    byte[] all = bytes(2, 5 * 300_000);
    try (ArchiveTarget target = open()) {
      forces(target, all, 0, 5, 300_000);
      assertThat(keys()).hasSize(2); // 1.2 MB, then 0.3 MB
      assertThat(read(target, LOG, 0, all.length)).isEqualTo(all);
    }
  }

  /** What is not forced stays in memory, up to the length of a part. */
  @Test
  void aPartHasEightMebibytesAtMost() {
    byte[] all = bytes(7, (20 << 20) + 5);
    try (ArchiveTarget target = open()) {
      target.append(LOG, 0, buffer(all, 0, all.length));
      assertThat(keys()).hasSize(2);
      target.force(LOG);
      assertThat(client.listObjectsV2(request -> request.bucket(bucket)).contents())
          .extracting(S3Object::size)
          .containsExactly(8L << 20, 8L << 20, (4L << 20) + 5);
    }
  }

  /** A reader finds the bytes of parts that were replaced since its listing. */
  @Test
  void aReaderLooksAgainForPartsThatWereReplaced() {
    byte[] all = bytes(3, 64 * 1000);
    try (ArchiveTarget writer = open();
        ArchiveTarget reader = open()) {
      forces(writer, all, 0, 60, 1000);
      assertThat(read(reader, LOG, 0, 500)).hasSize(500);
      forces(writer, all, 60, 64, 1000);
      assertThat(keys()).hasSize(1);
      assertThat(read(reader, LOG, 30_000, 34_000))
          .isEqualTo(Arrays.copyOfRange(all, 30_000, 64_000));
    }
  }

  @Test
  void aReaderSeesWhatWasAppendedSinceItsListing() {
    byte[] all = bytes(4, 3000);
    try (ArchiveTarget writer = open();
        ArchiveTarget reader = open()) {
      forces(writer, all, 0, 1, 1000);
      assertThat(read(reader, LOG, 0, 3000)).hasSize(1000);
      forces(writer, all, 1, 3, 1000);
      assertThat(read(reader, LOG, 0, 3000)).isEqualTo(all);
    }
  }

  @Test
  void aMissingPartIsDamage() {
    byte[] all = bytes(5, 3000);
    try (ArchiveTarget target = open()) {
      forces(target, all, 0, 3, 1000);
      client.deleteObject(request -> request.bucket(bucket).key(keys().get(1)));
      assertThat(target.list()).containsEntry(LOG, 3000L);
    }
    try (ArchiveTarget target = open()) {
      assertThatThrownBy(() -> read(target, LOG, 0, 3000))
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining(LOG + " at offset 1000: a part of the object is missing");
      assertThat(read(target, LOG, 2000, 1000)).hasSize(1000);
    }
  }

  @Test
  void aChangedPartIsDamage() {
    byte[] all = bytes(6, 1000);
    try (ArchiveTarget target = open()) {
      forces(target, all, 0, 1, 1000);
      all[500] ^= 1;
      client.putObject(
          request -> request.bucket(bucket).key(keys().getFirst()), RequestBody.fromBytes(all));
      assertThatThrownBy(() -> read(target, LOG, 0, 1000))
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining(keys().getFirst().substring(PREFIX.length() + 1))
          .hasMessageContaining("another checksum");
    }
  }

  @Test
  void keysThatAreNoPartsAreLeftAlone() {
    putStranger(LOG + "/0000000000000000-00000009-e306928"); // a digit is missing
    putStranger(LOG + "/ffffffffffffffff-00000009-e3069283"); // a negative offset
    putStranger(LOG + "/7fffffffffffffff-00000009-e3069283"); // ends behind the largest offset
    putStranger("other/" + LOG);
    try (ArchiveTarget target = open()) {
      assertThat(target.list()).isEmpty();
    }
  }

  @Test
  void aBucketThatIsNotThereIsNamed() {
    String address = LocalS3.address("no-such-bucket", "x");
    try (ArchiveTarget target = Archive.in(address).open()) {
      assertThatThrownBy(target::list)
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("s3://no-such-bucket/x/");
      assertThatThrownBy(() -> target.put(ArchiveNames.ARCHIVE, buffer(new byte[1], 0, 1)))
          .isInstanceOfSatisfying(
              StorageException.class,
              e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.MISSING));
    }
  }
}
