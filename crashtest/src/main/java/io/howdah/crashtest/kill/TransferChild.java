package io.howdah.crashtest.kill;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.Backing;
import io.howdah.core.HowdahException;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.crashtest.kill.Board.Phase;
import io.howdah.txn.Durability;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * The program that is killed: opens the store, shows on the {@link Board} what it found, waits for
 * the word to go on, and then moves people for ever, one transfer per transaction. Ends in order,
 * with its store closed, only when its standard input ends, as it does when the parent is gone.
 */
public final class TransferChild {

  /** The commit modes, in the order that boards and stores count them. */
  static final List<Durability> MODES = List.of(Durability.values());

  private static final long POLL_NANOS = 200_000;
  private static final int EXIT_FAILED = 3;

  private final CityStore store;
  private final Board board;
  private final Transfers transfers;
  private final int threads;

  private TransferChild(CityStore store, Board board, Transfers transfers, int threads) {
    this.store = store;
    this.board = board;
    this.transfers = transfers;
    this.threads = threads;
  }

  /** Returns the modes' names, for people and for command lines. */
  public static List<String> modeNames() {
    return MODES.stream().map(TransferChild::nameOf).toList();
  }

  static String nameOf(Durability mode) {
    return mode.name().toLowerCase(Locale.ROOT);
  }

  /** Returns what {@link #main} takes. */
  static List<String> arguments(
      Path store,
      Path board,
      long seed,
      Cities cities,
      RoundPlan plan,
      boolean forces,
      Backing backing) {
    return List.of(
        store.toString(),
        board.toString(),
        Long.toString(seed),
        Integer.toString(cities.count()),
        join(Arrays.stream(cities.largest(Transfers.BUSY_CITIES)).boxed().toList()),
        join(plan.modeOfThread()),
        Boolean.toString(forces),
        backing.name());
  }

  private static String join(List<Integer> numbers) {
    return numbers.stream().map(Object::toString).collect(Collectors.joining(","));
  }

  private static int[] split(String numbers) {
    return Arrays.stream(numbers.split(",", -1)).mapToInt(Integer::parseInt).toArray();
  }

  /** Runs until it is killed. */
  public static void main(String[] args) throws IOException {
    try {
      start(args);
    } catch (HowdahException e) {
      // Howdah's own exceptions say what is wrong and where.
      System.err.println(e.getClass().getSimpleName() + ": " + e.getMessage());
      Runtime.getRuntime().halt(EXIT_FAILED);
    }
  }

  private static void start(String[] args) throws IOException {
    Path path = Path.of(args[0]);
    int cities = Integer.parseInt(args[3]);
    int[] modeOfThread = split(args[5]);
    Transfers transfers = new Transfers(Long.parseLong(args[2]), cities, split(args[4]));
    Board board = Board.open(Path.of(args[1]), MODES.size(), modeOfThread.length, cities);
    board.phase(Phase.OPENING);
    long started = System.nanoTime();
    StoreOptions options = CityStore.options(Backing.valueOf(args[7]));
    Store opened =
        Boolean.parseBoolean(args[6])
            ? Store.open(path, options)
            : Store.open(options.withStorage(ForcelessStorage.over(FileStorage.open(path))));
    board.opened(System.nanoTime() - started, opened.admin().recoveryReport().counts().records());
    CityStore store = CityStore.of(opened);
    Runtime.getRuntime().addShutdownHook(new Thread(store::close, "close"));
    endWithInput();
    new TransferChild(store, board, transfers, modeOfThread.length).run(modeOfThread);
  }

  /** The parent's end of the pipe closes when it ends, however it ends. */
  private static void endWithInput() {
    Thread.ofPlatform()
        .daemon()
        .name("input")
        .start(
            () -> {
              try {
                while (System.in.read() >= 0) {
                  // Nothing is ever sent.
                }
              } catch (IOException _) {
                // Gone as well.
              }
              System.exit(0);
            });
  }

  private void run(int[] modeOfThread) {
    show();
    board.phase(Phase.RECOVERED);
    while (!board.mayRun()) {
      LockSupport.parkNanos(POLL_NANOS);
    }
    board.phase(Phase.RUNNING);
    for (int thread = 0; thread < threads; thread++) {
      int mode = modeOfThread[thread];
      int number = thread;
      Thread.ofPlatform().name("transfer-" + thread).start(() -> transferForEver(mode, number));
    }
  }

  private void show() {
    RecoveredState state = store.state();
    for (int mode = 0; mode < MODES.size(); mode++) {
      for (int thread = 0; thread < threads; thread++) {
        board.recovered(mode, thread, state.transfers(mode, thread));
      }
    }
    for (int city = 0; city < store.cities(); city++) {
      board.population(city, state.population(city));
    }
  }

  private void transferForEver(int mode, int thread) {
    Durability durability = MODES.get(mode);
    try {
      for (long n = board.recovered(mode, thread) + 1; ; n++) {
        long draw = transfers.draw(mode, thread, n);
        store.transfer(
            durability,
            mode,
            thread,
            n,
            transfers.from(draw),
            transfers.to(draw),
            transfers.people(draw));
        board.acknowledged(mode, thread, n);
      }
    } catch (RuntimeException | Error e) {
      if (!store.isClosing()) {
        e.printStackTrace();
        Runtime.getRuntime().halt(EXIT_FAILED);
      }
    }
  }
}
