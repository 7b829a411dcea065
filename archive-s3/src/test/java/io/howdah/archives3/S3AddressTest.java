package io.howdah.archives3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.archive.Archive;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Addresses of buckets. */
final class S3AddressTest {

  @Test
  void aBucketAloneIsAnAddress() {
    S3Address plain = new S3Address("my.bucket-1", "", null, null, false);
    assertThat(S3Address.parse("s3://my.bucket-1")).isEqualTo(plain);
    assertThat(S3Address.parse("s3://my.bucket-1/")).isEqualTo(plain);
  }

  @Test
  void aPrefixAndAllOptionsAreRead() {
    assertThat(
            S3Address.parse(
                "s3://bucket/a/b%20c/?region=eu-central-1&endpoint=http://[::1]:9000&path-style=true"))
        .isEqualTo(
            new S3Address(
                "bucket", "a/b c/", "eu-central-1", URI.create("http://[::1]:9000"), true));
  }

  @Test
  void optionsMeanTheSameInAnyOrder() {
    S3Address all =
        new S3Address("bucket", "", "eu-central-1", URI.create("http://localhost:9000"), true);
    String region = "region=eu-central-1";
    String endpoint = "endpoint=http://localhost:9000";
    String style = "path-style=true";
    for (String options :
        List.of(
            String.join("&", region, endpoint, style),
            String.join("&", region, style, endpoint),
            String.join("&", endpoint, region, style),
            String.join("&", endpoint, style, region),
            String.join("&", style, region, endpoint),
            String.join("&", style, endpoint, region))) {
      assertThat(S3Address.parse("s3://bucket?" + options)).as(options).isEqualTo(all);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "s3://|an address is s3://BUCKET",
        "s3://Bucket|is no address such as s3://BUCKET",
        "s3://ab|is no address such as s3://BUCKET",
        "s3://bucket:80/x|is no address such as s3://BUCKET",
        "s3://bucket/x#y|is no address such as s3://BUCKET",
        "s3://bucket/x//y|has an empty name in its path",
        "s3://bucket/x y|Illegal character",
        "s3://bucket?regoin=x|no option regoin; there are region, endpoint and path-style",
        "s3://bucket?region=|region is a name such as",
        "s3://bucket?region=EU|region is a name such as",
        "s3://bucket?endpoint=localhost:9000|endpoint is a URL such as",
        "s3://bucket?endpoint=https://u:p@host|endpoint is a URL such as",
        "s3://bucket?path-style=yes|path-style is true or false",
        "s3://bucket?|no option",
      })
  void whatIsNoAddressIsRefused(String address, String problem) {
    assertThatThrownBy(() -> Archive.to(address, Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(problem);
  }

  @Test
  void aSecretInAnAddressIsRefusedAndNotRepeated() {
    assertThatThrownBy(() -> Archive.in("s3://id:hidden@bucket/x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has no credentials")
        .hasMessageNotContaining("hidden");
  }
}
