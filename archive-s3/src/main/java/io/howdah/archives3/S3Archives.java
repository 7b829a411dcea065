package io.howdah.archives3;

import io.howdah.archive.ArchiveTarget;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * Archives in buckets, over a client that the program has made. A program that needs no client of
 * its own gives the address to {@link io.howdah.archive.Archive#to(String, java.time.Duration)}.
 */
public final class S3Archives {

  private S3Archives() {}

  /**
   * Returns a place in a bucket, for {@link
   * io.howdah.archive.Archive#to(java.util.function.Supplier, java.time.Duration)}. A close of the
   * place leaves the client open. Time limits and retries are those of the client.
   *
   * @param prefix of all keys, without a slash at its end; empty for the whole bucket. Nothing else
   *     may lie below it
   */
  public static ArchiveTarget over(S3Client client, String bucket, String prefix) {
    return ArchiveTarget.over(
        new S3Requests(client, bucket, prefix.isEmpty() ? "" : prefix + "/", false));
  }
}
