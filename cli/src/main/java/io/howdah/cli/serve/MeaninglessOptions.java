package io.howdah.cli.serve;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Options of memcached that mean nothing here. They are taken and named, so that a command line
 * that was written for memcached starts a server.
 */
final class MeaninglessOptions {

  @Option(
      names = {"-d", "--daemon"},
      description = "Ignored: the server stays in the foreground, for a service manager.")
  private boolean daemon;

  @Option(
      names = {"-f", "--slab-growth-factor"},
      hidden = true)
  private @Nullable String slabGrowthFactor;

  @Option(
      names = {"-n", "--slab-min-size"},
      hidden = true)
  private @Nullable String slabMinSize;

  @Option(
      names = {"-L", "--enable-largepages"},
      hidden = true)
  private boolean largePages;

  @Option(
      names = {"-k", "--lock-memory"},
      hidden = true)
  private boolean lockMemory;

  @Option(
      names = {"-r", "--enable-coredumps"},
      hidden = true)
  private boolean coreDumps;

  @Option(
      names = {"-C", "--disable-cas"},
      hidden = true)
  private boolean disableCas;

  @Option(names = "-D", hidden = true)
  private @Nullable String prefixDelimiter;

  @Option(
      names = {"-e", "--memory-file"},
      hidden = true)
  private @Nullable String memoryFile;

  /** Makes one that was given nothing. */
  MeaninglessOptions() {}

  /** Returns what was given and why it is ignored, a line each. */
  List<String> remarks() {
    List<String> remarks = new ArrayList<>();
    add(remarks, daemon, "-d", "the server stays in the foreground");
    add(remarks, slabGrowthFactor != null, "-f", "there are no slabs");
    add(remarks, slabMinSize != null, "-n", "there are no slabs");
    add(remarks, largePages, "-L", "items are in mapped files");
    add(remarks, lockMemory, "-k", "the kernel decides what stays in memory");
    add(remarks, coreDumps, "-r", "the limit of core dumps is the shell's (ulimit -c)");
    add(remarks, disableCas, "-C", "items always have a CAS value");
    add(remarks, prefixDelimiter != null, "-D", "statistics by prefix end a prefix at \":\"");
    add(remarks, memoryFile != null, "-e", "items are in DIR, and survive every restart");
    return remarks;
  }

  private static void add(List<String> remarks, boolean given, String option, String reason) {
    if (given) {
      remarks.add(option + " is ignored: " + reason);
    }
  }
}
