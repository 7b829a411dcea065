package io.howdah.examples.shop;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.howdah.examples.shop.RefusedException.Reason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** The shop on a port of the loopback interface, with a virtual thread for each request. */
final class ShopHttp implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(ShopHttp.class.getName());
  private static final int MAX_BODY_BYTES = 16 << 10;
  private static final int PAGE = 100;
  private static final String REQUESTS =
      "PUT /customers/ID, GET /customers/ID/orders, PUT and GET /orders/UUID, GET /articles,"
          + " GET and POST /shipments";

  private record Answer(int status, String text) {}

  private final Shop shop;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /** Serves on a port; 0 for any that is free. */
  ShopHttp(Shop shop, int port) throws IOException {
    this.shop = shop;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Answer answer = answer(exchange);
      byte[] body = (answer.text + "\n").getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
      boolean hasBody = !exchange.getRequestMethod().equals("HEAD");
      exchange.sendResponseHeaders(answer.status, hasBody ? body.length : -1);
      if (hasBody) {
        exchange.getResponseBody().write(body);
      }
    }
  }

  private Answer answer(HttpExchange exchange) throws IOException {
    try {
      return route(exchange);
    } catch (RefusedException e) {
      return new Answer(e.status(), e.getMessage());
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, exchange.getRequestURI().toString(), e);
      return new Answer(500, "the shop failed, and its log says why");
    }
  }

  private Answer route(HttpExchange exchange) throws IOException {
    String[] path = exchange.getRequestURI().getPath().split("/", -1);
    String kind = path.length > 1 ? path[1] : "";
    String id = path.length > 2 ? path[2] : "";
    String rest = path.length > 3 ? "/" + path[path.length - 1] : "";
    String route =
        exchange.getRequestMethod()
            + " /"
            + kind
            + (path.length > 2 ? "/ID" : "")
            + (path.length > 4 ? "/..." : rest);
    return switch (route) {
      case "PUT /customers/ID" -> register(Form.name(id, "a customer's ID"), form(exchange));
      case "GET /customers/ID/orders" -> ordersOf(id);
      case "PUT /orders/ID" -> place(uuid(id), form(exchange));
      case "GET /orders/ID" -> order(uuid(id));
      case "GET /articles" -> articles(exchange.getRequestURI().getQuery());
      case "GET /shipments" -> new Answer(200, shop.waiting() + " orders wait");
      case "POST /shipments" -> ship();
      default -> throw new RefusedException(Reason.UNKNOWN, "the shop answers " + REQUESTS);
    };
  }

  private static Form form(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
    if (body.length > MAX_BODY_BYTES) {
      throw new RefusedException(
          Reason.TOO_LARGE, "a request has at most " + MAX_BODY_BYTES + " bytes");
    }
    return new Form(new String(body, StandardCharsets.UTF_8));
  }

  private static UUID uuid(String text) {
    try {
      return UUID.fromString(text);
    } catch (IllegalArgumentException e) {
      throw new RefusedException(Reason.INVALID, "an order's ID is a UUID, not " + text);
    }
  }

  private Answer register(String id, Form form) {
    shop.register(id, new Customer(form.name("name"), form.name("email"), form.name("country")));
    return new Answer(200, "customer " + id);
  }

  private Answer place(UUID id, Form form) {
    return new Answer(
        200, text(id, shop.place(id, form.name("customer"), form.pieces(), Instant.now())));
  }

  private Answer order(UUID id) {
    Order order =
        shop.order(id).orElseThrow(() -> new RefusedException(Reason.UNKNOWN, "no order " + id));
    return new Answer(200, text(id, order));
  }

  private Answer ordersOf(String customer) {
    if (shop.customer(customer).isEmpty()) {
      throw new RefusedException(Reason.UNKNOWN, "no customer " + customer);
    }
    List<String> orders =
        shop.ordersOf(customer, Instant.MAX, PAGE).stream()
            .map(entry -> text(entry.getKey(), entry.getValue()))
            .toList();
    return new Answer(200, String.join("\n", orders));
  }

  /** Shows a page of articles; the query is the name where it begins. */
  private Answer articles(@Nullable String from) {
    List<String> articles =
        shop.articles(from == null ? "" : from, PAGE).stream().map(ShopHttp::text).toList();
    return new Answer(200, String.join("\n", articles));
  }

  private Answer ship() {
    return new Answer(
        200, shop.ship(Instant.now()).map(id -> "shipped " + id).orElse("no order waits"));
  }

  private static String text(Map.Entry<String, Article> entry) {
    Article article = entry.getValue();
    return "%s: %s, %d in stock".formatted(entry.getKey(), article.price(), article.stock());
  }

  private static String text(UUID id, Order order) {
    StringBuilder text = new StringBuilder();
    text.append("order ").append(id).append(" of ").append(order.customer());
    text.append(", ").append(order.placed()).append(", total ").append(order.total());
    text.append(order.shipped().map(time -> ", shipped " + time).orElse(", waits"));
    for (LineItem line : order.lines()) {
      text.append("\n  ").append(line.pieces()).append(" x ").append(line.article());
      text.append(" at ").append(line.price());
    }
    return text.toString();
  }

  /** Lets the requests that run end, for at most a second. */
  @Override
  public void close() {
    server.stop(1);
    threads.close();
  }
}
