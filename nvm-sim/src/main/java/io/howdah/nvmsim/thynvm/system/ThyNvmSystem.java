package io.howdah.nvmsim.thynvm.system;

import static io.howdah.nvmsim.timing.MemoryDevice.PS_PER_NS;

import io.howdah.nvmsim.thynvm.control.AddressSpace;
import io.howdah.nvmsim.thynvm.control.Admission;
import io.howdah.nvmsim.thynvm.control.Controller;
import io.howdah.nvmsim.thynvm.control.DataPath;
import io.howdah.nvmsim.thynvm.control.Purpose;
import java.util.function.Function;

/** ThyNVM with its timing: a controller, and the banks that do what it asks for. */
public final class ThyNvmSystem implements MemorySystem {
  private final MemoryTiming timing;
  private final ThyNvmSetting setting;
  private final Controller controller;
  private final AddressSpace space;
  private final Banks banks;
  private final long tableBlocks;
  private DirtyLines caches = DirtyLines.NONE;
  private long clock;

  /** Changed lines in the caches that may need an entry of the BTT. */
  private int changedLines;

  private boolean attached;
  private boolean flushing;
  private long epochStart;
  private long cpuBlocks;
  private long tableBackups;
  private long checkpointBlocks;
  private long migrationBlocks;
  private long flushStallPs;
  private long waitStallPs;

  ThyNvmSystem(
      MemoryTiming timing, ThyNvmSetting setting, Function<DataPath, Controller> controllers) {
    this.timing = timing;
    this.setting = setting;
    controller = controllers.apply(new Movement());
    space = controller.space();
    banks = new Banks(timing, space.dramBase());
    tableBlocks =
        (setting.backupBytes() + AddressSpace.BLOCK_LENGTH - 1) / AddressSpace.BLOCK_LENGTH;
  }

  Controller controller() {
    return controller;
  }

  @Override
  public void attach(DirtyLines lines) {
    caches = lines;
    attached = true;
  }

  /** Ends the epoch while the BTT can still take every changed line. */
  @Override
  public long lineChanges(long nowPs, long line) {
    check(line);
    if (!attached || !setting.boundedFlush() || controller.isPage(line)) {
      return nowPs;
    }
    long now = nowPs;
    if (changedLines + controller.blockTable().written() >= setting.blockEntries()) {
      now = endEpoch(now);
    }
    changedLines++;
    return now;
  }

  @Override
  public long read(long nowPs, long line) {
    check(line);
    long now = advance(nowPs);
    boolean inBlockTable = controller.blockTable().find(line) >= 0;
    long place = controller.locate(line);
    long lookUps = inBlockTable ? 1 : 2;
    return banks.read(now + lookUps * timing.tableNs() * PS_PER_NS, place);
  }

  @Override
  public long writeBack(long nowPs, long line) {
    check(line);
    cpuBlocks++;
    long now = flushing ? nowPs : advance(nowPs);
    if (changedLines > 0 && !controller.isPage(line)) {
      changedLines--;
    }
    Admission admission = controller.admit(line);
    while (admission != Admission.ACCEPT) {
      now = admission == Admission.END_EPOCH ? endEpoch(now) : awaitCheckpoint(now);
      admission = controller.admit(line);
    }
    clock = now;
    long place = controller.store(line, true);
    return banks.write(now, place);
  }

  /** Lines behind the physical address space are the controller's own. */
  private void check(long line) {
    if (line < 0 || line >= space.homeBlocks()) {
      throw new IllegalArgumentException(
          "the program needs line "
              + line
              + " of 64 bytes; the physical address space has "
              + space.homeBlocks()
              + " lines");
    }
  }

  /** Completes the checkpoint whose time has come, and ends an epoch that has lasted its time. */
  private long advance(long nowPs) {
    if (controller.isCheckpointing()) {
      if (banks.movesDone(nowPs) <= nowPs) {
        controller.completeCheckpoint();
      }
    } else if (nowPs - epochStart >= setting.epochPs()) {
      return endEpoch(nowPs);
    }
    clock = nowPs;
    return nowPs;
  }

