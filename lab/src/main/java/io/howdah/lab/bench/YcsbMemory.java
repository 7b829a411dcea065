package io.howdah.lab.bench;

import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Screen;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.MemoryStudy;
import io.howdah.jmh.study.MemoryStudy.Memory;
import io.howdah.jmh.study.ServerSubject;
import io.howdah.jmh.study.StudyProgress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The memory of the servers: with idle connections, and with items of 100 bytes. */
final class YcsbMemory {

  private static final int VALUE_BYTES = 100;
  private static final double MIB = 1 << 20;

  private final Screen screen;
  private final MetricsRun metrics;
  private final StudyProgress progress;
  private final Table table =
      new Table()
          .text("server", 13)
          .figure("at start", 9)
          .figure("idle conn.", 10)
          .figure("they take", 9)
          .figure("items", 10)
          .figure("bytes/item", 10)
          .figure("of m'd", 6)
          .figure("resident", 9);

  YcsbMemory(Screen screen, MetricsRun metrics, StudyProgress progress) {
    this.screen = screen;
    this.metrics = metrics;
    this.progress = progress;
  }

  /** Measures the servers one after the other; memcached, if it is among them, comes first. */
  void measure(Path folder, List<ServerSubject> subjects, int idleConnections, long items)
      throws Exception {
    screen.line("");
    screen.line(
        "  @|bold Memory:|@ keys of 20 bytes, values of %d; resident memory in MiB"
            .formatted(VALUE_BYTES));
    screen.line("");
    screen.line("@|faint " + table.head() + "|@");
    screen.line("@|faint " + table.rule() + "|@");
    double memcached = 0;
    for (ServerSubject subject : subjects) {
      Memory memory =
          MemoryStudy.measure(folder, subject, idleConnections, items, VALUE_BYTES, progress);
      if (subject.server().equals(YcsbServers.MEMCACHED)) {
        memcached = memory.bytesPerItem();
      }
      report(subject, memory, idleConnections, items, memcached);
    }
  }

  private void report(
      ServerSubject subject, Memory memory, int idleConnections, long items, double memcached) {
    Map<String, Object> params = new TreeMap<>();
    params.put("server", subject.server());
    if (!subject.durability().isEmpty()) {
      params.put("durability", subject.durability());
    }
    add("ycsb.memory.startMib", "MiB", memory.startBytes() / MIB, params);
    params.put("connections", idleConnections);
    add("ycsb.memory.idleConnectionsMib", "MiB", memory.idleBytes() / MIB, params);
    params.remove("connections");
    params.put("items", items);
    params.put("valueBytes", VALUE_BYTES);
    add("ycsb.memory.residentMib", "MiB", memory.residentBytes() / MIB, params);
    String ratio = "";
    String perItem = "";
    if (memory.bytesPerItem() > 0) {
      perItem = "%.1f".formatted(memory.bytesPerItem());
      add("ycsb.memory.bytesPerItem", "B", memory.bytesPerItem(), params);
      if (memcached > 0 && !subject.server().equals(YcsbServers.MEMCACHED)) {
        double over = memory.bytesPerItem() / memcached;
        ratio = "%.2f".formatted(over);
        add("ycsb.memory.bytesPerItemOverMemcached", "ratio", over, params);
      }
    }
    screen.line(
        table.row(
            subject.name(),
            "%.1f".formatted(memory.startBytes() / MIB),
            "%,d".formatted(idleConnections),
            "%.1f".formatted(memory.idleBytes() / MIB),
            "%,d".formatted(items),
            perItem,
            ratio,
            "%.1f".formatted(memory.residentBytes() / MIB)));
  }

  private void add(String name, String unit, double value, Map<String, Object> params) {
    BenchRun.addSingle(metrics, name, unit, value, params);
  }
}
