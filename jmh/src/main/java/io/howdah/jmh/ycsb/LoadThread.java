package io.howdah.jmh.ycsb;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** One thread of a load with its connections. */
final class LoadThread implements Callable<LoadResult>, Replies {

  /** A server that leaves every connection without a reply for so long is taken for hung. */
  private static final int STALL_MILLIS = 30_000;

  /** How long a thread sleeps at most while an operation is not due; a selector counts in ms. */
  private static final long MAX_PARK_NANOS = 20_000;

  private final List<SocketChannel> channels;
  private final Supplier<Wire> wires;
  private final int depth;
  private final Phase phase;
  private final LoadResult result = new LoadResult();
  private final ArrayDeque<SelectionKey> idle = new ArrayDeque<>();
  private int busy;

  LoadThread(List<SocketChannel> channels, Supplier<Wire> wires, int depth, Phase phase) {
    this.channels = channels;
    this.wires = wires;
    this.depth = depth;
    this.phase = phase;
  }

  @Override
  public LoadResult call() throws IOException {
    try (Selector selector = Selector.open()) {
      // An operation may be two requests, so one more than the depth.
      int capacity = 2 * Integer.highestOneBit(depth);
      for (SocketChannel channel : channels) {
        Pipeline pipeline = new Pipeline(channel, capacity, wires.get(), this);
        idle.add(channel.register(selector, SelectionKey.OP_READ, pipeline));
      }
      while (send() || busy > 0) {
        receive(selector);
      }
    }
    return result;
  }

  /** Sends what is due; returns whether more is to come. */
  private boolean send() throws IOException {
    long due = phase.nextDueNanos();
    while (due != Phase.NEVER && due - System.nanoTime() <= 0 && !idle.isEmpty()) {
      SelectionKey key = idle.remove();
      if (fill(pipeline(key))) {
        busy++;
        flush(key);
      } else {
        idle.add(key);
      }
      due = phase.nextDueNanos();
    }
    return due != Phase.NEVER;
  }

  /** Adds what is due, up to the depth; returns whether there was any. */
  private boolean fill(Pipeline pipeline) {
    while (pipeline.outstanding() < depth) {
      long due = phase.nextDueNanos();
      if (due == Phase.NEVER || due - System.nanoTime() > 0) {
        break;
      }
      int before = pipeline.outstanding();
      phase.add(pipeline, due);
      if (pipeline.outstanding() > before) {
        result.operation();
      }
    }
    return pipeline.outstanding() > 0;
  }

  private static void flush(SelectionKey key) throws IOException {
    boolean all = pipeline(key).flush();
    int wanted = all ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE;
    if (key.interestOps() != wanted) {
      key.interestOps(wanted);
    }
  }

  private void receive(Selector selector) throws IOException {
    long due = phase.nextDueNanos();
    if (due != Phase.NEVER && !idle.isEmpty()) {
      if (selector.selectNow(this::ready) == 0) {
        LockSupport.parkNanos(Math.clamp(due - System.nanoTime(), 0, MAX_PARK_NANOS));
      }
    } else if (selector.select(this::ready, STALL_MILLIS) == 0 && busy > 0) {
      throw new LoadException("no reply for %d s".formatted(STALL_MILLIS / 1000));
    }
  }

  private void ready(SelectionKey key) {
    try {
      if (key.isWritable()) {
        flush(key);
      }
      Pipeline pipeline = pipeline(key);
      if (key.isReadable() && pipeline.receive() > 0 && pipeline.outstanding() == 0) {
        busy--;
        idle.add(key);
      }
    } catch (IOException e) {
      throw new LoadException("the connection broke: " + e.getMessage(), e);
    }
  }

  private static Pipeline pipeline(SelectionKey key) {
    return (Pipeline) key.attachment();
  }

  @Override
  public void hit(long number, long version, long nanos) {
    result.hit(number, version, nanos);
    phase.hit(number, version);
  }

  @Override
  public void miss(long number, long nanos) {
    result.miss(number, nanos);
    phase.miss(number);
  }

  @Override
  public void stored(long number, long version, long nanos) {
    result.stored(number, version, nanos);
    phase.stored(number, version);
  }
}
