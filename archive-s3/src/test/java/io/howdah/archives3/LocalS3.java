package io.howdah.archives3;

import java.net.URI;
import java.time.Duration;
import java.util.UUID;
import org.gaul.s3proxy.AuthenticationType;
import org.gaul.s3proxy.S3Proxy;
import org.jclouds.ContextBuilder;
import org.jclouds.blobstore.BlobStore;
import org.jclouds.blobstore.BlobStoreContext;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.services.s3.S3Client;

/** An object store in this JVM, which verifies signatures; one for all tests. */
final class LocalS3 {

  /** Short, so that a test of an object store that does not answer ends soon. */
  static final S3Limits LIMITS =
      new S3Limits(4, Duration.ofMillis(1), Duration.ofSeconds(20), Duration.ofSeconds(60));

  private static final String KEY_ID = "test-key";
  private static final String SECRET = "test-secret";
  private static final LocalS3 INSTANCE = new LocalS3();

  private final BlobStore blobs;
  private final int port;

  private LocalS3() {
    System.setProperty("aws.accessKeyId", KEY_ID);
    System.setProperty("aws.secretAccessKey", SECRET);
    blobs =
        ContextBuilder.newBuilder("transient")
            .credentials(KEY_ID, SECRET)
            .build(BlobStoreContext.class)
            .getBlobStore();
    S3Proxy proxy =
        S3Proxy.builder()
            .blobStore(blobs)
            .awsAuthentication(AuthenticationType.AWS_V4, KEY_ID, SECRET)
            .ignoreUnknownHeaders(true) // newer checksums, which it does not know
            .endpoint(URI.create("http://127.0.0.1:0"))
            .build();
    try {
      proxy.start(); // returns when it listens
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    port = proxy.getPort();
  }

  /** Returns a new bucket. */
  static String bucket() {
    String name = "b-" + UUID.randomUUID();
    INSTANCE.blobs.createContainerInLocation(null, name);
    return name;
  }

  /** Puts an object without a request, which takes longer. */
  static void put(String bucket, String key, byte[] bytes) {
    String _ =
        INSTANCE.blobs.putBlob(bucket, INSTANCE.blobs.blobBuilder(key).payload(bytes).build());
  }

  static String address(String bucket, String prefix) {
    return "s3://"
        + bucket
        + "/"
        + prefix
        + "?endpoint=http://127.0.0.1:"
        + INSTANCE.port
        + "&path-style=true";
  }

  /** Returns a client whose requests have faults. */
  static S3Client client(S3Limits limits, FaultyHttp.Faults faults) {
    return S3Address.parse(address("any-bucket", ""))
        .builder(limits)
        .httpClientBuilder(
            defaults ->
                new FaultyHttp(
                    UrlConnectionHttpClient.builder().buildWithDefaults(defaults), faults))
        .build();
  }

  /** Returns a client all of whose requests have one answer. */
  static S3Client client(int status, String element) {
    SdkHttpClient answering =
        new SdkHttpClient() {
          @Override
          public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
            return new ExecutableHttpRequest() {
              @Override
              public HttpExecuteResponse call() {
                return FaultyHttp.answerOf(status, element);
              }

              @Override
              public void abort() {}
            };
          }

          @Override
          public void close() {}
        };
    return S3Address.parse(address("any-bucket", ""))
        .builder(LIMITS)
        .httpClientBuilder(_ -> answering)
        .build();
  }

  static S3Client client() {
    return client(LIMITS, (_, _) -> FaultyHttp.Fault.NONE);
  }
}
