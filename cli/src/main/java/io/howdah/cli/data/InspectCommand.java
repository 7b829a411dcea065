package io.howdah.cli.data;

import static io.howdah.cli.terminal.Figures.bytes;
import static io.howdah.cli.terminal.Figures.count;

import io.howdah.cli.terminal.Screen;
import io.howdah.cli.terminal.Table;
import io.howdah.txn.CollectionSpace;
import io.howdah.txn.Durability;
import io.howdah.txn.Store;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code howdah inspect}: what a store holds. */
@Command(
    name = "inspect",
    mixinStandardHelpOptions = true,
    description =
        "Shows a store's collections with their entries and the space they take, the types of its"
            + " objects, and its roots.%n")
public final class InspectCommand implements Callable<Integer> {

  private static final int ROOTS = 64;

  @Parameters(index = "0", paramLabel = "STORE", description = "Folder of the store.")
  private Path folder;

  @Spec private CommandSpec spec;

  /** Creates it, for the command line. */
  public InspectCommand() {}

  @Override
  public Integer call() {
    Screen screen = Screen.of(spec.commandLine());
    try (Store store = Store.open(StoreFolder.require(folder, spec))) {
      List<CollectionSpace> spaces = store.read(Durability.ASYNC, store::space);
      SortedMap<String, String> types = store.read(Durability.ASYNC, tx -> store.types(tx));
      Table table =
          new Table()
              .text("collection", 24)
              .text("type", 40)
              .figure("entries", 14)
              .figure("blocks", 14)
              .figure("space", 12);
      screen.line("@|faint " + table.head() + "|@");
      screen.line("@|faint " + table.rule() + "|@");
      for (CollectionSpace space : spaces) {
        screen.line(
            table.row(
                space.name(),
                space.type(),
                count(space.entries()),
                count(space.blocks()),
                bytes((double) space.bytes())));
      }
      types.forEach((name, layout) -> screen.line("  type " + name + " " + layout));
      for (int i = 0; i < ROOTS; i++) {
        int root = i;
        long address = store.read(Durability.ASYNC, tx -> tx.root(root));
        if (address != 0) {
          screen.line("  root " + i + " at " + address);
        }
      }
      screen.line(
          "  %s used of %s"
              .formatted(
                  bytes((double) store.stats().allocatedBytes()),
                  bytes((double) store.stats().capacityBytes())));
    }
    return 0;
  }
}
