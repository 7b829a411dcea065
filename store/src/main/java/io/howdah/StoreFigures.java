package io.howdah;

import io.howdah.log.report.LogStall;

/** A store's figures for JMX, read when they are asked for. */
record StoreFigures(StoreAdmin admin) implements StoreMXBean {

  @Override
  public long getCommits() {
    return admin.stats().commits();
  }

  @Override
  public long getAborts() {
    return admin.stats().totalAborts();
  }

  @Override
  public long getLsn() {
    return admin.stats().lsn();
  }

  @Override
  public long getStableLsn() {
    return admin.stats().stableLsn();
  }

  @Override
  public long getForces() {
    return admin.stats().forces();
  }

  @Override
  public boolean isStalled() {
    return admin.stats().stall().isPresent();
  }

  @Override
  public long getStalledSinceMillis() {
    return admin.stats().stall().map(stall -> stall.since().toEpochMilli()).orElse(0L);
  }

  @Override
  public String getStallReason() {
    return admin.stats().stall().map(LogStall::describe).orElse("");
  }

  @Override
  public int getStallPartition() {
    return admin.stats().stall().map(stall -> stall.partition().orElse(-1)).orElse(-1);
  }

  @Override
  public long getCheckpoints() {
    return admin.checkpointStats().taken();
  }

  @Override
  public boolean isCheckpointRunning() {
    return admin.checkpointStats().running();
  }

  @Override
  public long getReplayWordsLeft() {
    return admin.replayStats().wordsLeft();
  }

  @Override
  public boolean isReplayDone() {
    return admin.replayStats().isDone();
  }

  @Override
  public long getReplayBytes() {
    return admin.checkpointStats().replayBytes();
  }

  @Override
  public long getLogBytes() {
    return admin.checkpointStats().logBytes();
  }

  @Override
  public boolean isCommitsHeld() {
    return admin.checkpointStats().commitsHeld();
  }

  @Override
  public long getExpectedRecoveryMillis() {
    return admin.checkpointStats().expectedRecovery().toMillis();
  }
}
