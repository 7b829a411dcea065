package io.howdah;

import io.howdah.archive.ArchiveTarget;
import java.nio.ByteBuffer;
import java.util.SortedMap;
import java.util.function.Consumer;

/** Passes calls on, after an action that gets the name of the method and some arguments. */
record FaultyTarget(ArchiveTarget target, Consumer<String> before) implements ArchiveTarget {

  @Override
  public String describe() {
    return target.describe();
  }

  @Override
  public SortedMap<String, Long> list() {
    before.accept("list");
    return target.list();
  }

  @Override
  public void put(String name, ByteBuffer bytes) {
    before.accept("put");
    target.put(name, bytes);
  }

  @Override
  public void append(String name, long offset, ByteBuffer bytes) {
    before.accept("append " + name + " " + bytes.remaining());
    target.append(name, offset, bytes);
  }

  @Override
  public void force(String name) {
    before.accept("force " + name);
    target.force(name);
  }

  @Override
  public void keep(String name) {
    before.accept("keep " + name);
    target.keep(name);
  }

  @Override
  public void finish(String name) {
    before.accept("finish " + name);
    target.finish(name);
  }

  @Override
  public int read(String name, long offset, ByteBuffer bytes) {
    before.accept("read");
    return target.read(name, offset, bytes);
  }

  @Override
  public void remove(String name) {
    before.accept("remove");
    target.remove(name);
  }

  @Override
  public void close() {
    before.accept("close");
    target.close();
  }
}
