package io.howdah.store.admin;

import io.howdah.core.UnsupportedStoreException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import javax.management.InstanceAlreadyExistsException;
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
   * Registers a bean named after a store's directory. A store that several openings of this process
   * read has a bean for each; from the second one on the name has a number.
   *
   * @param figures a bean as JMX defines it
   */
  public static ManagementBean register(Object figures, Path directory) {
    try {
      String name =
          "io.howdah:type=Store,directory="
              + ObjectName.quote(directory.toAbsolutePath().normalize().toString());
      for (int opening = 1; ; opening++) {
        ObjectName each = new ObjectName(opening == 1 ? name : name + ",opening=" + opening);
        if (isRegistered(figures, each)) {
          return new ManagementBean(each);
        }
      }
    } catch (JMException e) {
      throw new UnsupportedStoreException("no JMX bean for " + directory + ": " + e.getMessage());
    }
  }

  /** Registers a bean, unless another opening has one of the name. */
  private static boolean isRegistered(Object figures, ObjectName name) throws JMException {
    try {
      server().registerMBean(figures, name);
      return true;
    } catch (InstanceAlreadyExistsException e) {
      return false;
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
