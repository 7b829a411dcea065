package io.howdah.jmh.ycsb;

/** How a load speaks with a server. */
public enum Protocol {
  /** memcached's text protocol. */
  MEMCACHED,
  /** Redis' protocol, version 2. */
  REDIS;

  Wire wire(KeySpace space, Values values) {
    return switch (this) {
      case MEMCACHED -> new MemcachedWire(space, values);
      case REDIS -> new RedisWire(space, values);
    };
  }
}
