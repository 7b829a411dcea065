package io.howdah.codec.derived;

import java.util.Optional;

/**
 * Says what the classes of a language consist of that Java's reflection does not show, so that
 * codecs are derived from them as they are from records. A service: each implementation on the
 * class path of Howdah is asked ({@link java.util.ServiceLoader}), those of records, enums and the
 * types that Howdah knows apart. Implementations are thread-safe. {@code howdah-kotlin} has the one
 * for Kotlin.
 */
@FunctionalInterface
public interface ClassDescriber {

  /**
   * Returns what a class consists of; empty if it is none of the language, or nothing that has a
   * codec. The answer for a class does not change.
   *
   * @throws io.howdah.codec.CodecException if the class should have a codec and cannot; names it
   */
  Optional<ClassDescription> describe(Class<?> type);
}
