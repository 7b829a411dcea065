package io.howdah.nvmsim.thynvm.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.thynvm.SchemePolicy;
import io.howdah.nvmsim.thynvm.table.BlockState;
import io.howdah.nvmsim.thynvm.table.BlockTable;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every state of a block with every event: what it becomes, or that it cannot happen. */
final class BlockStatesTest {
  private static final int BLOCK = 5;
  private static final int OF_THE_PAGE = 20;
  private static final SchemePolicy POLICY = new SchemePolicy(3, 1, false, true, true, false);

  private final PaperController controller =
      new PaperController(PaperController.space(64, 4, 2, 4), 4, POLICY, new Nowhere());

  enum Event {
    STORE,
    END_OF_EPOCH,
    CHECKPOINT_COMPLETE,
    NEED_OF_ITS_ENTRY
  }

  /** While executing; a missing pair cannot happen. */
  private static Map<Event, BlockState> executing(BlockState from) {
    Map<Event, BlockState> to = new EnumMap<>(Event.class);
    switch (from) {
      case FREE -> {
        to.put(Event.STORE, BlockState.DIRTY);
        to.put(Event.END_OF_EPOCH, BlockState.FREE);
      }
      case CLEAN -> {
        to.put(Event.STORE, BlockState.HIDDEN);
        to.put(Event.END_OF_EPOCH, BlockState.CLEAN);
        to.put(Event.NEED_OF_ITS_ENTRY, BlockState.FREE);
      }
      case DIRTY -> {
        to.put(Event.STORE, BlockState.DIRTY);
        to.put(Event.END_OF_EPOCH, BlockState.CLEAN);
      }
      case HIDDEN -> {
        to.put(Event.STORE, BlockState.HIDDEN);
        to.put(Event.END_OF_EPOCH, BlockState.FREE);
      }
      case PRE_DIRTY -> {
        to.put(Event.STORE, BlockState.DIRTY);
        to.put(Event.END_OF_EPOCH, BlockState.CLEAN);
      }
      case PRE_HIDDEN -> {
        to.put(Event.STORE, BlockState.HIDDEN);
        to.put(Event.END_OF_EPOCH, BlockState.FREE);
      }
      case LOAN -> {
        to.put(Event.STORE, BlockState.FREE);
        to.put(Event.END_OF_EPOCH, BlockState.FREE);
        to.put(Event.NEED_OF_ITS_ENTRY, BlockState.FREE);
      }
    }
    return to;
  }

  /** While the epoch before is being checkpointed. Dirty and hidden blocks do not exist then. */
  private static Map<Event, BlockState> checkpointing(BlockState from) {
    Map<Event, BlockState> to = new EnumMap<>(Event.class);
    if (from == BlockState.DIRTY || from == BlockState.HIDDEN) {
      return to;
    }
    to.put(Event.CHECKPOINT_COMPLETE, from);
    switch (from) {
      case FREE -> to.put(Event.STORE, BlockState.PRE_DIRTY);
      case CLEAN -> {
        to.put(Event.STORE, BlockState.PRE_HIDDEN);
        to.put(Event.NEED_OF_ITS_ENTRY, BlockState.FREE);
      }
      case PRE_DIRTY, PRE_HIDDEN, LOAN -> to.put(Event.STORE, from);
      case DIRTY, HIDDEN -> {}
    }
    return to;
  }

  static Stream<Arguments> pairs() {
    return Stream.of(BlockState.values())
        .flatMap(
            state ->
                Stream.of(Event.values())
                    .flatMap(
                        event ->
                            Stream.of(
                                Arguments.of(state, event, false),
                                Arguments.of(state, event, true))));
  }

  /**
   * All 56 pairs: what the tables above say, or that the pair does not exist or changes nothing.
   */
  @ParameterizedTest
  @MethodSource("pairs")
  void everyStateWithEveryEvent(BlockState from, Event event, boolean checkpointing) {
    BlockStatesTest fresh = new BlockStatesTest();
    int block = fresh.reach(from, checkpointing);
    assertThat(fresh.controller.isCheckpointing()).isEqualTo(checkpointing);
    if (checkpointing && (from == BlockState.DIRTY || from == BlockState.HIDDEN)) {
      // The end of an epoch leaves no block in these states, and no store leads to them then.
      assertThat(fresh.state(block)).isNotEqualTo(from);
      return;
    }
    BlockState to = (checkpointing ? checkpointing(from) : executing(from)).get(event);
    if (to != null) {
      assertEvent(from, checkpointing, event, to);
    } else if (event == Event.NEED_OF_ITS_ENTRY) {
      fresh.happen(event, block);
      assertThat(fresh.state(block)).as("its entry is not taken").isEqualTo(from);
      fresh.controller.blockTable().verify();
    } else {
      assertThatThrownBy(() -> fresh.happen(event, block))
          .isInstanceOf(IllegalStateException.class);
      assertThat(fresh.state(block)).isEqualTo(from);
    }
  }

