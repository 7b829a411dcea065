package io.howdah.nvmsim.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.persistency.RandomTraces;
import io.howdah.nvmsim.queue.QueueRun;
import io.howdah.nvmsim.queue.QueueSpec;
import io.howdah.nvmsim.schedule.Policies;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceFileTest {
  private static byte[] queueTrace(int inserts) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (TraceWriter writer = new TraceWriter(bytes, new TraceHeader("random", 42, true))) {
      QueueRun.trace(QueueSpec.cwl(), 3, inserts, Policies.random(42), writer);
    }
    return bytes.toByteArray();
  }

  private static List<String> read(byte[] bytes) throws IOException {
    List<String> events = new ArrayList<>();
    try (TraceReader reader = new TraceReader(new ByteArrayInputStream(bytes), "test")) {
      reader.feed(
          batch -> {
            for (int i = 0; i < batch.count(); i++) {
              events.add(
                  (batch.firstSequence() + i)
                      + Event.describe(batch.packed()[i], batch.addresses()[i])
                      + batch.values()[i]);
            }
          });
    }
    return events;
  }

  @Test
  void readsBackWhatWasWritten() throws IOException {
    for (int seed = 0; seed < 200; seed++) {
      TraceBuffer trace = RandomTraces.of(seed);
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (TraceWriter writer = new TraceWriter(bytes, new TraceHeader("none", seed, true))) {
        trace.replay(writer);
      }
      TraceReader reader = new TraceReader(new ByteArrayInputStream(bytes.toByteArray()), "test");
      assertThat(reader.header()).isEqualTo(new TraceHeader("none", seed, true));
      TraceBuffer back = new TraceBuffer(1000);
      reader.feed(back);
      assertThat(back.count()).isEqualTo(trace.count());
      for (int i = 0; i < trace.count(); i++) {
        assertThat(back.packed(i)).isEqualTo(trace.packed(i));
        assertThat(back.address(i)).isEqualTo(trace.address(i));
      }
    }
  }

  /** A pipe gives its bytes once, those by which the format is known included. */
  @EnabledOnOs(OS.LINUX)
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPipeIsReadAsAFileIs(boolean isBinary, @TempDir Path folder) throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    TraceBuffer trace = RandomTraces.of(1);
    Path file = folder.resolve("file");
    if (isBinary) {
      try (TraceWriter writer =
          new TraceWriter(Files.newOutputStream(file), new TraceHeader("none", 1, true))) {
        trace.replay(writer);
      }
    } else {
      try (TextTraceExporter writer = TraceFiles.createText(file)) {
        trace.replay(writer);
      }
    }
    Thread writing = Thread.startVirtualThread(() -> copy(file, pipe));
    TraceBuffer back = new TraceBuffer(1000);
    try (TraceSource source = TraceFiles.open(pipe)) {
      source.feed(back);
    }
    writing.join();
    assertThat(back.count()).isEqualTo(trace.count());
  }

  private static void copy(Path file, Path pipe) {
    try {
      Files.write(pipe, Files.readAllBytes(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e); // the reader has gone, which the test sees
    }
  }

  /** The digest is of this format on any machine; a change of program or format changes it. */
  @Test
  void sameSeedGivesTheSameBytes() throws Exception {
    byte[] first = queueTrace(200);
    assertThat(queueTrace(200)).isEqualTo(first);
    String digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(first));
    assertThat(digest)
        .isEqualTo("9d8f0eacccce67e75cf75c5b03deffee0f10312927ad683ba4d070f9f8329557");
  }

  @Test
  void headerIsLaidOutAsItsDiagramSays() throws IOException {
    ByteBuffer header = ByteBuffer.wrap(queueTrace(1)).order(ByteOrder.LITTLE_ENDIAN);
    byte[] magic = new byte[8];
    header.get(0, magic);
    assertThat(new String(magic, java.nio.charset.StandardCharsets.US_ASCII)).isEqualTo("HWDTRACE");
    assertThat(header.getInt(8)).isEqualTo(1);
    assertThat(header.getInt(12)).isEqualTo(1);
    assertThat(header.getLong(16)).isEqualTo(42);
    assertThat(header.get(24)).isEqualTo((byte) 'r');
    assertThat(header.getInt(56)).isZero();
    assertThat(TraceFileLayout.HEADER_LENGTH).isEqualTo(64);
    assertThat(TraceFileLayout.CHUNK_HEADER_LENGTH).isEqualTo(16);
  }

  @Test
  void everyTruncationIsReportedWithItsOffset() throws IOException {
    byte[] whole = queueTrace(2);
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> read(cut))
          .as("cut to %d of %d bytes", length, whole.length)
          .isInstanceOf(TraceFormatException.class)
          .hasMessageContaining("trace=test offset=" + length);
    }
  }

  @Test
  void everyFlippedByteIsReported() throws IOException {
    byte[] whole = queueTrace(2);
    for (int i = 0; i < whole.length; i++) {
      byte[] damaged = whole.clone();
      damaged[i] ^= 0x10;
      assertThatThrownBy(() -> read(damaged))
          .as("byte %d", i)
          .isInstanceOf(TraceFormatException.class)
          .hasMessageContaining("offset=");
    }
    byte[] longer = java.util.Arrays.copyOf(whole, whole.length + 1);
    assertThatThrownBy(() -> read(longer)).hasMessageContaining("bytes after the last chunk");
  }

  @Test
  void hostileLengthsAreRefusedBeforeTheyAreUsed() throws IOException {
    byte[] whole = queueTrace(1);
    ByteBuffer.wrap(whole)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(TraceFileLayout.HEADER_LENGTH, Integer.MAX_VALUE);
    assertThatThrownBy(() -> read(whole))
        .isInstanceOf(TraceFormatException.class)
        .hasMessageContaining("out of bounds")
        .hasMessageContaining("offset=64");
  }

  @Test
  void addressesWhoseEndsWouldOverflowAreRefused() throws IOException {
    for (long address : new long[] {Long.MAX_VALUE - 8, Event.MAX_ADDRESS + 1, -8}) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (TraceWriter writer = new TraceWriter(bytes, new TraceHeader("none", 0, false))) {
        TraceBuffer trace = new TraceBuffer(1);
        trace.add(Event.access(Event.STORE, 0, 8, true, 0), address, 0);
        trace.replay(writer);
      }
      assertThatThrownBy(() -> read(bytes.toByteArray()))
          .isInstanceOf(TraceFormatException.class)
          .hasMessageContaining(Long.toUnsignedString(address) + " is beyond 2^63 - 65537")
          .hasMessageContaining("trace=test offset=");
    }
  }

  @Test
  void anEndlessTraceIsStreamed() throws IOException {
    byte[] whole = queueTrace(2000);
    int[] largest = new int[1];
    InputStream counting =
        new ByteArrayInputStream(whole) {
          @Override
          public int readNBytes(byte[] b, int off, int len) {
            largest[0] = Math.max(largest[0], len);
            return super.readNBytes(b, off, len);
          }
        };
    try (TraceReader reader = new TraceReader(counting, "test")) {
      assertThat(reader.feed(batch -> {})).isGreaterThan(2000 * 26);
    }
    assertThat(largest[0]).isLessThanOrEqualTo(TraceFileLayout.MAX_PAYLOAD_LENGTH);
    assertThat(largest[0]).isLessThan(whole.length / 4);
  }

  @Test
  void bufferRefusesMoreThanItsBound() {
    TraceBuffer buffer = new TraceBuffer(2);
    buffer.add(0, 0, 0);
    buffer.add(0, 0, 0);
    assertThatThrownBy(() -> buffer.add(0, 0, 0)).hasMessageContaining("more than 2 events");
  }
}
