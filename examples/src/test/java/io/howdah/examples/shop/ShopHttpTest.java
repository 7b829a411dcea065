package io.howdah.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the shop answers over HTTP, above all to requests that are wrong. */
final class ShopHttpTest {

  private static final String ORDER = "/orders/" + new UUID(1, 2);

  /** Has what the shop logs of its own failures, which this test provokes. */
  private static final Logger LOG = Logger.getLogger(ShopHttp.class.getName());

  private static HttpClient client;
  private final Store store = Store.inMemory(Shop.options());
  private final Shop shop = new Shop(store);
  private final ShopHttp http;

  ShopHttpTest() throws IOException {
    http = new ShopHttp(shop, 0);
  }

  @BeforeAll
  static void connect() {
    client = HttpClient.newHttpClient();
  }

  @AfterAll
  static void disconnect() {
    client.close();
  }

  @BeforeEach
  void fill() {
    shop.register("alice", new Customer("Alice", "alice@example.org", "EE"));
    shop.receive(Delivery.parse("first", List.of("teapot\t24.50\t12", "tea cup\t4.00\t60")));
  }

  @AfterEach
  void close() {
    http.close();
    store.close();
  }

  @Test
  void ordersArePlacedShownAndShipped() throws Exception {
    assertThat(send("PUT", "/customers/bob", "name=Bob+B%C3%B6&email=b@example.org&country=FI"))
        .extracting(HttpResponse::statusCode)
        .isEqualTo(200);
    assertThat(shop.customer("bob")).contains(new Customer("Bob Bö", "b@example.org", "FI"));
    HttpResponse<String> placed =
        send("PUT", ORDER, "customer=bob&line=tea+cup:2&line=teapot:1&line=tea%20cup:1");
    assertThat(placed.statusCode()).isEqualTo(200);
    assertThat(placed.body()).contains("of bob", "total 36.50", "3 x tea cup at 4.00", "waits");
    assertThat(send("GET", ORDER, "").body()).isEqualTo(placed.body());
    assertThat(send("GET", "/customers/bob/orders", "").body()).isEqualTo(placed.body());
    assertThat(send("GET", "/articles?teapot", "").body())
        .isEqualTo("teapot: 24.50, 11 in stock\n");
    assertThat(send("GET", "/shipments", "").body()).isEqualTo("1 orders wait\n");
    assertThat(send("POST", "/shipments", "").body()).startsWith("shipped ");
    assertThat(send("POST", "/shipments", "").body()).isEqualTo("no order waits\n");
    assertThat(send("GET", ORDER, "").body()).contains(", shipped 20");
    assertThat(send("HEAD", ORDER, "").statusCode()).isEqualTo(404);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          PUT    | ID          | customer=alice                       | 400 | has a line=ARTICLE:PIECES
          PUT    | ID          | line=teapot:1                        | 400 | customer is wanted once
          PUT    | ID          | customer=alice&customer=b&line=cup:1 | 400 | and is there 2 times
          PUT    | ID          | customer=alice&line=teapot:0         | 400 | not 1 to 1000 pieces: 0
          PUT    | ID          | customer=alice&line=teapot:-1        | 400 | not 1 to 1000 pieces: -1
          PUT    | ID          | customer=alice&line=teapot:9999999999| 400 | not 1 to 1000 pieces
          PUT    | ID          | customer=alice&line=cup:600&line=cup:600 | 400 | at most 1000 pieces of cup
          PUT    | ID          | customer=alice&line=teapot:          | 400 | not 1 to 1000 pieces
          PUT    | ID          | customer=alice&line=:2               | 400 | 1 to 64 characters
          PUT    | ID          | customer=alice&line=teapot           | 400 | 1 to 64 characters
          PUT    | ID          | customer=%zz&line=teapot:1           | 400 | not an encoded value
          PUT    | ID          | customer                             | 400 | not NAME=VALUE
          PUT    | ID          | customer=a%0Ab&line=teapot:1         | 400 | no control characters
          PUT    | /orders/7   | customer=alice&line=teapot:1         | 400 | a UUID, not 7
          PUT    | ID          | customer=carol&line=teapot:1         | 404 | no customer carol
          PUT    | ID          | customer=alice&line=vase:1           | 404 | no article vase
          PUT    | ID          | customer=alice&line=teapot:13        | 409 | only 12 of teapot in stock
          GET    | ID          | ''                                   | 404 | no order 0000
          GET    | /customers/carol/orders | ''                       | 404 | no customer carol
          PUT    | /customers/ | name=A&email=b&country=EE            | 400 | a customer's ID has 1 to 64
          DELETE | ID          | ''                                   | 404 | the shop answers PUT
          GET    | /           | ''                                   | 404 | the shop answers PUT
          GET    | /orders/    | ''                                   | 400 | a UUID, not
          GET    | /customers/alice/x/orders | ''                     | 404 | the shop answers PUT
          """)
  void whatIsWrongIsSaidInOneLine(
      String method, String path, String body, int status, String message) throws Exception {
    HttpResponse<String> answer = send(method, path.equals("ID") ? ORDER : path, body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.body()).contains(message).endsWith("\n").hasLineCount(1);
    assertThat(answer.body()).doesNotContain("Exception", "java.", "io.howdah");
    assertThat(shop.waiting()).isZero();
  }

  @Test
  void aBodyThatIsTooLargeIsRefused() throws Exception {
    HttpResponse<String> answer = send("PUT", ORDER, "customer=" + "a".repeat(1 << 20));
    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(answer.body()).isEqualTo("a request has at most 16384 bytes\n");
  }

  @Test
  void aFailureOfTheShopShowsNothingOfItsInside() throws Exception {
    LOG.setLevel(Level.OFF);
    store.close();
    HttpResponse<String> answer = send("GET", ORDER, "");
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).isEqualTo("the shop failed, and its log says why\n");
    LOG.setLevel(null);
  }

  private HttpResponse<String> send(String method, String path, String body) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + http.port() + path);
    return client.send(
        HttpRequest.newBuilder(uri).method(method, BodyPublishers.ofString(body)).build(),
        BodyHandlers.ofString());
  }
}
