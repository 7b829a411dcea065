package io.howdah.archives3;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.SdkHttpResponse;

/** An HTTP client below the whole SDK, some of whose requests go wrong. */
final class FaultyHttp implements SdkHttpClient {

  /** What goes wrong with a request. */
  enum Fault {
    NONE,
    /** Answered with 500 and not carried out. */
    INTERNAL_ERROR,
    /** Answered with 503, as where there are too many requests. */
    SLOW_DOWN,
    /** Does not reach the object store. */
    NOT_SENT,
    /** Is carried out, and the answer is lost. */
    NO_ANSWER,
    /** Is not answered until the client gives up. */
    HANGS,
    /** The body of the answer ends in its middle, as if it ended there. */
    CUT_OFF
  }

  /** Chooses a fault for a request, which has a number from 0 on. */
  interface Faults {
    Fault of(int number, SdkHttpRequest request);
  }

  private final SdkHttpClient client;
  private final Faults faults;
  private final AtomicInteger count = new AtomicInteger();

  FaultyHttp(SdkHttpClient client, Faults faults) {
    this.client = client;
    this.faults = faults;
  }

  @Override
  public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
    Fault fault = faults.of(count.getAndIncrement(), request.httpRequest());
    ExecutableHttpRequest executable = client.prepareRequest(request);
    CountDownLatch aborted = new CountDownLatch(1);
    return new ExecutableHttpRequest() {
      @Override
      public HttpExecuteResponse call() throws IOException {
        return switch (fault) {
          case NONE -> executable.call();
          case INTERNAL_ERROR -> answer(500, "InternalError");
          case SLOW_DOWN -> answer(503, "SlowDown");
          case NOT_SENT -> throw new IOException("connection refused by the test");
          case NO_ANSWER -> {
            executable.call();
            throw new IOException("connection reset by the test");
          }
          case HANGS -> {
            await(aborted);
            throw new IOException("aborted");
          }
          case CUT_OFF -> cutOff(executable.call());
        };
      }

      @Override
      public void abort() {
        aborted.countDown();
        executable.abort();
      }
    };
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private static HttpExecuteResponse answer(int status, String code) {
    return answerOf(status, "<Error><Code>" + code + "</Code><Message>test</Message></Error>");
  }

  /** Returns an answer with an element of XML as its body. */
  static HttpExecuteResponse answerOf(int status, String element) {
    byte[] body =
        ("<?xml version=\"1.0\"?>" + element).getBytes(java.nio.charset.StandardCharsets.UTF_8);
    return HttpExecuteResponse.builder()
        .response(
            SdkHttpResponse.builder()
                .statusCode(status)
                .putHeader("Content-Type", "application/xml")
                .putHeader("Content-Length", String.valueOf(body.length))
                .build())
        .responseBody(AbortableInputStream.create(new ByteArrayInputStream(body)))
        .build();
  }

  private static HttpExecuteResponse cutOff(HttpExecuteResponse whole) throws IOException {
    byte[] body = whole.responseBody().orElseThrow().readAllBytes();
    return HttpExecuteResponse.builder()
        .response(whole.httpResponse())
        .responseBody(
            AbortableInputStream.create(new ByteArrayInputStream(body, 0, body.length / 2)))
        .build();
  }

  @Override
  public void close() {
    client.close();
  }
}
