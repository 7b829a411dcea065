package io.howdah;

import io.howdah.log.flush.LogStall;
import io.howdah.store.admin.StoreMXBean;

/** A store's figures for JMX, read when they are asked for. */
record StoreFigures(Store store) implements StoreMXBean {

  @Override
  public long getCommits() {
    return store.stats().commits();
  }

  @Override
  public long getAborts() {
    return store.stats().totalAborts();
  }

  @Override
  public long getLsn() {
    return store.stats().lsn();
  }

  @Override
  public long getStableLsn() {
    return store.stats().stableLsn();
  }

  @Override
  public long getForces() {
    return store.stats().forces();
  }

  @Override
  public boolean isStalled() {
    return store.stats().stall().isPresent();
  }

  @Override
  public long getStalledSinceMillis() {
    return store.stats().stall().map(stall -> stall.since().toEpochMilli()).orElse(0L);
  }

  @Override
  public String getStallReason() {
    return store.stats().stall().map(LogStall::describe).orElse("");
  }

  @Override
  public int getStallPartition() {
    return store.stats().stall().map(stall -> stall.partition().orElse(-1)).orElse(-1);
  }

  @Override
  public long getCheckpoints() {
    return store.checkpointStats().taken();
  }

  @Override
  public boolean isCheckpointRunning() {
    return store.checkpointStats().running();
  }

  @Override
  public long getReplayWordsLeft() {
    return store.replayStats().wordsLeft();
  }

  @Override
  public long getReplayBytes() {
    return store.checkpointStats().replayBytes();
  }

  @Override
  public long getLogBytes() {
    return store.checkpointStats().logBytes();
  }

  @Override
  public boolean isCommitsHeld() {
    return store.checkpointStats().commitsHeld();
  }

  @Override
  public long getExpectedRecoveryMillis() {
    return store.checkpointStats().expectedRecovery().toMillis();
  }
}
