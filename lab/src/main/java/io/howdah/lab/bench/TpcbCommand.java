package io.howdah.lab.bench;

import io.howdah.Store;
import io.howdah.cli.json.MetricsRun;
import io.howdah.jmh.workload.BankBranches;
import io.howdah.jmh.workload.TransactionMix;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench tpcb}: a bank after TPC-B in every commit mode. */
@Command(
    name = "tpcb",
    mixinStandardHelpOptions = true,
    description =
        "Transactions of a bank after TPC-B, without a log and in the commit modes ASYNC, PARTITION"
            + " and SYNC: an account, a teller and a branch get an amount, and history a line. All"
            + " take turns in one process. At the end the sums of all four must agree.%n")
final class TpcbCommand extends MixCommand {

  private static final int MAX_BRANCHES = 1 << 16;
  private static final int MAX_ACCOUNTS = 1 << 24;

  @Option(
      names = "--branches",
      paramLabel = "N",
      defaultValue = "32",
      description =
          "Branches, each with ten tellers (${DEFAULT-VALUE}); the fewer, the more conflicts.")
  private int branches;

  @Option(
      names = "--accounts",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Accounts of each branch (${DEFAULT-VALUE}).")
  private int accounts;

  TpcbCommand() {}

  @Override
  String prefix() {
    return "tpcb";
  }

  @Override
  String title() {
    return "TPC-B-like: %,d branches of %,d accounts".formatted(branches, accounts);
  }

  @Override
  long maxSize() {
    return BankBranches.maxSize(
        require("--branches", branches, 1, MAX_BRANCHES),
        require("--accounts", accounts, 1, MAX_ACCOUNTS));
  }

  @Override
  void describe(MetricsRun metrics) {
    metrics.param("branches", branches).param("accounts", accounts);
  }

  @Override
  TransactionMix fill(Store store) {
    return BankBranches.fill(store, branches, accounts);
  }
}
