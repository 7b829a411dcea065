package io.howdah;

import io.howdah.core.storage.StorageFile;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Storages of tests that are told of each call. */
final class Watched {

  private Watched() {}

  /** What is done before a call. */
  interface Watch {
    void before(String method) throws Exception;
  }

  /** Passes calls on, after an action that gets the method's name. */
  static <T> T port(Class<T> port, T passedTo, Watch watch) {
    return port.cast(
        Proxy.newProxyInstance(
            port.getClassLoader(),
            new Class<?>[] {port},
            (_, method, arguments) -> {
              watch.before(method.getName());
              Object result;
              try {
                result = method.invoke(passedTo, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              return result instanceof StorageFile file
                  ? port(StorageFile.class, file, watch)
                  : result;
            }));
  }
}
