package io.howdah.replica.command.lab;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.replica.store.ReplicatedStore;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A member that commits by itself when it is told, to the group's store or to a plain one beside
 * it, in the same process and on the same disk:
 *
 * <pre>
 * load group|plain THREADS MILLIS WORDS full|half   result of a {@link Load}, and how many entries
 * fill BYTES                                        nothing; the store has so many bytes more
 * checkpoint                                        nothing; on a leader there is one
 * position                                          POSITION
 * leads                                             true | false
 * held                                              snapshots installed, bytes of the engine's log,
 *                                                   bytes of heap after a collection
 * </pre>
 */
final class BenchMember implements Function<String[], String> {

  private static final long PLAIN_BYTES = 64 << 20;

  private final ReplicatedStore replica;
  private final Path directory;
  private @Nullable Store plain; // guarded by this

  private BenchMember(ReplicatedStore replica, Path directory) {
    this.replica = replica;
    this.directory = directory;
  }

  /** Arguments: the member's name, its directory, and the group file. */
  public static void main(String[] args) throws IOException {
    LineServer.run(args, replica -> new BenchMember(replica, Path.of(args[1])));
  }

  @Override
  public String apply(String[] words) {
    return switch (words[0]) {
      case "load" ->
          load(
              words[1].equals("group"),
              Integer.parseInt(words[2]),
              Long.parseLong(words[3]) * 1_000_000,
              Integer.parseInt(words[4]),
              words[5].equals("half"));
      case "fill" -> {
        Load.fill(replica.leader(), Long.parseLong(words[1]));
        yield "";
      }
      case "checkpoint" -> {
        replica.checkpoint();
        yield "";
      }
      case "position" -> Long.toString(replica.position());
      case "leads" -> Boolean.toString(replica.isLeading());
      case "held" -> held();
      default -> throw new IllegalArgumentException(words[0]);
    };
  }

  private String load(boolean isGroup, int threads, long nanos, int words, boolean isHalf) {
    Store store = isGroup ? replica.leader() : plain();
    long before = replica.position();
    Load.Result result = Load.run(store, TxOptions.sync(), threads, nanos, words, isHalf);
    return result + " " + (replica.position() - before);
  }

  private synchronized Store plain() {
    if (plain == null) {
      plain =
          Store.open(
              directory.resolveSibling("plain-" + directory.getFileName()),
              StoreOptions.defaults().withMaxSize(PLAIN_BYTES));
    }
    return plain;
  }

  private String held() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    long heap = runtime.totalMemory() - runtime.freeMemory();
    return replica.snapshotsInstalled() + " " + logBytes() + " " + heap;
  }

  private long logBytes() {
    try (Stream<Path> files = Files.walk(directory.resolve("raft"))) {
      List<Path> all = files.filter(Files::isRegularFile).toList();
      long bytes = 0;
      for (Path file : all) {
        try {
          bytes += Files.size(file);
        } catch (NoSuchFileException e) {
          // The engine has removed it meanwhile.
        }
      }
      return bytes;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
