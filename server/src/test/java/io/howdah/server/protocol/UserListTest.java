package io.howdah.server.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class UserListTest {

  private static boolean isAllowed(Authenticator users, String user, String password) {
    return users.isAllowed(
        user.getBytes(StandardCharsets.UTF_8), password.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void usersArePairsOfNameAndPassword() {
    Authenticator users = UserList.of(List.of("ann:secret", "", "bob:with:colon "));
    assertThat(isAllowed(users, "ann", "secret")).isTrue();
    assertThat(isAllowed(users, "bob", "with:colon")).isTrue();
    assertThat(isAllowed(users, "ann", "with:colon")).isFalse();
    assertThat(isAllowed(users, "ann", "secre")).isFalse();
    assertThat(isAllowed(users, "anns", "ecret")).isFalse();
    assertThat(isAllowed(users, "", "")).isFalse();
  }

  @Test
  void aBadLineIsRefusedAndNotShown() {
    for (String line : List.of("secret", ":secret", "secret:", "u:" + "x".repeat(2000))) {
      assertThatThrownBy(() -> UserList.of(List.of(line)))
          .isInstanceOf(IllegalArgumentException.class)
          .message()
          .doesNotContain("secret:", ":secret", "xxx");
    }
    assertThatThrownBy(() -> UserList.of(List.of(" ")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
