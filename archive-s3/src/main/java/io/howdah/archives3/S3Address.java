package io.howdah.archives3;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/**
 * Where an archive is.
 *
 * @param prefix of all keys: empty, or with a slash at its end
 * @param region or null for that of the SDK's default chain
 * @param endpoint of another object store, or null for that of AWS
 * @param isPathStyle whether the bucket is in the path of requests instead of the host's name
 */
record S3Address(
    String bucket,
    String prefix,
    @Nullable String region,
    @Nullable URI endpoint,
    boolean isPathStyle) {

  static final String SCHEME = "s3";

  private static final String FORM = "s3://BUCKET[/PREFIX][?OPTION&...]";

  /**
   * Parses an address.
   *
   * @throws IllegalArgumentException if it is none; says why
   */
  static S3Address parse(String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw refused("an address is " + FORM + ": " + e.getReason());
    }
    String bucket = uri.getRawAuthority();
    if (uri.getUserInfo() != null || (bucket != null && bucket.contains("@"))) {
      // The address itself may hold a secret, so it is not in the message.
      throw refused(
          "an address has no credentials; they are taken from the environment or a profile");
    }
    if (!SCHEME.equals(uri.getScheme())
        || bucket == null
        || !bucket.matches("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
        || uri.getRawFragment() != null) {
      throw refused(text + " is no address such as " + FORM);
    }
    String path = uri.getPath() == null ? "" : uri.getPath().replaceAll("^/|/$", "");
    if (path.contains("//")) {
      throw refused(text + " has an empty name in its path");
    }
    return options(
        text, uri, new S3Address(bucket, path.isEmpty() ? "" : path + "/", null, null, false));
  }

  private static S3Address options(String text, URI uri, S3Address plain) {
    S3Address address = plain;
    String query = uri.getQuery();
    for (String option : query == null ? new String[0] : query.split("&", -1)) {
      int equals = option.indexOf('=');
      String name = equals < 0 ? option : option.substring(0, equals);
      String value = equals < 0 ? "" : option.substring(equals + 1);
      address =
          switch (name) {
            case "region" -> address.withRegion(text, value);
            case "endpoint" -> address.withEndpoint(text, value);
            case "path-style" -> address.withPathStyle(text, value);
            default ->
                throw refused(
                    text + ": no option " + name + "; there are region, endpoint and path-style");
          };
    }
    return address;
  }

  private S3Address withRegion(String text, String value) {
    if (!value.matches("[a-z0-9-]{1,63}")) {
      throw refused(text + ": region is a name such as eu-central-1");
    }
    return new S3Address(bucket, prefix, value, endpoint, isPathStyle);
  }

  private S3Address withEndpoint(String text, String value) {
    URI uri;
    try {
      uri = new URI(value);
    } catch (URISyntaxException e) {
      throw refused(text + ": endpoint is no URL: " + e.getReason());
    }
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    if (!(scheme.equals("http") || scheme.equals("https"))
        || uri.getHost() == null
        || uri.getUserInfo() != null) {
      throw refused(text + ": endpoint is a URL such as https://objects.example.org");
    }
    return new S3Address(bucket, prefix, region, uri, isPathStyle);
  }

  private S3Address withPathStyle(String text, String value) {
    if (!value.equals("true") && !value.equals("false")) {
      throw refused(text + ": path-style is true or false");
    }
    return new S3Address(bucket, prefix, region, endpoint, value.equals("true"));
  }

  private static IllegalArgumentException refused(String message) {
    return new IllegalArgumentException(message);
  }

  /** Returns a client; the caller closes it. */
  S3Client client(S3Limits limits) {
    return builder(limits).build();
  }

  /** Returns what makes clients that keep to limits. */
  S3ClientBuilder builder(S3Limits limits) {
    S3ClientBuilder builder =
        S3Client.builder()
            .forcePathStyle(isPathStyle)
            // Each object is sent with its MD5, which every object store verifies. What is read
            // is verified against the checksums of the archive.
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .httpClientBuilder(
                UrlConnectionHttpClient.builder()
                    .connectionTimeout(limits.attempt())
                    .socketTimeout(limits.attempt()))
            .overrideConfiguration(S3Requests.bounded(limits));
    URI other = endpoint;
    String name = region;
    if (other != null) {
      builder.endpointOverride(other).region(Region.of(name == null ? "us-east-1" : name));
    } else if (name != null) {
      builder.region(Region.of(name));
    }
    return builder;
  }
}
