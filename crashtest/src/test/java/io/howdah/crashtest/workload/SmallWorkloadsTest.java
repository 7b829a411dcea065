package io.howdah.crashtest.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.Machine;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every operation alone, with a few crashes of each; {@code howdah test explore --length}. */
@Tag("scaled")
class SmallWorkloadsTest {

  /** Of the operations one in so many is explored. */
  private static final int STRIDE = Integer.getInteger("howdah.stride", 4);

  @Test
  void everyOperationAloneSurvivesItsCrashes() {
    WorkloadExplorer explorer =
        new WorkloadExplorer(1, CrashUnit.SECTOR, new ExploreBounds(1, 64, 2, 0, 0, 0, true));
    Step[] steps = Step.values();
    for (int i = 0; i < steps.length; i += STRIDE) {
      Step step = steps[i];
      assertThat(explorer.explore(List.of(step), true).states()).as(step.text()).isGreaterThan(2);
    }
    assertThat(Sequences.kinds()).isGreaterThanOrEqualTo(12);
  }

  /**
   * The steps on the sorted map split and merge leaves, and pages change from one use to another.
   */
  @Test
  void nodesSplitAndMergeAndTheirPagesChange() {
    SimulatedExecution execution = SimulatedExecution.with(Schedule.random(1, 2048));
    SimulatedDisk disk = SimulatedDisk.builder(1).execution(execution).build();
    Machine machine = new Machine(disk, execution, List.of());
    execution.run(() -> new SmallWorkload(List.of()).prepare(machine));
    execution.use(Schedule.random(1, 2048));
    execution.run(
        () -> {
          try (Store store = SmallWorkload.open(machine)) {
            Session session = new Session(store);
            long leaves = leaves(store);
            assertThat(leaves).isGreaterThan(1);
            Step.SORTED_REMOVE.run(session, 1);
            assertThat(leaves(store)).isLessThan(leaves);
            leaves = leaves(store);
            Step.SORTED_PUT.run(session, 2);
            assertThat(leaves(store)).isGreaterThan(leaves);
            Pages before = Pages.of(store);
            Step.PAGES_TO_BLOCKS.run(session, 3);
            Pages after = Pages.of(store);
            assertThat(before.nodes)
                .as("%s, %s", before, after)
                .containsAnyElementsOf(after.blocks);
            Step.PAGES_TO_NODES.run(session, 4);
            after.blocks.addAll(before.blocks);
            assertThat(after.blocks).containsAnyElementsOf(Pages.of(store).nodes);
            Step.SORTED_REMOVE.run(session, 5);
          }
        });
  }

  private static long leaves(Store store) {
    return store.admin().inspect().collections().stream()
        .filter(collection -> collection.name().equals("sorted"))
        .findFirst()
        .orElseThrow()
        .levels()
        .getLast()
        .nodes();
  }

  /**
   * The numbers of pages.
   *
   * @param nodes pages of nodes, those without nodes in use included
   * @param blocks those that have a part of a block
   */
  private record Pages(Set<Long> nodes, Set<Long> blocks) {

    static Pages of(Store store) {
      Pages pages = new Pages(new HashSet<>(), new HashSet<>());
      store.read(
          tx -> {
            Words words = TxHandle.of(tx).words();
            long end = words.getUnchecked(RegionHeaderLayout.TOP_ADDRESS) / PageLayout.PAGE_BYTES;
            for (long page = 2; page < end; page++) {
              long descriptor = words.getUnchecked(PageLayout.descriptorAddress(page));
              if (PageLayout.kind(descriptor) == PageLayout.NODES) {
                pages.nodes.add(page);
              } else if (PageLayout.kind(descriptor) == PageLayout.LARGE) {
                for (long i = 0; i < PageLayout.length(descriptor); i++) {
                  pages.blocks.add(page + i);
                }
              }
            }
            return 0;
          });
      return pages;
    }
  }

