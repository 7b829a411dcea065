package io.howdah.server.net;

import io.howdah.core.HowdahException;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.net.ssl.SSLException;

/** The server's certificate, which is read again on demand. Thread-safe. */
final class Tls {

  private final TlsOptions options;
  private volatile SslContext context;

  /**
   * Reads certificate and key.
   *
   * @throws HowdahException if they cannot be read or do not fit
   */
  Tls(TlsOptions options) {
    this.options = options;
    this.context = read(options);
  }

  private static SslContext read(TlsOptions options) {
    Path key = options.key() == null ? options.chain() : options.key();
    for (Path file : new Path[] {options.chain(), key}) {
      if (!Files.isReadable(file)) {
        throw new HowdahException("cannot read " + file + ", which TLS needs");
      }
    }
    try {
      return SslContextBuilder.forServer(options.chain().toFile(), key.toFile())
          .sslProvider(SslProvider.JDK)
          .protocols(options.version().protocols())
          .build();
    } catch (SSLException | IllegalArgumentException e) {
      throw new HowdahException(
          "no certificate with its private key, both in PEM, is in "
              + options.chain()
              + (key.equals(options.chain()) ? "" : " and " + key)
              + ": "
              + e.getMessage(),
          e);
    }
  }

  /** Reads the files again, for new connections. If that fails, they stay those of before. */
  void reload() {
    context = read(options);
  }

  SslHandler handler(ByteBufAllocator allocator) {
    return context.newHandler(allocator);
  }
}
