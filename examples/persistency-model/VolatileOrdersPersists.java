import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.persistency.CriticalPathAnalyzer;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.persistency.ThreadOrder;
import io.howdah.nvmsim.queue.QueueRun;
import io.howdah.nvmsim.queue.QueueSpec;
import io.howdah.nvmsim.schedule.Policies;
import io.howdah.nvmsim.trace.TraceSink;
import java.util.ArrayList;
import java.util.List;

/**
 * A persistency model of one's own, in one class: epoch persistency in which each access to
 * volatile memory is a persist barrier too, so a program need not annotate its locks.
 */
public final class VolatileOrdersPersists implements PersistencyModel {

  @Override
  public String name() {
    return "volatile-orders";
  }

  @Override
  public void onBarrier(ThreadOrder thread) {
    thread.orderSeen();
  }

  @Override
  public boolean observesAccesses() {
    return true;
  }

  @Override
  public void onAccess(ThreadOrder thread, int kind, boolean persistent, long address, int size) {
    if (!persistent) {
      thread.orderSeen();
    }
  }

  /** Compares it with the built-in models: the racing queue leaves its lock unannotated. */
  public static void main(String[] args) {
    List<CriticalPathAnalyzer> analyzers = new ArrayList<>();
    for (PersistencyModel model :
        List.of(Models.STRICT, Models.EPOCH, new VolatileOrdersPersists(), Models.STRAND)) {
      analyzers.add(new CriticalPathAnalyzer(model, AnalysisOptions.DEFAULT));
    }
    // One pass over the trace feeds them all.
    QueueRun.trace(
        QueueSpec.cwlRacing(), 8, 8000, Policies.roundRobin(1), TraceSink.all(analyzers));
    for (CriticalPathAnalyzer analyzer : analyzers) {
      System.out.printf(
          "%-15s %7.3f levels per insert%n",
          analyzer.result().model(), analyzer.result().perOperation());
    }
  }
}
