package io.howdah.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TlsOptionsTest {

  @Test
  void theOldestVersionAndWhatIsNewerAreSpoken() {
    assertThat(TlsOptions.Version.TLS_1_2.protocols()).containsExactly("TLSv1.3", "TLSv1.2");
    assertThat(TlsOptions.Version.TLS_1_3.protocols()).containsExactly("TLSv1.3");
  }
}
