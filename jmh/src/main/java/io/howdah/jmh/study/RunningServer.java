package io.howdah.jmh.study;

import io.howdah.jmh.process.ServerProcess;
import io.howdah.jmh.study.YcsbStudy.Load;
import io.howdah.jmh.ycsb.KeySpace;
import io.howdah.jmh.ycsb.LoadGenerator;
import io.howdah.jmh.ycsb.Values;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A server that runs, with its load and its folder. For one thread. */
record RunningServer(ServerSubject subject, ServerProcess process, LoadGenerator load, Path folder)
    implements AutoCloseable {

  /**
   * Starts servers, each with a folder in this one, and loads the records.
   *
   * @param running gets each one when its process runs; the caller closes them, whatever happens
   */
  static void start(
      Path folder,
      List<ServerSubject> subjects,
      Load load,
      StudyProgress progress,
      List<RunningServer> running)
      throws IOException, InterruptedException {
    for (ServerSubject subject : subjects) {
      progress.begins("%s: loading %,d records".formatted(subject.name(), load.records()));
      Path own = folder.resolve(subject.name());
      Files.createDirectories(own);
      ServerProcess process = subject.starter().start(own, load.serverThreads());
      RunningServer server =
          new RunningServer(subject, process, generator(subject, process, load), own);
      running.add(server);
      server.load.load();
    }
  }

  private static LoadGenerator generator(ServerSubject subject, ServerProcess process, Load load)
      throws InterruptedException {
    try {
      return new LoadGenerator(
          subject.protocol(),
          process.awaitListening().address(),
          new KeySpace(load.records(), KeySpace.Form.HASHED),
          new Values(load.valueBytes()),
          load.clientThreads(),
          load.connections());
    } catch (InterruptedException | RuntimeException e) {
      process.close();
      throw e;
    }
  }

  @Override
  public void close() {
    load.close();
    process.close();
  }
}
