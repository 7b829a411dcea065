package io.howdah.server.net;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How connections are encrypted.
 *
 * @param chain the certificates in PEM, the server's first
 * @param key the private key in PEM (PKCS #8), without a password; null if it is in the same file
 * @param version the oldest protocol that is spoken
 */
public record TlsOptions(Path chain, @Nullable Path key, Version version) {

  /** A version of TLS. Older ones are not on offer. */
  public enum Version {
    /** TLS 1.2, and what is newer. */
    TLS_1_2,
    /** TLS 1.3. */
    TLS_1_3;

    List<String> protocols() {
      return this == TLS_1_2 ? List.of("TLSv1.3", "TLSv1.2") : List.of("TLSv1.3");
    }
  }
}
