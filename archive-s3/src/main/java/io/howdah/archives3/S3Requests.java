package io.howdah.archives3;

import io.howdah.archive.ObjectStore;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.exception.RetryableException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * The requests of an archive to a bucket. A failure that may pass is tried again within the limits
 * of the client; what remains is a {@link StorageException} that names request and key. Used by one
 * thread at a time.
 */
final class S3Requests implements ObjectStore {

  /** Maximum number of keys in one request to delete. */
  private static final int DELETED_AT_ONCE = 1000;

  /** How much longer pauses are if the object store asks to slow down. */
  private static final int THROTTLED_PAUSES = 10;

  private static final int NOT_FOUND = 404;
  private static final int FORBIDDEN = 403;
  private static final int UNAUTHORIZED = 401;
  private static final int INSUFFICIENT_STORAGE = 507;

  private final S3Client client;
  private final String bucket;
  private final String prefix;
  private final boolean ownsClient;

  /**
   * Creates it.
   *
   * @param prefix of all keys: empty, or with a slash at its end
   * @param ownsClient whether {@link #close} closes the client
   */
  S3Requests(S3Client client, String bucket, String prefix, boolean ownsClient) {
    this.client = client;
    this.bucket = bucket;
    this.prefix = prefix;
    this.ownsClient = ownsClient;
  }

  /** Returns the configuration of a client that keeps to limits. */
  static ClientOverrideConfiguration bounded(S3Limits limits) {
    return ClientOverrideConfiguration.builder()
        .apiCallAttemptTimeout(limits.attempt())
        .apiCallTimeout(limits.call())
        .retryStrategy(
            AwsRetryStrategy.standardRetryStrategy().toBuilder()
                .maxAttempts(limits.attempts())
                .backoffStrategy(BackoffStrategy.exponentialDelay(limits.pause(), limits.call()))
                .throttlingBackoffStrategy(
                    BackoffStrategy.exponentialDelay(
                        limits.pause().multipliedBy(THROTTLED_PAUSES), limits.call()))
                .build())
        .build();
  }

  @Override
  public String describe() {
    return "s3://"
        + bucket
        + (prefix.isEmpty() ? "" : "/" + prefix.substring(0, prefix.length() - 1));
  }

  @Override
  public void put(String key, byte[] bytes, int from, int length) {
    call(
        "put",
        key,
        () ->
            client.putObject(
                request ->
                    request.bucket(bucket).key(prefix + key).contentMD5(md5(bytes, from, length)),
                RequestBody.fromContentProvider(
                    () -> new ByteArrayInputStream(bytes, from, length),
                    length,
                    "application/octet-stream")));
  }

  private static String md5(byte[] bytes, int from, int length) {
    try {
      MessageDigest digest = MessageDigest.getInstance("MD5");
      digest.update(bytes, from, length);
      return Base64.getEncoder().encodeToString(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has MD5", e);
    }
  }

  @Override
  public void list(String keyPrefix, ObjLongConsumer<String> found) {
    Iterator<S3Object> objects =
        call(
            "list",
            keyPrefix,
            () ->
                client
                    .listObjectsV2Paginator(
                        request -> request.bucket(bucket).prefix(prefix + keyPrefix))
                    .contents()
                    .iterator());
    while (call("list", keyPrefix, objects::hasNext)) {
      S3Object object = call("list", keyPrefix, objects::next);
      found.accept(object.key().substring(prefix.length()), object.size());
    }
  }

  @Override
  public boolean hasAny(String keyPrefix) {
    return !call(
            "list",
            keyPrefix,
            () ->
                client
                    .listObjectsV2(
                        request -> request.bucket(bucket).prefix(prefix + keyPrefix).maxKeys(1))
                    .contents())
        .isEmpty();
  }

  @Override
  public Optional<byte[]> get(String key, long from, int length) {
    if (length == 0) {
      return Optional.of(new byte[0]);
    }
    return call(
        "read",
        key,
        () -> {
          try {
            return Optional.of(
                client.getObject(
                    request ->
                        request
                            .bucket(bucket)
                            .key(prefix + key)
                            .range("bytes=" + from + "-" + (from + length - 1)),
                    exactly(length)));
          } catch (NoSuchKeyException e) {
            return Optional.empty();
          }
        });
  }

  /**
   * Reads a body of a known length. Neither a body that is cut off nor one that is longer is taken
   * for what was asked for: an HTTP client may report the first as an ordinary end.
   */
  private static ResponseTransformer<GetObjectResponse, byte[]> exactly(int length) {
    return (response, body) -> {
      Long told = response.contentLength();
      if (told == null || told != length) {
        body.abort();
        throw RetryableException.create("the answer has " + told + " bytes instead of " + length);
      }
      byte[] bytes = read(body, length);
      if (bytes.length < length) {
        throw RetryableException.create(
            "the answer was cut off after " + bytes.length + " of " + length + " bytes");
      }
      return bytes;
    };
  }

  private static byte[] read(InputStream body, int length) {
    try {
      return body.readNBytes(length);
    } catch (IOException e) {
      throw RetryableException.create("the answer was cut off", e);
    }
  }

  @Override
  public void remove(List<String> keys) {
    for (int from = 0; from < keys.size(); from += DELETED_AT_ONCE) {
      List<ObjectIdentifier> some = new ArrayList<>();
      for (String key : keys.subList(from, Math.min(keys.size(), from + DELETED_AT_ONCE))) {
        some.add(ObjectIdentifier.builder().key(prefix + key).build());
      }
      String first = keys.get(from);
      DeleteObjectsResponse response =
          call(
              "delete",
              first,
              () ->
                  client.deleteObjects(
                      request ->
                          request
                              .bucket(bucket)
                              .delete(delete -> delete.objects(some).quiet(true))));
      // The request as a whole succeeds although keys of it have failed.
      response.errors().stream()
          .findFirst()
          .ifPresent(
              error -> {
                throw new StorageException(
                    "AccessDenied".equals(error.code()) ? Reason.ACCESS_DENIED : Reason.IO,
                    "delete s3://" + bucket + "/" + error.key() + ", " + error.code(),
                    null);
              });
    }
  }

  private <T> T call(String verb, String key, Supplier<T> request) {
    try {
      return request.get();
    } catch (SdkException e) {
      throw new StorageException(reason(e), verb + " s3://" + bucket + "/" + prefix + key, e);
    }
  }

  private static Reason reason(SdkException failure) {
    if (!(failure instanceof S3Exception answer)) {
      return Reason.IO;
    }
    String code = answer.awsErrorDetails() == null ? null : answer.awsErrorDetails().errorCode();
    if ("QuotaExceeded".equals(code) || answer.statusCode() == INSUFFICIENT_STORAGE) {
      return Reason.NO_SPACE;
    }
    return switch (answer.statusCode()) {
      case NOT_FOUND -> Reason.MISSING;
      case FORBIDDEN, UNAUTHORIZED -> Reason.ACCESS_DENIED;
      default -> Reason.IO;
    };
  }

  @Override
  public void close() {
    if (ownsClient) {
      client.close();
    }
  }
}