  /** The judge itself: a step that was acknowledged and is not there is a violation. */
  @Test
  void anAcknowledgedStepThatIsMissingIsNoticed() {
    SimulatedExecution execution = SimulatedExecution.with(Schedule.random(1, 2048));
    SimulatedDisk disk = SimulatedDisk.builder(1).execution(execution).build();
    Machine machine = new Machine(disk, execution, List.of());
    SmallWorkload workload = new SmallWorkload(List.of(Step.PUT_SYNC));
    execution.run(() -> workload.prepare(machine));
    SimulatedDisk before = disk.fork();
    execution.use(Schedule.random(1, 2048));
    execution.run(() -> workload.work(machine));

    SimulatedExecution next = SimulatedExecution.with(Schedule.random(1, 2048));
    before.scheduleWith(next);
    before.kill();
    assertThatThrownBy(() -> next.run(() -> workload.check(new Machine(before, next, List.of()))))
        .rootCause()
        .isInstanceOf(Violation.class)
        .hasMessageContaining("which is none of the");
  }

  /** A synchronous step that writes nothing waits only for what it has read. */
  @Test
  void aPollOfAnEmptyQueueMakesNothingBeforeItDurable() {
    WorkloadExplorer explorer =
        new WorkloadExplorer(5, CrashUnit.WORD, new ExploreBounds(4, 64, 8, 0, 0, 0, true));
    List<Step> steps = List.of(Step.POLL, Step.REMOVE, Step.POLL);
    assertThat(explorer.explore(steps, true).states()).isGreaterThan(20);
    Content empty = Content.EMPTY;
    Content full = empty.added(1);
    assertThat(Step.POLL.isDurable(full)).isTrue();
    assertThat(Step.POLL.isDurable(empty)).isFalse();
    assertThat(Step.REOPEN.isDurable(empty)).isTrue();
    assertThat(Step.PUT.isDurable(empty)).isFalse();
  }

  /** What is known without a run is what a run finds; some states are run all the same. */
  @Test
  void statesThatAreNotRunEndAsIfTheyWere() {
    ExploreBounds audited = new ExploreBounds(2, 4096, 8, 1, 2, 500, true);
    Explored explored =
        new WorkloadExplorer(1, CrashUnit.SECTOR, audited).explore(List.of(Step.PUT), true);
    assertThat(explored.audited()).isPositive();
    assertThat(explored.states()).isGreaterThan(explored.runs());
    assertThat(explored.inRecovery()).isPositive();
  }

  /** A finished backup holds what the store held; one that was cut short is nobody's. */
  @Test
  void aBackupThatIsMissingOrAnotherIsNoticed() {
    Content content = Content.EMPTY.put(1, 1, "a");
    Expected.Copy finished = new Expected.Copy(content, true);
    Expected.Copy begun = new Expected.Copy(content, false);
    List<Content> legal = List.of(content);
    Expected expected = new Expected(legal, legal, Map.of(1L, finished, 2L, begun));
    assertThat(expected.complaint(new Found(content, Map.of(1L, content)))).isEmpty();
    assertThat(expected.complaint(new Found(content, Map.of(1L, content, 2L, content)))).isEmpty();
    assertThat(expected.complaint(new Found(content, Map.of()))).contains("is not there");
    Map<Long, Content> torn = Map.of(1L, content, 2L, Content.EMPTY);
    assertThat(expected.complaint(new Found(content, torn))).contains("backup of step 2 holds");
    Map<Long, Content> unknown = Map.of(1L, content, 3L, content);
    assertThat(expected.complaint(new Found(content, unknown))).contains("nobody has made");
  }

  @Test
  void aBackupIsOpenedByTheJudge() {
    SimulatedExecution execution = SimulatedExecution.with(Schedule.random(1, 2048));
    SimulatedDisk disk = SimulatedDisk.builder(1).execution(execution).build();
    Machine machine = new Machine(disk, execution, List.of());
    SmallWorkload workload = new SmallWorkload(List.of(Step.PUT, Step.BACKUP, Step.ADD));
    execution.run(() -> workload.prepare(machine));
    execution.use(Schedule.random(1, 2048));
    execution.run(() -> workload.work(machine));
    Judge judge = new Judge();
    execution.run(() -> judge.check(machine));
    assertThat(judge.found().copies()).containsOnlyKeys(2L);
    assertThat(workload.expected().complaint(judge.found())).isEmpty();
  }

  @Test
  void aCrashIsRepeatedFromItsText() {
    String text =
        "SECTOR/OPERATION-60-BEFORE:POWER_CUT:lose/OPERATION-20-AFTER:KILL/OPERATION-9-BEFORE:KILL";
    assertThat(WorkloadReplay.parse(text)).hasToString(text);
    assertThatThrownBy(() -> SmallWorkloads.replay("put", 1, "SECTOR"))
        .hasMessageContaining("not a");
  }
}
