package io.howdah.txn;

import io.howdah.core.UnsupportedStoreException;
import io.howdah.log.flush.LogStall;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** A store's bean in the platform's server, as long as the store is open. */
final class ManagementBean implements StoreMXBean, AutoCloseable {

  private final Store store;
  private final ObjectName name;

  private ManagementBean(Store store, ObjectName name) {
    this.store = store;
    this.name = name;
  }

  /** Registers a bean named after the store's directory. */
  static ManagementBean register(Store store, Path directory) {
    try {
      ObjectName name =
          new ObjectName(
              "io.howdah:type=Store,directory="
                  + ObjectName.quote(directory.toAbsolutePath().normalize().toString()));
      ManagementBean bean = new ManagementBean(store, name);
      server().registerMBean(bean, name);
      return bean;
    } catch (JMException e) {
      throw new UnsupportedStoreException("no JMX bean for " + directory + ": " + e.getMessage());
    }
  }

  private static MBeanServer server() {
    return ManagementFactory.getPlatformMBeanServer();
  }

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

  /** Unregisters the bean. Idempotent. */
  @Override
  public void close() {
    try {
      if (server().isRegistered(name)) {
        server().unregisterMBean(name);
      }
    } catch (JMException e) {
      // Gone meanwhile.
    }
  }
}
