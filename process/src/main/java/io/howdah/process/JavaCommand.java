package io.howdah.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command line of a JVM, of the JDK that runs this one.
 *
 * @param flags for the JVM
 * @param classPath its class path
 * @param mainClass full name of the class that it runs
 * @param arguments of that class
 */
public record JavaCommand(
    List<String> flags, String classPath, String mainClass, List<String> arguments) {

  /** Copies the lists. */
  public JavaCommand {
    flags = List.copyOf(flags);
    arguments = List.copyOf(arguments);
  }

  /** Returns the command line of a JVM with the class path of this one. */
  public static JavaCommand of(List<String> flags, Class<?> mainClass, List<String> arguments) {
    return new JavaCommand(flags, ownClassPath(), mainClass.getName(), arguments);
  }

  /** Returns the class path of this JVM. */
  public static String ownClassPath() {
    return System.getProperty("java.class.path");
  }

  /** Returns the program and its arguments. */
  public List<String> words() {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(flags);
    words.addAll(List.of("-cp", classPath, mainClass));
    words.addAll(arguments);
    return words;
  }

  /** Returns a builder of the process; input and output are still to be chosen. */
  public ProcessBuilder builder() {
    return new ProcessBuilder(words());
  }
}
