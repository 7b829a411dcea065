package io.howdah.springboot;

import com.example.shop.ShopApplication;
import io.howdah.process.JavaCommand;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The shop in a JVM of its own, without flags. */
final class ShopProcess implements AutoCloseable {

  private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

  private final Process process;
  private final Path out;
  private final Path err;
  private final HttpClient client = HttpClient.newHttpClient();
  private int port;

  private ShopProcess(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  /** Starts the shop, and waits until it serves, or has ended. */
  static ShopProcess start(Path folder, Path store, String... properties)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>();
    arguments.add("--howdah.stores.shop.directory=" + store);
    arguments.add("--howdah.stores.shop.backups=" + folder.resolve("backups"));
    arguments.add("--howdah.stores.shop.max-size=64MB");
    arguments.add("--server.port=0");
    arguments.add("--server.address=127.0.0.1");
    arguments.add("--spring.main.banner-mode=off");
    arguments.add("--logging.config=classpath:logback-shop.xml");
    arguments.add("--management.endpoints.web.exposure.include=*");
    arguments.add("--management.endpoint.health.show-details=always");
    arguments.addAll(List.of(properties));
    Path out = Files.createTempFile(folder, "shop", ".out");
    Path err = Files.createTempFile(folder, "shop", ".err");
    Process process =
        JavaCommand.of(List.of(), ShopApplication.class, arguments)
            .builder()
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    ShopProcess shop = new ShopProcess(process, out, err);
    while (process.isAlive() && shop.port == 0) {
      Matcher found = PORT.matcher(shop.output());
      if (found.find()) {
        shop.port = Integer.parseInt(found.group(1));
      } else {
        boolean _ = process.waitFor(20, TimeUnit.MILLISECONDS);
      }
    }
    return shop;
  }

  String output() throws IOException {
    return Files.readString(out);
  }

  String errors() throws IOException {
    return Files.readString(err);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Sends a request and returns the body of the answer, after its status. */
  String send(String method, String path, @Nullable String json)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .method(
                method,
                json == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(json));
    if (json != null) {
      request.header("Content-Type", "application/json");
    }
    HttpResponse<String> answer =
        client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    return answer.statusCode() + " " + answer.body();
  }

  /** Ends the process as {@code kill -9} does. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Ends the process as {@code kill} does, and returns its exit code. */
  int stop() throws InterruptedException {
    process.destroy();
    return process.waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
    client.close();
  }
}
