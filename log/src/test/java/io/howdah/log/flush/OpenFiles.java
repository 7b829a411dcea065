package io.howdah.log.flush;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A storage that knows which of its files are open. Thread-safe. */
public final class OpenFiles {

  private final Set<String> open = ConcurrentHashMap.newKeySet();
  private final Storage storage;
  private int count;

  /** Creates one in front of another storage. */
  public OpenFiles(Storage target) {
    this.storage =
        (Storage)
            Proxy.newProxyInstance(
                Storage.class.getClassLoader(),
                new Class<?>[] {Storage.class},
                (_, method, arguments) -> {
                  Object result = call(target, method, arguments);
                  return result instanceof StorageFile file ? counted(file) : result;
                });
  }

  private synchronized StorageFile counted(StorageFile file) {
    String name = file.describe() + " #" + ++count;
    open.add(name);
    return (StorageFile)
        Proxy.newProxyInstance(
            StorageFile.class.getClassLoader(),
            new Class<?>[] {StorageFile.class},
            (_, method, arguments) -> {
              if (method.getName().equals("close")) {
                open.remove(name);
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

  /** Returns the storage. */
  public Storage storage() {
    return storage;
  }

  /** Returns the files that are open. */
  public Set<String> open() {
    return open;
  }
}
