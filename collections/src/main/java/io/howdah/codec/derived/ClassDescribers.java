package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** The describers that are there. They are looked for once, when a codec first needs one. */
final class ClassDescribers {

  private static final List<ClassDescriber> FOUND =
      ServiceLoader.load(ClassDescriber.class, Codec.class.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get)
          .toList();

  private ClassDescribers() {}

  /** Returns what the first of them says that knows a class. */
  static Optional<ClassDescription> describe(Class<?> type) {
    return FOUND.stream().flatMap(each -> each.describe(type).stream()).findFirst();
  }
}
