package io.howdah.crashtest.mutate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In a small work tree of git. */
final class ChangedClassesTest {

  @TempDir private Path root;

  @BeforeEach
  void commit() throws Exception {
    write("log/src/main/java/a/Kept.java", "1");
    write("log/src/main/java/a/Changed.java", "1");
    write("log/src/main/java/a/Gone.java", "1");
    write("txn/src/main/java/b/Elsewhere.java", "1");
    git("init", "-q");
    git("add", ".");
    git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "first");
  }

  @Test
  void changedAndNewClassesAreNamed() throws Exception {
    assertThat(ChangedClasses.since(root, "HEAD", "log")).isEmpty();
    write("log/src/main/java/a/Changed.java", "2");
    write("log/src/main/java/a/b/New.java", "1");
    write("log/src/main/java/a/package-info.java", "1");
    write("log/src/main/java/a/notes.txt", "1");
    write("log/src/test/java/a/ChangedTest.java", "1");
    write("txn/src/main/java/b/Elsewhere.java", "2");
    Files.delete(root.resolve("log/src/main/java/a/Gone.java"));
    assertThat(ChangedClasses.since(root, "HEAD", "log")).containsExactly("a.Changed", "a.b.New");
    assertThat(ChangedClasses.since(root, "HEAD", "txn")).containsExactly("b.Elsewhere");
  }

  @Test
  void whatGitSaysIsHandedOn() {
    assertThatThrownBy(() -> ChangedClasses.since(root, "no-such-revision", "log"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no-such-revision");
    assertThatThrownBy(() -> ChangedClasses.since(root, "--output=x", "log"))
        .isInstanceOf(IOException.class);
    assertThat(root.resolve("x")).doesNotExist();
  }

  @Test
  void testsOfTheSamePackagesJudge() throws Exception {
    write("log/src/test/java/a/ChangedTest.java", "1");
    write("log/src/test/java/a/Helper.java", "1");
    write("log/src/test/java/a/c/OtherTest.java", "1");
    assertThat(ChangedClasses.testsBeside(root, "log", List.of("a.Changed", "a.b.New")))
        .containsExactly("a.ChangedTest");
    assertThat(ChangedClasses.testsBeside(root, "log", List.of("a.c.Any", "a.Changed")))
        .containsExactly("a.ChangedTest", "a.c.OtherTest");
  }

  @Test
  void testsThatHaveChangedOrAreNewJudge() throws Exception {
    write("store/src/test/java/a/OldTest.java", "1");
    write("store/src/test/java/a/KeptTest.java", "1");
    git("add", ".");
    git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "tests");
    assertThat(ChangedClasses.testsSince(root, "HEAD", "store")).isEmpty();
    write("store/src/test/java/a/OldTest.java", "2");
    write("store/src/test/java/b/NewTest.java", "1");
    write("store/src/test/java/b/Helper.java", "1");
    write("log/src/test/java/a/OtherTest.java", "1");
    assertThat(ChangedClasses.testsSince(root, "HEAD", "store"))
        .containsExactly("a.OldTest", "b.NewTest");
    assertThat(ChangedClasses.testsSince(root, "HEAD~1", "store"))
        .containsExactly("a.KeptTest", "a.OldTest", "b.NewTest");
  }

  private void write(String name, String content) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  private void git(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    assertThat(new ProcessBuilder(command).directory(root.toFile()).inheritIO().start().waitFor())
        .isZero();
  }
}
