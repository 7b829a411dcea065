package shop;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program checks its own result. */
final class ShopTest {

  @TempDir private Path folder;

  @Test
  void theProgramFindsWhatItHasLeft() {
    ShopKt.main(new String[] {folder.resolve("store").toString()});
  }
}
