package io.howdah.peers;

import io.howdah.jmh.workload.ScalaStm;
import io.howdah.jmh.workload.SixRefs;
import io.howdah.jmh.workload.ThreadTeam;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * A JVM with six random words in ScalaSTM. It prints {@link ScalaStm#READY}, reads a request a line
 * and answers each with a line: {@code run THREADS NANOS} with the transactions and the elapsed
 * nanoseconds, {@code verify} with all transactions so far. It ends with its input.
 */
public final class StmMain {

  private StmMain() {}

  /**
   * Runs.
   *
   * @param args the number of words
   */
  public static void main(String[] args) throws IOException {
    PrintStream answers = System.out;
    System.setOut(System.err); // what libraries print is no answer
    SixRefs words = new SixRefs(new ScalaStmMemory(Integer.parseInt(args[0])));
    answers.println(ScalaStm.READY);
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      String answer;
      try {
        answer = answer(words, line.split(" ", -1));
      } catch (Exception e) {
        answer = ScalaStm.FAILED + String.valueOf(e).lines().findFirst().orElse("");
      }
      answers.println(answer);
      answers.flush();
    }
  }

  private static String answer(SixRefs words, String[] request) throws Exception {
    return switch (request[0]) {
      case "run" -> {
        ThreadTeam.Outcome outcome =
            words.run(Integer.parseInt(request[1]), Long.parseLong(request[2]));
        yield outcome.operations() + " " + outcome.nanos();
      }
      case "verify" -> Long.toString(words.verify());
      default -> throw new IllegalArgumentException("no such request: " + request[0]);
    };
  }
}
