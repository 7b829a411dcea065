package io.howdah.nvmsim.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.dag.PersistDag;
import io.howdah.nvmsim.dag.PersistDagBuilder;
import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.persistency.CriticalPathAnalyzer;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.persistency.ThreadOrder;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Write-backs and fences in every format, and the formats of valgrind's tools. */
final class ForeignTraceTest {
  private static final String LACKEY =
      """
      ==4711== Lackey, an example Valgrind tool
      I  04001090,3
       S 1ffefff8d8,8
       L 04222cac,1
       M 04222cb0,4
      """;

  private static final String PMEMCHECK =
      """
      ==4711== pmemcheck-1.0, a simple persistent store checker
      ==4711== START|REGISTER_FILE;/mnt/pool;0x4000000;0x1000;0x0|STORE;0x4000000;0x2a;0x8|FLUSH;0x4000000;0x40
      |FENCE|MARK|STORE;0x4000040;0x1;0x8|STOP
      STORE;0x4000080;0x1;0x8|
      ==4711== Number of stores not made persistent: 1
      """;

  @TempDir Path folder;

  private List<String> read(String text) throws IOException {
    TraceBuffer trace = buffer(text);
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < trace.count(); i++) {
      lines.add(Event.describe(trace.packed(i), trace.address(i)));
    }
    return lines;
  }

  private TraceBuffer buffer(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("trace"), text);
    TraceBuffer trace = new TraceBuffer(1000);
    try (TraceSource source = TraceFiles.open(file)) {
      source.feed(trace);
    }
    return trace;
  }

  @Test
  void lackeysOutputIsRead() throws IOException {
    assertThat(read(LACKEY))
        .containsExactly(
            "thread 0 store persistent 0x1ffefff8d8+8",
            "thread 0 load persistent 0x4222cac+1",
            "thread 0 load persistent 0x4222cb0+4",
            "thread 0 store persistent 0x4222cb0+4");
  }

  @Test
  void pmemchecksLogIsRead() throws IOException {
    assertThat(read(PMEMCHECK))
        .containsExactly(
            "thread 0 store persistent 0x4000000+8",
            "thread 0 flush persistent 0x4000000+64",
            "thread 0 fence",
            "thread 0 store persistent 0x4000040+8");
    assertThat(buffer(PMEMCHECK).value(0)).isEqualTo(42);
  }

  @Test
  void aLongWriteBackIsSplit() throws IOException {
    assertThat(read("START|FLUSH;0x10000;0x18000|STOP\n"))
        .hasSize(3)
        .contains("thread 0 flush persistent 0x20000+32768");
  }

  @Test
  void damagedLinesAreNamed() {
    assertThatThrownBy(() -> read(LACKEY + " S 10,zz\n"))
        .isInstanceOf(TraceFormatException.class)
        .hasMessageContaining("line=6")
        .hasMessageContaining("'zz'");
    assertThatThrownBy(() -> read(LACKEY + "nonsense\n"))
        .isInstanceOf(TraceFormatException.class)
        .hasMessageContaining("no line of lackey");
    assertThatThrownBy(() -> read("START|STORE;0x10;1|STOP\n"))
        .isInstanceOf(TraceFormatException.class)
        .hasMessageContaining("STORE has 2 fields");
    assertThatThrownBy(() -> read("START|FLUSH;0x10;0xffffffffffffffff|STOP\n"))
        .isInstanceOf(TraceFormatException.class)
        .hasMessageContaining("write-back of");
    assertThatThrownBy(() -> read("START|STORE;" + "1".repeat(5000) + "|\n"))
        .isInstanceOf(TraceFormatException.class)
        .hasMessageContaining("longer than 4096");
  }

  @Test
  void bothOwnFormatsKeepWriteBacksAndFences() throws IOException {
    String text =
        """
        0\tfc\tatomic_trace::special_malloc\t9\t64\t0\t0
        0\tfr\tatomic_trace::special_malloc\t9\t4096
        0\tm\tw\t4096\t8
        0\tfc\thowdah::flush\t0\t4096\t64\t0
        0\tfc\thowdah::fence\t0\t0\t0\t0
        """;
    TraceBuffer trace = buffer(text);
    assertThat(read(text)).contains("thread 0 flush persistent 0x1000+64", "thread 0 fence");
    ByteArrayOutputStream copy = new ByteArrayOutputStream();
    try (TextTraceExporter exporter = new TextTraceExporter(copy, false)) {
      trace.replay(exporter);
    }
    assertThat(read(copy.toString(StandardCharsets.UTF_8))).isEqualTo(read(text));
    ByteArrayOutputStream binary = new ByteArrayOutputStream();
    try (TraceWriter writer = new TraceWriter(binary, new TraceHeader("test", 1, true))) {
      trace.replay(writer);
    }
    TraceBuffer back = new TraceBuffer(100);
    try (TraceReader reader =
        new TraceReader(new ByteArrayInputStream(binary.toByteArray()), "test")) {
      reader.feed(back);
    }
    assertThat(back.count()).isEqualTo(trace.count());
    assertThat(back.packed(2)).isEqualTo(trace.packed(2));
    assertThat(back.address(2)).isEqualTo(4096);
  }

  /** Two lines are stored, one of them is written back before the fence, then a third is stored. */
  private static TraceBuffer twoLinesOneWrittenBack() {
    TraceBuffer trace = new TraceBuffer(10);
    trace.add(Event.access(Event.STORE, 0, 8, true, 0), 4096, 1);
    trace.add(Event.access(Event.STORE, 0, 8, true, 0), 8192, 1);
    trace.add(Event.flush(0, 8, true, 0), 4128, 0);
    trace.add(Event.marker(Event.FENCE, 0, 0), 0, 0);
    trace.add(Event.access(Event.STORE, 0, 8, true, 0), 16384, 1);
    return trace;
  }

  @Test
  void aFenceOrdersOnlyWhatWasWrittenBack() {
    PersistDag dag = PersistDagBuilder.of(twoLinesOneWrittenBack(), Models.WRITE_BACK);
    assertThat(dag.predecessorSet(2).get(0)).isTrue();
    assertThat(dag.predecessorSet(2).get(1)).as("not written back").isFalse();
    PersistDag epoch = PersistDagBuilder.of(twoLinesOneWrittenBack(), Models.EPOCH);
    assertThat(epoch.predecessorSet(2).cardinality()).as("a fence is a barrier").isEqualTo(2);
  }

  @Test
  void theAnalyserCountsWhatTheDagOrders() {
    for (PersistencyModel model : List.of(Models.WRITE_BACK, Models.EPOCH, Models.STRAND)) {
      CriticalPathAnalyzer analyzer = new CriticalPathAnalyzer(model, AnalysisOptions.DEFAULT);
      TraceBuffer trace = twoLinesOneWrittenBack();
      // The last line has followed the line that was written back, not the other one.
      trace.add(Event.access(Event.STORE, 0, 8, true, 0), 8192, 2);
      trace.replay(analyzer);
      assertThat(analyzer.result().length()).as(model.name()).isEqualTo(2);
    }
    CriticalPathAnalyzer unfenced =
        new CriticalPathAnalyzer(Models.WRITE_BACK, AnalysisOptions.DEFAULT);
    TraceBuffer trace = new TraceBuffer(10);
    trace.add(Event.access(Event.STORE, 0, 8, true, 0), 4096, 1);
    trace.add(Event.marker(Event.FENCE, 0, 0), 0, 0);
    trace.add(Event.access(Event.STORE, 0, 8, true, 0), 8192, 1);
    trace.replay(unfenced);
    assertThat(unfenced.result().length()).as("nothing was written back").isEqualTo(1);
  }

  /** A model sees which bytes are accessed and written back. */
  @Test
  void modelsSeeAddresses() {
    List<String> calls = new ArrayList<>();
    PersistencyModel spy =
        new PersistencyModel() {
          @Override
          public String name() {
            return "spy";
          }

          @Override
          public void onBarrier(ThreadOrder thread) {}

          @Override
          public boolean observesAccesses() {
            return true;
          }

          @Override
          public void onAccess(
              ThreadOrder thread, int kind, boolean persistent, long address, int size) {
            calls.add("access " + address + "+" + size);
          }

          @Override
          public void onFlush(ThreadOrder thread, long address, int size) {
            calls.add("flush " + address + "+" + size);
          }
        };
    twoLinesOneWrittenBack().replay(new CriticalPathAnalyzer(spy, AnalysisOptions.DEFAULT));
    List<String> analysed = List.copyOf(calls);
    calls.clear();
    PersistDagBuilder.of(twoLinesOneWrittenBack(), spy);
    assertThat(calls)
        .isEqualTo(analysed)
        .containsExactly("access 4096+8", "access 8192+8", "flush 4128+8", "access 16384+8");
  }
}
