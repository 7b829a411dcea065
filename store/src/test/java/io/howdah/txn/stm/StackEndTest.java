package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Session;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.TestStores;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A recursion without end that runs a transaction at each level overflows before a commit, whatever
 * has become of the code: in the interpreter and compiled by either compiler. Neither a lane nor an
 * orec stays locked, and no store stops.
 */
@Timeout(300)
@Tag("scaled")
final class StackEndTest {

  private static final long WORD = 8192;

  /** As most programs run; campaigns try each way to run code by itself. */
  @ParameterizedTest
  @ValueSource(strings = "-XX:+TieredCompilation")
  void storesServeAfterARunawayRecursion(String mode) throws IOException, InterruptedException {
    recurseInAnotherJvm(mode);
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(strings = {"-Xint", "-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation"})
  void storesServeAfterARunawayRecursionHoweverTheirCodeIsRun(String mode)
      throws IOException, InterruptedException {
    recurseInAnotherJvm(mode);
  }

  private static void recurseInAnotherJvm(String mode) throws IOException, InterruptedException {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                mode,
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                Recursion.class.getName(),
                mode.equals("-Xint") ? "1" : "4")
            .inheritIO()
            .start();
    try {
      assertThat(child.waitFor(120, TimeUnit.SECONDS)).as("it ends").isTrue();
      assertThat(child.exitValue()).isZero();
    } finally {
      child.destroyForcibly();
    }
  }

  /**
   * Each frame of a recursion ends its session, as with a {@code finally}. Those near the stack's
   * end may find too little room for it; one further up then ends it as a whole.
   */
  @ParameterizedTest
  @EnumSource
  void aSessionThatWasBegunIsEndedFromWhereverThereIsRoom(Begun how) throws Exception {
    for (boolean isClose : new boolean[] {false, true}) {
      Store store = Store.inMemory(small());
      Thread thread =
          new Thread(
              null,
              () -> {
                for (int i = 0; i < ENDED_SESSIONS; i++) {
                  int offset = i;
                  Session session = store.session();
                  how.begin(store, session);
                  Runnable end = isClose ? session::close : session::abort;
                  overflow(() -> endAtEachDepth(offset, end));
                  end.run();
                }
              },
              "recursion",
              STACK_BYTES);
      thread.setDaemon(true);
      thread.start();
      thread.join(60_000);
      assertThat(thread.isAlive()).as("the recursions end").isFalse();
      CompletableFuture.runAsync(
              () ->
                  store.run(
                      tx -> {
                        assertThat(TestStores.engine(store).orecs().history().isOpen())
                            .as("a snapshot is open")
                            .isFalse();
                        tx.putLong(WORD, 1);
                      }))
          .get(30, TimeUnit.SECONDS);
      assertThat(store.close(Duration.ZERO)).as("all contexts are back").isTrue();
    }
  }

  /** Little more than a thread needs: each frame costs time. */
  private static final long STACK_BYTES = 176 << 10;

  /** Frames are multiples of 16 bytes, so a few offsets meet the end at every place of one. */
  private static final int ENDED_SESSIONS = 8 / Integer.getInteger("howdah.stride", 2);

  /** A session's transaction that has to be ended. */
  enum Begun {
    PLAIN {
      @Override
      void begin(Store store, Session session) {
        session.begin().putLong(WORD, 2);
      }
    },
    IRREVOCABLE {
      @Override
      void begin(Store store, Session session) {
        session.begin(TxOptions.defaults().withIrrevocable()).putLong(WORD, 2);
      }
    },
    LIMITED {
      @Override
      void begin(Store store, Session session) {
        session.begin(TxOptions.defaults().withTimeLimit(Duration.ofHours(1))).putLong(WORD, 2);
      }
    },
    /** It has read so much that commits keep for it what they overwrite. */
    LONG_READ {
      @Override
      void begin(Store store, Session session) {
        Tx tx = session.begin(TxOptions.defaults().withReadOnly());
        for (int i = 0; i < 6000; i++) {
          tx.getLong(WORD + 64L * i);
        }
        assertThat(TxHandle.of(tx).words().isSnapshotOpen()).isTrue();
      }
    };

    abstract void begin(Store store, Session session);
  }

  @SuppressWarnings("InfiniteRecursion") // up to the stack's end
  private static void endAtEachDepth(int offset, Runnable end) {
    if (offset > 0) {
      shift(offset, end); // so that other frames meet the end
      return;
    }
    try {
      endAtEachDepth(0, end);
    } finally {
      end.run();
    }
  }

