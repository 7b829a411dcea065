package io.howdah.verify.command;

/** Stands for the command: prints its arguments, one on each line, and ends with exit code 3. */
final class EchoMain {

  static final int EXIT_CODE = 3;

  private EchoMain() {}

  public static void main(String[] arguments) {
    for (String argument : arguments) {
      System.out.println(argument);
    }
    System.exit(EXIT_CODE);
  }
}
