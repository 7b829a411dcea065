package io.howdah.chroniclebytes;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesMarshallable;
import net.openhft.chronicle.bytes.BytesOut;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One codec, used by several threads at once. */
final class SharedMarshallableCodecTest {

  private static final int THREADS = 4;
  private static final int ROUNDS = 20;
  private static final int VALUES = 25;

  /** A value that waits, half written, until the values of all other threads are half written. */
  static final class Note implements BytesMarshallable {
    private final Phaser half;
    private long number;
    private String text = "";

    Note(Phaser half) {
      this.half = half;
    }

    static Note of(Phaser half, int number) {
      Note note = new Note(half);
      note.number = number;
      note.text = "é" + number + "x".repeat(number * 37 % 101);
      return note;
    }

    @Override
    public void writeMarshallable(BytesOut<?> bytes) {
      bytes.writeLong(number);
      half.arriveAndAwaitAdvance();
      bytes.writeUtf8(text).writeLong(~number);
    }

    @Override
    public void readMarshallable(BytesIn<?> bytes) {
      number = bytes.readLong();
      half.arriveAndAwaitAdvance();
      text = Objects.requireNonNull(bytes.readUtf8());
      assertThat(bytes.readLong()).isEqualTo(~number);
    }
  }

  @Test
  @Timeout(60)
  void valuesThatAreWrittenAtOnceDoNotMix() throws Exception {
    Phaser half = new Phaser(THREADS);
    Codec<Note> codec = MarshallableCodec.of("note", () -> new Note(half));
    try (Store store = Store.inMemory();
        ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
      List<PersistentMap<Long, Note>> maps = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        maps.add(store.map("notes " + i, Codec.int64(), codec));
      }
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        running.add(
            pool.submit(
                () -> {
                  try {
                    use(store, maps.get(thread), half, thread);
                  } finally {
                    half.arriveAndDeregister(); // the others need not wait for this one
                  }
                }));
      }
      for (Future<?> each : running) {
        try {
          Object _ = each.get();
        } catch (ExecutionException e) {
          throw new AssertionError("a thread that shares the codec has failed", e.getCause());
        }
      }
    }
  }

  private static void use(Store store, PersistentMap<Long, Note> map, Phaser half, int thread) {
    for (int round = 0; round < ROUNDS; round++) {
      for (int n = 0; n < VALUES; n++) {
        long key = n;
        Note note = Note.of(half, round + n * THREADS + thread);
        store.run(tx -> map.put(tx, key, note));
        Note found = store.read(tx -> Objects.requireNonNull(map.get(tx, key)));
        assertThat(found.number).isEqualTo(note.number);
        assertThat(found.text).isEqualTo(note.text);
      }
    }
  }
}
