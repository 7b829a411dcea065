package io.howdah.nvmsim.thynvm.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.thynvm.SchemePolicy;
import io.howdah.nvmsim.thynvm.table.PageTable;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Every state of a page with every event. All sequences of seven events are run, under a policy in
 * which pages leave DRAM and under one in which they stay; each step must be in the table, and each
 * entry of the table must occur.
 */
final class PageStatesTest {
  private static final int LENGTH = 7;
  private static final int BLOCK = 20;
  private static final SchemePolicy LEAVES = new SchemePolicy(3, 2, true, true, true, false);
  private static final SchemePolicy STAYS = new SchemePolicy(3, 0, true, true, true, false);

  private enum Event {
    STORE,
    /** The epoch ends with the stores that it had. */
    END,
    /** Four stores, and the epoch ends. */
    DENSE_END,
    COMPLETE
  }

  /** Where a page is; A and HOME say where its last checkpoint is, or is being written. */
  private enum State {
    ABSENT,
    CLEAN_A,
    CLEAN_HOME,
    DIRTY_A,
    DIRTY_HOME,
    WRITING_A,
    WRITING_HOME,
    LEAVING
  }

  private static final String EXECUTING =
      """
      ABSENT STORE: ABSENT
      ABSENT END: ABSENT or WRITING_A
      ABSENT DENSE_END: WRITING_A
      CLEAN_A STORE: DIRTY_A
      CLEAN_A END: LEAVING or CLEAN_A or WRITING_HOME
      CLEAN_A DENSE_END: WRITING_HOME
      CLEAN_HOME STORE: DIRTY_HOME
      CLEAN_HOME END: ABSENT or CLEAN_HOME or WRITING_A
      CLEAN_HOME DENSE_END: WRITING_A
      DIRTY_A STORE: DIRTY_A
      DIRTY_A END: LEAVING or WRITING_HOME
      DIRTY_A DENSE_END: WRITING_HOME
      DIRTY_HOME STORE: DIRTY_HOME
      DIRTY_HOME END: WRITING_A
      DIRTY_HOME DENSE_END: WRITING_A
      """;

  private static final String CHECKPOINTING =
      """
      ABSENT STORE: ABSENT
      ABSENT COMPLETE: ABSENT
      CLEAN_A STORE: DIRTY_A
      CLEAN_A COMPLETE: CLEAN_A
      CLEAN_HOME STORE: DIRTY_HOME
      CLEAN_HOME COMPLETE: CLEAN_HOME
      DIRTY_A STORE: DIRTY_A
      DIRTY_A COMPLETE: DIRTY_A
      DIRTY_HOME STORE: DIRTY_HOME
      DIRTY_HOME COMPLETE: DIRTY_HOME
      WRITING_A STORE: WRITING_A
      WRITING_A COMPLETE: CLEAN_A
      WRITING_HOME STORE: WRITING_HOME
      WRITING_HOME COMPLETE: CLEAN_HOME
      LEAVING STORE: LEAVING
      LEAVING COMPLETE: ABSENT or CLEAN_HOME
      """;

  private final Map<String, Set<String>> seen = new TreeMap<>();

  @Test
  void everySequenceOfEventsStaysInTheTableAndMeetsAllOfIt() {
    extend(LEAVES, 2, new ArrayList<>());
    extend(STAYS, 2, new ArrayList<>());
    // The page fills the table, so it leaves although it had no store.
    extend(LEAVES, 1, new ArrayList<>());
    Map<String, Set<String>> wanted = new TreeMap<>();
    add(wanted, "executing ", EXECUTING);
    add(wanted, "checkpointing ", CHECKPOINTING);
    assertThat(seen).isEqualTo(wanted);
  }

  /** Having no store says nothing of a page's locality (§4.2); room decides. */
  @Test
  void aPageWithoutStoresStaysWhileTheTableHasRoom() {
    List<Event> idle = List.of(Event.DENSE_END, Event.COMPLETE, Event.END);
    assertThat(state(replay(LEAVES, 2, idle))).isEqualTo(State.CLEAN_A);
    assertThat(state(replay(LEAVES, 1, idle))).isEqualTo(State.LEAVING);
  }

  /** What the tables do not have: a page is written back only while a checkpoint is in progress. */
  @Test
  void theTablesHaveEveryPairThatExists() {
    Set<State> executing = EnumSet.complementOf(EnumSet.of(State.WRITING_A, State.WRITING_HOME));
    executing.remove(State.LEAVING);
    Map<String, Set<String>> all = new TreeMap<>();
    add(all, "", EXECUTING);
    assertThat(all).hasSize(3 * executing.size());
    all.clear();
    add(all, "", CHECKPOINTING);
    assertThat(all).hasSize(2 * State.values().length);
  }

  private static void add(Map<String, Set<String>> to, String phase, String table) {
    table
        .lines()
        .map(line -> line.split(": "))
        .forEach(row -> to.put(phase + row[0], new TreeSet<>(List.of(row[1].split(" or ")))));
  }

  private void extend(SchemePolicy policy, int entries, List<Event> events) {
    if (events.size() == LENGTH) {
      return;
    }
    for (Event event : Event.values()) {
      PaperController controller = replay(policy, entries, events);
      State before = state(controller);
      boolean checkpointing = controller.isCheckpointing();
      boolean ends = event == Event.END || event == Event.DENSE_END;
      if (checkpointing ? ends : event == Event.COMPLETE) {
        if (event != Event.DENSE_END) {
          assertThatThrownBy(() -> happen(controller, event))
              .isInstanceOf(IllegalStateException.class);
          assertThat(state(controller)).isEqualTo(before);
        }
        continue;
      }
      happen(controller, event);
      controller.blockTable().verify();
      seen.computeIfAbsent(
              (checkpointing ? "checkpointing " : "executing ") + before + " " + event,
              key -> new TreeSet<>())
          .add(state(controller).name());
      events.add(event);
      extend(policy, entries, events);
      events.removeLast();
    }
  }

  private static PaperController replay(SchemePolicy policy, int entries, List<Event> events) {
    PaperController controller =
        new PaperController(PaperController.space(64, 8, entries, 4), 8, policy, new Nowhere());
    events.forEach(event -> happen(controller, event));
    return controller;
  }

  private static void happen(PaperController controller, Event event) {
    switch (event) {
      case STORE -> store(controller);
      case END -> controller.endEpoch();
      case DENSE_END -> {
        for (int i = 0; i < 4; i++) {
          store(controller);
        }
        controller.endEpoch();
      }
      case COMPLETE -> controller.completeCheckpoint();
    }
  }

  private static void store(PaperController controller) {
    assertThat(controller.admit(BLOCK)).isEqualTo(Admission.ACCEPT);
    controller.store(BLOCK, true);
  }

  private static State state(PaperController controller) {
    PageTable pages = controller.pageTable();
    int entry = pages.find(controller.space().pageOf(BLOCK));
    if (entry == PageTable.NONE) {
      return State.ABSENT;
    }
    boolean home = pages.checkpointAtHome(entry);
    if (pages.isLeaving(entry)) {
      assertThat(home && pages.isWritingBack(entry)).as("it leaves for Home").isTrue();
      return State.LEAVING;
    }
    if (pages.isWritingBack(entry)) {
      return home ? State.WRITING_HOME : State.WRITING_A;
    }
    if (pages.isDirty(entry)) {
      return home ? State.DIRTY_HOME : State.DIRTY_A;
    }
    return home ? State.CLEAN_HOME : State.CLEAN_A;
  }
}