  @Override
  public long epochEnds() {
    if (setting.epochPs() == Long.MAX_VALUE) {
      return Long.MAX_VALUE;
    }
    long ends = epochStart + setting.epochPs();
    return controller.isCheckpointing() ? Math.max(ends, banks.movesDone(clock)) : ends;
  }

  @Override
  public long endDueEpoch(long nowPs) {
    return advance(nowPs);
  }

  private long awaitCheckpoint(long nowPs) {
    long now = nowPs;
    if (controller.isCheckpointing()) {
      for (long done = banks.movesDone(now); done > now; done = banks.movesDone(now)) {
        now = done;
      }
      controller.completeCheckpoint();
    }
    waitStallPs += now - nowPs;
    return now;
  }

  /**
   * The core waits until the tables are written, as in the authors' program; data follows while it
   * goes on. In the text (§4.2, Figure 6b) the tables are written like the data.
   */
  private long endEpoch(long nowPs) {
    long now = awaitCheckpoint(nowPs);
    if (!flushing) {
      flushing = true;
      long begin = now;
      long counted = flushStallPs + waitStallPs;
      now = caches.flush(now);
      counted = flushStallPs + waitStallPs - counted;
      flushStallPs += now - begin - counted;
      changedLines = 0;
      flushing = false;
      // Lines of pages that left DRAM meanwhile had no entry set aside: they may have ended an
      // epoch.
      now = awaitCheckpoint(now);
    }
    clock = now;
    long promoted = controller.counters().pagesToDram();
    controller.endEpoch();
    promoted = controller.counters().pagesToDram() - promoted;
    long lookUps = promoted * space.pageBlocks();
    long stall = lookUps * timing.tableNs() * PS_PER_NS;
    if (setting.tablesInBackground()) {
      for (long block = 0; block < tableBlocks; block++) {
        banks.move(now, space.backupBase() + block);
      }
    } else {
      stall += tableBlocks * timing.moveNs() * PS_PER_NS;
    }
    now += stall;
    checkpointBlocks += tableBlocks;
    tableBackups += tableBlocks;
    flushStallPs += stall;
    epochStart = now;
    if (!setting.overlap()) {
      now = awaitCheckpoint(now);
    }
    return now;
  }

  @Override
  public long persistNow(long nowPs) {
    return awaitCheckpoint(endEpoch(nowPs));
  }

  @Override
  public SystemStats stats() {
    return new SystemStats(
        cpuBlocks,
        checkpointBlocks,
        tableBackups,
        migrationBlocks,
        controller.counters().epochs(),
        flushStallPs,
        waitStallPs);
  }

  private void count(long to, long blocks, Purpose purpose) {
    if (space.isDram(to)) {
      return;
    }
    if (purpose == Purpose.MIGRATION) {
      migrationBlocks += blocks;
    } else {
      checkpointBlocks += blocks;
    }
  }

  /** Copies occupy the bank they are read from and the one they go to. */
  private final class Movement implements DataPath {
    @Override
    public void copy(long from, long to, Purpose purpose) {
      count(to, 1, purpose);
      banks.move(clock, from);
      banks.move(clock, to);
    }

    @Override
    public void writeBack(long from, long to, Purpose purpose) {
      copy(from, to, purpose);
    }

    @Override
    public void drain() {}

    @Override
    public void swap(long slot, long home, long savedIn, long epoch) {
      count(home, 2, Purpose.CHECKPOINT);
      banks.move(clock, slot);
      banks.move(clock, savedIn);
      banks.move(clock, home);
    }

    @Override
    public void backUpBlocks(long epoch) {}

    @Override
    public void backUpPages(long epoch) {}
  }
}
