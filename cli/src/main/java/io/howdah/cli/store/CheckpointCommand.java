package io.howdah.cli.store;

import io.howdah.CheckpointReport;
import io.howdah.cli.command.StoreOption;
import io.howdah.cli.json.JsonOption;
import io.howdah.cli.terminal.Figures;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code howdah checkpoint}. */
@Command(
    name = "checkpoint",
    description = {
      "Takes a checkpoint, so that the next opening has no log to replay. A store that was not"
          + " closed is recovered first.",
      "No other process may have the store open; an open store takes its own checkpoints."
    },
    mixinStandardHelpOptions = true)
public final class CheckpointCommand implements Callable<Integer> {

  @Mixin private StoreOption store;

  @Mixin private JsonOption json;

  @Spec private CommandSpec spec;

  /** For the command line. */
  public CheckpointCommand() {}

  @Override
  public Integer call() throws Exception {
    CheckpointReport report;
    try (StoreOption.Opened open = store.openToWrite()) {
      report = open.store().admin().checkpoint();
    }
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("lsn", report.lsn());
    result.put("dirtyPages", report.dirtyPages());
    result.put("writtenBytes", report.writtenBytes());
    if (json.isTextWanted()) {
      spec.commandLine()
          .getOut()
          .println(
              "checkpoint as of LSN %d: %s pages, %s"
                  .formatted(
                      report.lsn(),
                      Figures.count(report.dirtyPages()),
                      Figures.bytes((double) report.writtenBytes())));
    }
    json.write(result);
    return 0;
  }
}