  private static void shift(int offset, Runnable end) {
    endAtEachDepth(offset - 1, end);
  }

  private static StoreOptions small() {
    return StoreOptions.defaults()
        .withMaxSize(1 << 20)
        .withPartitions(2)
        .withOrecs(1 << 12)
        .withRingBytes(1 << 16);
  }

  @SuppressWarnings("EmptyCatch") // that is what it is for
  private static void overflow(Runnable body) {
    try {
      body.run();
    } catch (StackOverflowError e) {
      // The end.
    }
  }

  /** The child JVM. */
  static final class Recursion {

    private static final int[] STACK_KILOBYTES = {256, 512, 1024};
    private static final int LOOK_BACK = 60;

    private Recursion() {}

    public static void main(String[] arguments) throws Exception {
      int rounds = Integer.parseInt(arguments[0]);
      List<String> bad = new ArrayList<>();
      for (int round = 0; round < rounds; round++) {
        for (boolean isDurable : new boolean[] {false, true}) {
          bad.addAll(attempt(isDurable, STACK_KILOBYTES[round % STACK_KILOBYTES.length] << 10));
        }
      }
      bad.forEach(System.err::println);
      System.exit(bad.isEmpty() ? 0 : 1);
    }

    private static List<String> attempt(boolean isDurable, long stackBytes) throws Exception {
      StoreOptions options = small();
      Store store =
          isDurable
              ? Store.open(options.withStorage(SimulatedDisk.seeded(1).storage()))
              : Store.inMemory(options);
      List<String> bad = new ArrayList<>();
      for (Runnable body :
          List.<Runnable>of(() -> down(store, 0), () -> up(store, 0), () -> commitBelow(store))) {
        Thread thread = new Thread(null, () -> overflow(body), "recursion", stackBytes);
        thread.start();
        thread.join(60_000);
        String state = stateOf(store);
        if (!state.isEmpty()) {
          bad.add((isDurable ? "durable" : "in memory") + ", " + stackBytes + ": " + state);
        }
      }
      if (bad.isEmpty()) {
        store.close();
      }
      return bad;
    }

    /** Returns what is wrong with the store, or nothing. */
    private static String stateOf(Store store) {
      try {
        CompletableFuture.runAsync(
                () ->
                    store.callWithReceipt(
                        TxOptions.sync().withIrrevocable(),
                        tx -> {
                          tx.putLong(WORD, tx.getLong(WORD) + 1);
                          return 0;
                        }))
            .get(30, TimeUnit.SECONDS);
        return "";
      } catch (Exception e) {
        return String.valueOf(e);
      }
    }

    /** Begins transactions of a session here, and commits them at and near the stack's end. */
    @SuppressWarnings("EmptyCatch") // said below
    private static void commitBelow(Store store) {
      Session session = store.session();
      for (int distance = 0; distance < LOOK_BACK; distance++) {
        Tx tx = session.begin();
        tx.putLong(WORD, tx.getLong(WORD) + 1);
        int wanted = distance;
        try {
          atDistance(0, wanted, () -> session.commit());
        } catch (StackOverflowError e) {
          // Not even the recursion's own end had room.
        } finally {
          session.abort();
        }
      }
    }

    /** Does something so many frames above the stack's end; returns how far the caller is. */
    @SuppressWarnings("InfiniteRecursion") // up to the stack's end
    private static int atDistance(int depth, int wanted, Runnable action) {
      int distance;
      try {
        distance = atDistance(depth + 1, wanted, action) + 1;
      } catch (StackOverflowError e) {
        distance = 0;
      }
      if (distance == wanted) {
        try {
          action.run();
        } catch (StackOverflowError e) {
          return distance; // so there was too little
        }
      }
      return distance;
    }

    @SuppressWarnings("InfiniteRecursion") // up to the stack's end
    private static long down(Store store, int depth) {
      store.run(TxOptions.async(), tx -> tx.putLong(WORD, tx.getLong(WORD) + 1));
      return down(store, depth + 1) + depth;
    }

    /** Returns how many transactions were tried from the end of the stack on back. */
    @SuppressWarnings("InfiniteRecursion") // up to the stack's end
    private static int up(Store store, int depth) {
      int tried = 0;
      try {
        tried = up(store, depth + 1);
      } catch (StackOverflowError e) {
        tried = 1;
      }
      if (tried > 0 && tried < LOOK_BACK) {
        try {
          store.run(TxOptions.async(), tx -> tx.putLong(WORD, tx.getLong(WORD) + 1));
        } catch (StackOverflowError e) {
          // Further up there is more.
        }
        tried++;
      }
      return tried;
    }
  }
}
