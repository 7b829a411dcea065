package io.howdah.archive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Names of the objects of an archive. */
final class ArchiveNamesTest {

  @Test
  void aNameIsReadAsItWasMade() {
    assertThat(ArchiveNames.part(ArchiveNames.base(12, 0xfedc_ba98L, 3)))
        .hasValue(new ArchiveNames.Part(12, 0xfedc_ba98, true, 3));
    assertThat(ArchiveNames.part(ArchiveNames.log(1, -1, 99_999_999)))
        .hasValue(new ArchiveNames.Part(1, -1, false, 99_999_999));
    assertThat(ArchiveNames.part("store.howdah")).isEmpty();
  }

  /** Otherwise an archive of such a machine has names that nothing reads. */
  @Test
  @ResourceLock(Resources.LOCALE)
  void namesDoNotDependOnTheLocale() {
    Locale former = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG"));
    try {
      assertThat(ArchiveNames.base(12, 5, 3)).isEqualTo("00000012-00000005.base.00000003");
    } finally {
      Locale.setDefault(former);
    }
  }

  @Test
  void namesAreInTheOrderOfRuns() {
    String older = ArchiveNames.log(1, 0x7fff_ffffL, 9);
    assertThat(ArchiveNames.run(older)).isLessThan(ArchiveNames.run(ArchiveNames.base(1, -1, 1)));
    assertThat(ArchiveNames.run(older)).isLessThan(ArchiveNames.run(ArchiveNames.base(2, 0, 1)));
    assertThat(ArchiveNames.run(older))
        .isEqualTo(ArchiveNames.run(ArchiveNames.base(1, 0x7fff_ffffL, 1)));
  }
}
