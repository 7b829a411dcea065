package io.howdah.crashtest.kill;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** A storage whose forces do nothing: with it, a power cut must be seen to lose commits. */
public final class ForcelessStorage {

  private ForcelessStorage() {}

  /** Returns a storage over another one. */
  public static Storage over(Storage storage) {
    return over(Storage.class, storage);
  }

  private static <T> T over(Class<T> port, T target) {
    return port.cast(
        Proxy.newProxyInstance(
            port.getClassLoader(),
            new Class<?>[] {port},
            (_, method, arguments) -> call(target, method, arguments)));
  }

  private static @Nullable Object call(Object target, Method method, Object[] arguments)
      throws Throwable {
    if (method.getName().startsWith("force")) {
      return null;
    }
    Object result;
    try {
      result = method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
    return result instanceof StorageFile file ? over(StorageFile.class, file) : result;
  }
}
