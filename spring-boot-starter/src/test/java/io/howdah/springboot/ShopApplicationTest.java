package io.howdah.springboot;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreBackups;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An application is started, killed and started again, as in operation. */
@Timeout(600)
final class ShopApplicationTest {

  private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  @TempDir private Path folder;

  private static List<String> ids(String answer) {
    return ID.matcher(answer).results().map(MatchResult::group).sorted().toList();
  }

  @Test
  void whatWasAnsweredIsThereAfterAKill() throws Exception {
    Path store = folder.resolve("shop");
    List<String> ordered = new ArrayList<>();
    try (ShopProcess shop = ShopProcess.start(folder, store)) {
      assertThat(shop.isAlive()).as(shop.output()).isTrue();
      for (int i = 0; i < 20; i++) {
        ordered.addAll(ids(shop.send("POST", "/orders/alice", null)));
      }
      assertThat(ordered).hasSize(40);
      tellsWhoHasTheStore(store);
      observes(shop);
      changes(shop, store);
      shop.kill();
    }
    try (ShopProcess shop = ShopProcess.start(folder, store)) {
      String answer = shop.send("GET", "/orders/alice", null);
      assertThat(ids(answer)).containsExactlyInAnyOrderElementsOf(ordered);
      assertThat(shop.errors()).as("no new warning").isEmpty();
      assertThat(shop.output()).doesNotContain("WARN").doesNotContain("ERROR");
      assertThat(shop.stop()).isEqualTo(143);
    }
    try (Store closed = Store.open(store)) {
      assertThat(closed.admin().lastStop())
          .as("the end by SIGTERM was a close")
          .hasToString("CLEAN");
    }
  }

  /** A second instance ends, and its first line of explanation names the first one. */
  private void tellsWhoHasTheStore(Path store) throws Exception {
    try (ShopProcess second = ShopProcess.start(folder, store)) {
      assertThat(second.isAlive()).isFalse();
      List<String> lines = second.output().lines().toList();
      int description = lines.indexOf("Description:");
      assertThat(description).as(second.output()).isPositive();
      assertThat(lines.get(description + 2))
          .startsWith("store \"shop\" in " + store + " was not opened")
          .contains("is open elsewhere, by ");
      int action = lines.indexOf("Action:");
      assertThat(lines.get(action + 2)).startsWith("End the process that has the store open");
    }
  }

  private static void observes(ShopProcess shop) throws Exception {
    assertThat(shop.send("GET", "/actuator/health", null))
        .startsWith("200 ")
        .contains("\"howdah\"")
        .contains("\"stableLsn\"")
        .contains("\"oldestUnstableMillis\"");
    assertThat(shop.send("GET", "/actuator/prometheus", null))
        .contains("howdah_commits_total{store=\"shop\",type=\"write\"}")
        .contains("howdah_commits_unstable_age_seconds{store=\"shop\"}");
    assertThat(shop.send("GET", "/actuator/howdah", null)).contains("[\"shop\"]");
    assertThat(shop.send("GET", "/actuator/howdah/shop", null)).contains("\"stableLsn\"");
    assertThat(shop.send("GET", "/actuator/howdah/none", null)).startsWith("404 ");
  }

  private void changes(ShopProcess shop, Path store) throws Exception {
    assertThat(shop.send("POST", "/actuator/howdah/shop/checkpoint", "{}"))
        .startsWith("200 ")
        .contains("\"lsn\"");
    assertThat(shop.send("POST", "/actuator/howdah/shop/backup", "{\"name\":\"monday\"}"))
        .startsWith("200 ")
        .contains("\"lsn\"");
    Path backup = folder.resolve("backups/monday");
    assertThat(StoreBackups.isBackup(backup)).isTrue();
    for (String name : List.of("monday", "../shop", "..", "a/b", "")) {
      assertThat(
              shop.send(
                  "POST", "/actuator/howdah/shop/backup", "{\"name\":\"%s\"}".formatted(name)))
          .as(name)
          .startsWith("400 ");
    }
    assertThat(shop.send("POST", "/actuator/howdah/shop/archive", "{}"))
        .startsWith("400 ")
        .contains("no archive");
    assertThat(shop.send("POST", "/actuator/howdah/shop/drop", "{}")).startsWith("400 ");
    assertThat(store).isDirectory();
  }
}
