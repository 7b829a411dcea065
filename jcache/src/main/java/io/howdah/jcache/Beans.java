package io.howdah.jcache;

import java.lang.management.ManagementFactory;
import java.net.URI;
import javax.cache.CacheException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** The management beans of a cache, in the platform's server, by the names that JSR 107 gives. */
final class Beans {

  private final ObjectName configuration;
  private final ObjectName statistics;

  Beans(URI manager, String cache) {
    this.configuration = name("CacheConfiguration", manager, cache);
    this.statistics = name("CacheStatistics", manager, cache);
  }

  private static ObjectName name(String type, URI manager, String cache) {
    try {
      return new ObjectName(
          "javax.cache:type=%s,CacheManager=%s,Cache=%s"
              .formatted(type, sanitized(manager.toString()), sanitized(cache)));
    } catch (JMException e) {
      throw new CacheException("cache " + cache + " has no name for management: " + e, e);
    }
  }

  /** Takes from a name what has a meaning in names of beans. */
  private static String sanitized(String name) {
    return name.replaceAll("[,:=\n\"*?]", ".");
  }

  /** Registers or removes the bean of the configuration. */
  void configuration(Object bean, boolean isWanted) {
    set(configuration, bean, isWanted);
  }

  /** Registers or removes the bean of the statistics. */
  void statistics(Object bean, boolean isWanted) {
    set(statistics, bean, isWanted);
  }

  private static void set(ObjectName name, Object bean, boolean isWanted) {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    try {
      boolean isThere = server.isRegistered(name);
      if (isWanted && !isThere) {
        var _ = server.registerMBean(bean, name);
      } else if (!isWanted && isThere) {
        server.unregisterMBean(name);
      }
    } catch (JMException e) {
      throw new CacheException(
          "bean " + name + " cannot be " + (isWanted ? "added" : "removed"), e);
    }
  }
}