  private static void assertEvent(
      BlockState from, boolean checkpointing, Event event, BlockState to) {
    BlockStatesTest fresh = new BlockStatesTest();
    int block = fresh.reach(from, checkpointing);
    assertThat(fresh.state(block)).isEqualTo(from);
    assertThat(fresh.controller.isCheckpointing()).isEqualTo(checkpointing);
    fresh.happen(event, block);
    assertThat(fresh.state(block)).as("%s, %s", from, event).isEqualTo(to);
    fresh.controller.blockTable().verify();
  }

  private void happen(Event event, int block) {
    switch (event) {
      case STORE -> store(block);
      case END_OF_EPOCH -> controller.endEpoch();
      case CHECKPOINT_COMPLETE -> controller.completeCheckpoint();
      case NEED_OF_ITS_ENTRY -> {
        for (int other = 40; controller.admit(other) == Admission.ACCEPT; other++) {
          assertThat(other).as("a BTT of 4 entries is full by now").isLessThan(48);
          store(other);
        }
      }
    }
  }

  private BlockState state(int block) {
    int entry = controller.blockTable().find(block);
    return entry == BlockTable.NONE ? BlockState.FREE : controller.blockTable().state(entry);
  }

  private void store(int block) {
    assertThat(controller.admit(block)).isEqualTo(Admission.ACCEPT);
    controller.store(block, true);
  }

  private void completeEpoch() {
    controller.endEpoch();
    controller.completeCheckpoint();
  }

  /** Brings a block into a state and returns it. */
  private int reach(BlockState state, boolean checkpointing) {
    switch (state) {
      case FREE -> {}
      case CLEAN -> {
        store(BLOCK);
        completeEpoch();
      }
      case DIRTY -> store(BLOCK);
      case HIDDEN -> {
        reach(BlockState.CLEAN, false);
        store(BLOCK);
      }
      case PRE_DIRTY -> {
        controller.endEpoch();
        store(BLOCK);
      }
      case PRE_HIDDEN -> {
        reach(BlockState.CLEAN, false);
        controller.endEpoch();
        store(BLOCK);
      }
      case LOAN -> {
        for (int i = 0; i < 4; i++) {
          store(OF_THE_PAGE);
        }
        controller.endEpoch();
        assertThat(controller.isPage(OF_THE_PAGE)).isTrue();
        store(OF_THE_PAGE);
      }
    }
    if (checkpointing && !controller.isCheckpointing()) {
      controller.endEpoch();
    } else if (!checkpointing && controller.isCheckpointing()) {
      controller.completeCheckpoint();
    }
    return state == BlockState.LOAN ? OF_THE_PAGE : BLOCK;
  }

  @Test
  void aSecondCheckpointCannotBegin() {
    controller.endEpoch();
    assertThatThrownBy(controller::endEpoch).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void fullTablesEndTheEpochAndThenWaitForItsCheckpoint() {
    for (int block = 0; block < 4; block++) {
      store(8 * block);
    }
    assertThat(controller.admit(40)).isEqualTo(Admission.END_EPOCH);
    assertThat(controller.admit(0)).isEqualTo(Admission.ACCEPT);
    controller.endEpoch();
    for (int block = 0; block < 4; block++) {
      store(32 + 8 * block);
    }
    assertThat(controller.admit(41)).isEqualTo(Admission.AWAIT_CHECKPOINT);
  }

  @Test
  void everyStateSaysWhatSoftwareSees() {
    Set<BlockState.Version> seen = EnumSet.noneOf(BlockState.Version.class);
    for (BlockState state : BlockState.values()) {
      seen.add(state.version());
    }
    assertThat(seen).containsExactlyInAnyOrder(BlockState.Version.values());
    assertThat(BlockState.HIDDEN.region()).isEqualTo(BlockState.Region.HOME);
  }
}
