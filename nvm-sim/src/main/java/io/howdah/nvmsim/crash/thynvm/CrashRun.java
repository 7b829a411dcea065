package io.howdah.nvmsim.crash.thynvm;

import io.howdah.nvmsim.schedule.SplitMix;
import io.howdah.nvmsim.thynvm.control.AddressSpace;
import io.howdah.nvmsim.thynvm.control.Admission;
import io.howdah.nvmsim.thynvm.control.DataPath;
import io.howdah.nvmsim.thynvm.control.PaperController;
import io.howdah.nvmsim.thynvm.control.Purpose;
import io.howdah.nvmsim.thynvm.table.BlockState;
import io.howdah.nvmsim.thynvm.table.BlockTable;
import io.howdah.nvmsim.thynvm.table.PageTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * One run of random stores on a {@link PaperController} whose memory has contents. An event is a
 * write to NVM, a drained write queue, or a step of the checkpoint in progress.
 */
final class CrashRun {
  private static final long LOW_HALF = 0xFFFF_FFFFL;
  private static final int EPOCH_END_SHARE = 40;
  private static final int LIFE_SHARE = 3;

  private final CrashSetup setup;
  private final SplitMix random;
  private final AddressSpace space;
  private final NvmCells cells;
  private final long[] durable;
  private final long[] visible;
  private final long[] software;
  private final List<long[]> golden = new ArrayList<>();
  private final WritesUnderWay writes = new WritesUnderWay();
  private final Deque<Runnable> plan = new ArrayDeque<>();
  private final PowerCut cuts;
  private PaperController controller;
  private long completed;
  private long checkpointing;
  private int swaps;

  private CrashRun(CrashSetup setup, long seed) {
    this.setup = setup;
    random = new SplitMix(seed);
    space =
        PaperController.space(
            setup.homeBlocks(), setup.blockEntries(), setup.pages(), setup.pageBlocks());
    cells = new NvmCells(space, setup.blockEntries());
    durable = new long[cells.length()];
    visible = new long[Math.max(cells.length(), (int) space.blocks())];
    software = new long[setup.homeBlocks()];
    golden.add(software.clone());
    cuts = new PowerCut(cells, golden, setup.homeBlocks(), new SplitMix(~seed));
    controller = newController();
  }

  /** Runs until all epochs are complete or a violation was found. */
  public static CrashResult run(CrashSetup setup, long seed) {
    CrashRun run = new CrashRun(setup, seed);
    int lives = 1;
    while (run.completed < setup.epochs() && !run.cuts.foundAny()) {
      run.store();
      for (int steps = run.random.below(3); steps > 0 && !run.plan.isEmpty(); steps--) {
        run.step();
      }
      if (lives < LIFE_SHARE && run.random.below(200) == 0) {
        run.loseAndRecover();
        lives++;
      }
    }
    return run.cuts.result(run.controller.counters());
  }

  private PaperController newController() {
    return new PaperController(space, setup.blockEntries(), setup.policy(), new Contents());
  }

  /** Power fails, a part of the writes under way is lost, and the run goes on from what is left. */
  private void loseAndRecover() {
    for (int i = 0; i < writes.count(); i++) {
      if ((random.next() & 1) != 0) {
        durable[writes.cell(i)] = writes.value(i);
      }
    }
    writes.clear();
    plan.clear();
    Recovery.run(cells, durable, Integer.MAX_VALUE);
    controller = Recovery.restart(cells, durable, this::newController);
    completed = Recovery.epoch(cells, durable);
    swaps = 0;
    Arrays.fill(visible, 0);
    System.arraycopy(durable, 0, visible, 0, (int) space.dramBase());
    Recovery.image(cells, durable, software);
    while (golden.size() > completed + 1) {
      golden.removeLast();
    }
    PageTable pages = controller.pageTable();
    for (int entry = 0; entry < pages.capacity(); entry++) {
      for (int i = 0; pages.isUsed(entry) && i < space.pageBlocks(); i++) {
        int block = (int) pages.page(entry) * space.pageBlocks() + i;
        visible[(int) space.pageCache(entry, i)] = software[block];
      }
    }
  }

