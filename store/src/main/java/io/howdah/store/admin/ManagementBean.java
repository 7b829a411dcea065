package io.howdah.store.admin;

import io.howdah.core.UnsupportedStoreException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** A bean in the platform's server, as long as its store is open. */
public final class ManagementBean implements AutoCloseable {

  private final ObjectName name;

  private ManagementBean(ObjectName name) {
    this.name = name;
  }

  /**
   * Registers a bean named after a store's directory.
   *
   * @param figures implements a public interface whose name ends with {@code MXBean}
   */
  public static ManagementBean register(Object figures, Path directory) {
    try {
      ObjectName name =
          new ObjectName(
              "io.howdah:type=Store,directory="
                  + ObjectName.quote(directory.toAbsolutePath().normalize().toString()));
      server().registerMBean(figures, name);
      return new ManagementBean(name);
    } catch (JMException e) {
      throw new UnsupportedStoreException("no JMX bean for " + directory + ": " + e.getMessage());
    }
  }

  private static MBeanServer server() {
    return ManagementFactory.getPlatformMBeanServer();
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
