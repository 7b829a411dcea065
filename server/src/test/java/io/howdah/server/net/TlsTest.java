package io.howdah.server.net;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.HowdahException;
import io.howdah.server.transport.TransportKind;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections by TLS, with a certificate made for the test. */
final class TlsTest {

  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir Path folder;

  private ServerOptions options(TlsOptions tls) {
    return ServerOptions.defaults()
        .withAddresses(List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))
        .withTransport(TransportKind.NIO)
        .withThreads(1)
        .withMode(ReplyMode.NONE)
        .withTls(tls);
  }

  /** Makes a key pair and a certificate for it. */
  private KeyStore certificate(String name) throws Exception {
    Path file = folder.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "server",
                "-dname",
                "CN=" + name,
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keytool.out").toFile())
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD);
    }
    return store;
  }

  private static String pem(String kind, byte[] bytes) {
    return "-----BEGIN "
        + kind
        + "-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
        + "\n-----END "
        + kind
        + "-----\n";
  }

  private static String chain(KeyStore store) throws Exception {
    return pem("CERTIFICATE", store.getCertificate("server").getEncoded());
  }

  private static String key(KeyStore store) throws Exception {
    return pem("PRIVATE KEY", store.getKey("server", PASSWORD).getEncoded());
  }

  private static SSLSocket connect(Server server, KeyStore trusted) throws Exception {
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    trust.setCertificateEntry("server", trusted.getCertificate("server"));
    TrustManagerFactory trusts =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusts.init(trust);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trusts.getTrustManagers(), null);
    SSLSocket socket =
        (SSLSocket)
            context
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), server.address().getPort());
    socket.setSoTimeout(120_000);
    return socket;
  }

  private static String ask(Socket socket, String request, int bytes) throws IOException {
    socket.getOutputStream().write(request.getBytes(US_ASCII));
    return new String(socket.getInputStream().readNBytes(bytes), US_ASCII);
  }

  @Test
  void whatStandsBeforeAQuitIsReplied() throws Exception {
    KeyStore store = certificate("server");
    Path chain = Files.writeString(folder.resolve("chain.pem"), chain(store) + key(store));
    TlsOptions tls = new TlsOptions(chain, null, TlsOptions.Version.TLS_1_3);
    try (Server server = new Server(folder, options(tls));
        SSLSocket socket = connect(server, store)) {
      String value = "v".repeat(1000);
      ask(socket, "set a 0 0 1000\r\n" + value + "\r\n", 8);
      byte[] sent =
          ("get a\r\n".repeat(1000) + "quit\r\n" + "y".repeat(1_000_000)).getBytes(US_ASCII);
      CompletableFuture<Void> sending =
          CompletableFuture.runAsync(
              () -> {
                try {
                  socket.getOutputStream().write(sent);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              },
              task -> Thread.ofPlatform().daemon().start(task));
      assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
          .isEqualTo(("VALUE a 0 1000\r\n" + value + "\r\nEND\r\n").repeat(1000));
      sending.join();
    }
  }

  @Test
  void commandsAreServedAndTheCertificateCanBeReadAgain() throws Exception {
    KeyStore first = certificate("first");
    KeyStore second = certificate("second");
    Path chain = Files.writeString(folder.resolve("chain.pem"), chain(first) + key(first));
    TlsOptions tls = new TlsOptions(chain, null, TlsOptions.Version.TLS_1_3);
    try (Server server = new Server(folder, options(tls))) {
      String value = "v".repeat(300_000);
      String hit = "VALUE a 0 300000\r\n" + value + "\r\nEND\r\n";
      try (SSLSocket socket = connect(server, first)) {
        assertThat(ask(socket, "set a 0 0 300000\r\n" + value + "\r\n", 8)).isEqualTo("STORED\r\n");
        assertThat(ask(socket, "get a\r\n", hit.length())).isEqualTo(hit);
        assertThat(socket.getSession().getProtocol()).isEqualTo("TLSv1.3");
      }
      try (SSLSocket old = connect(server, first)) {
        old.setEnabledProtocols(new String[] {"TLSv1.2"});
        assertThatThrownBy(old::startHandshake).isInstanceOf(SSLException.class);
      }
      try (Socket plain =
          new Socket(InetAddress.getLoopbackAddress(), server.address().getPort())) {
        plain.setSoTimeout(120_000);
        plain.getOutputStream().write("get a\r\nget a\r\n".getBytes(US_ASCII));
        assertThat(new String(plain.getInputStream().readAllBytes(), US_ASCII))
            .doesNotContain("VALUE", "END");
      }
      Files.writeString(chain, chain(second));
      assertThatThrownBy(server::reload)
          .isInstanceOf(HowdahException.class)
          .hasMessageContaining(chain.toString());
      try (SSLSocket socket = connect(server, first)) {
        assertThat(ask(socket, "mn\r\n", 4)).isEqualTo("MN\r\n");
      }
      Files.writeString(chain, chain(second) + key(second));
      server.reload();
      try (SSLSocket socket = connect(server, second)) {
        assertThat(ask(socket, "mn\r\n", 4)).isEqualTo("MN\r\n");
      }
    }
  }

  @Test
  void aMissingFileIsNamed() {
    TlsOptions tls = new TlsOptions(folder.resolve("none.pem"), null, TlsOptions.Version.TLS_1_2);
    assertThatThrownBy(() -> new Server(folder, options(tls)).close())
        .isInstanceOf(HowdahException.class)
        .hasMessageContaining("none.pem");
  }
}