  /** Most stores go to a few pages, so that some are promoted and others are left. */
  private int chooseBlock() {
    int hot = (int) (completed % 3) * setup.pageBlocks() * 2;
    return random.below(3) == 0
        ? random.below(setup.homeBlocks())
        : (hot + random.below(setup.pageBlocks() * 2)) % setup.homeBlocks();
  }

  private void store() {
    int block = chooseBlock();
    if (random.below(EPOCH_END_SHARE) == 0) {
      endEpoch();
    }
    Admission admission = controller.admit(block);
    while (admission != Admission.ACCEPT) {
      if (admission == Admission.END_EPOCH) {
        endEpoch();
      } else {
        finishCheckpoint();
      }
      admission = controller.admit(block);
    }
    long value = random.next();
    boolean whole = random.below(2) == 0;
    long place = controller.store(block, whole);
    long rest = whole ? 0 : ~LOW_HALF;
    software[block] = (software[block] & rest) | (value & ~rest);
    put((int) place, (visible[(int) place] & rest) | (value & ~rest));
    for (int i = 0; i < software.length; i++) {
      if (visible[(int) controller.peek(i)] != software[i]) {
        throw new IllegalStateException("software reads a wrong version of block " + i);
      }
    }
  }

  private void endEpoch() {
    finishCheckpoint();
    long epoch = controller.epoch();
    golden.add(software.clone());
    swaps = 0;
    controller.endEpoch();
    checkpointing = epoch;
    putCell(cells.registers(epoch), epoch);
  }

  private void finishCheckpoint() {
    while (!plan.isEmpty()) {
      step();
    }
  }

  private void step() {
    plan.removeFirst().run();
    if (plan.isEmpty()) {
      controller.completeCheckpoint();
      completed = checkpointing;
    }
    event();
  }

  private void put(int place, long value) {
    visible[place] = value;
    if (!space.isDram(place)) {
      writes.add(place, value);
      event();
    }
  }

  private void putCell(int cell, long value) {
    writes.add(cell, value);
    event();
  }

  private void drain() {
    writes.drainTo(durable);
    event();
  }

  private void event() {
    if (setup.pointShare() == 1 || random.below(setup.pointShare()) == 0) {
      cuts.check(durable, writes, completed, setup.maxSubsets());
    }
  }

  /** Memory with contents. */
  private final class Contents implements DataPath {
    @Override
    public void copy(long from, long to, Purpose purpose) {
      put((int) to, visible[(int) from]);
    }

    @Override
    public void writeBack(long from, long to, Purpose purpose) {
      plan.add(() -> put((int) to, visible[(int) from]));
    }

    @Override
    public void drain() {
      CrashRun.this.drain();
    }

    @Override
    public void swap(long slot, long home, long savedIn, long epoch) {
      put((int) savedIn, visible[(int) home]);
      drain();
      putCell(cells.swap(epoch, swaps++), NvmCells.pack(epoch, savedIn, home));
      drain();
      put((int) home, visible[(int) slot]);
    }

    /** The tables' images are taken at once; they are written step by step. */
    @Override
    public void backUpBlocks(long epoch) {
      BlockTable table = controller.blockTable();
      for (int entry = 0; entry < table.capacity(); entry++) {
        long cell =
            table.state(entry) == BlockState.CLEAN
                ? NvmCells.pack(0, table.place(entry), table.block(entry) + 1)
                : 0;
        int to = cells.block(epoch, entry);
        plan.add(() -> putCell(to, cell));
      }
    }

    @Override
    public void backUpPages(long epoch) {
      PageTable table = controller.pageTable();
      for (int entry = 0; entry < table.capacity(); entry++) {
        long home = table.isUsed(entry) && table.checkpointAtHome(entry) ? 1 : 0;
        long cell = table.isUsed(entry) ? NvmCells.pack(0, home, table.page(entry) + 1) : 0;
        int to = cells.page(epoch, entry);
        plan.add(() -> putCell(to, cell));
      }
      plan.add(CrashRun.this::drain);
      plan.add(() -> putCell(cells.completed(), epoch));
      plan.add(CrashRun.this::drain);
    }
  }
}
