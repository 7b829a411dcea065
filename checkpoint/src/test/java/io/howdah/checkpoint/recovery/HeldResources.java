package io.howdah.checkpoint.recovery;

import io.howdah.core.Region;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.testkit.disk.ForwardingRegion;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/** A storage that knows which of its files, regions and places are open. Thread-safe. */
final class HeldResources {

  private final Set<String> held = new ConcurrentSkipListSet<>();
  private final Storage storage;
  private int count;

  /** Creates one in front of another storage. */
  HeldResources(Storage target) {
    this.storage = wrapped(target, "");
  }

  private Storage wrapped(Storage target, String name) {
    return (Storage)
        Proxy.newProxyInstance(
            Storage.class.getClassLoader(),
            new Class<?>[] {Storage.class},
            (_, method, arguments) -> {
              if (method.getName().equals("close")) {
                held.remove(name);
              }
              Object result = call(target, method, arguments);
              return switch (result) {
                case StorageFile file -> counted(file);
                case Region region -> new Counted(region, name(method.getName()));
                case Optional<?> place when place.orElse(null) instanceof Storage inner ->
                    Optional.of(wrapped(inner, name(inner.describe())));
                case null, default -> result;
              };
            });
  }

  private synchronized String name(String what) {
    String name = what + " #" + ++count;
    held.add(name);
    return name;
  }

  private StorageFile counted(StorageFile file) {
    String name = name(file.describe());
    return (StorageFile)
        Proxy.newProxyInstance(
            StorageFile.class.getClassLoader(),
            new Class<?>[] {StorageFile.class},
            (_, method, arguments) -> {
              if (method.getName().equals("close")) {
                held.remove(name);
              }
              return call(file, method, arguments);
            });
  }

  private static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  private final class Counted extends ForwardingRegion {

    private final String name;

    Counted(Region region, String name) {
      super(region);
      this.name = name;
    }

    @Override
    public void close() {
      held.remove(name);
      super.close();
    }
  }

  /** Returns the storage. */
  Storage storage() {
    return storage;
  }

  /** Returns what is open. */
  Set<String> held() {
    return held;
  }
}
