package howdah;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.zip.CRC32;
import org.pitest.bytecode.analysis.ClassTree;
import org.pitest.mutationtest.build.InterceptorParameters;
import org.pitest.mutationtest.build.InterceptorType;
import org.pitest.mutationtest.build.MutationInterceptor;
import org.pitest.mutationtest.build.MutationInterceptorFactory;
import org.pitest.mutationtest.engine.Mutater;
import org.pitest.mutationtest.engine.MutationDetails;
import org.pitest.plugin.Feature;

/**
 * An extension of pitest that leaves mutants out: it keeps those that are listed in the file that
 * the system property {@code howdah.open} names, one a line, and all mutants if it is not set. Of
 * these it keeps a sample, if {@code howdah.sample} has a part of one million and a seed, joined by
 * a comma: whether a mutant is in it depends on its name and the seed alone. {@code howdah test
 * mutate} compiles it, as pitest is on no class path of the build.
 */
public final class OpenMutants implements MutationInterceptorFactory {

  private static final int MILLION = 1_000_000;

  /** Creates it, for pitest. */
  public OpenMutants() {}

  @Override
  public String description() {
    return "Howdah: judges again only what no test has noticed";
  }

  @Override
  public Feature provides() {
    return Feature.named("howdahopen").withOnByDefault(true).withDescription(description());
  }

  @Override
  public MutationInterceptor createInterceptor(InterceptorParameters parameters) {
    String file = System.getProperty("howdah.open");
    try {
      String[] sample = System.getProperty("howdah.sample", MILLION + ",0").split(",", -1);
      return new Filter(
          file == null ? null : Set.copyOf(Files.readAllLines(Path.of(file))),
          Integer.parseInt(sample[0]),
          sample[1]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private record Filter(Set<String> open, int part, String seed) implements MutationInterceptor {

    @Override
    public InterceptorType type() {
      return InterceptorType.MODIFY_COSMETIC; // behind all filters: some of them join mutants
    }

    @Override
    public void begin(ClassTree tree) {}

    @Override
    public Collection<MutationDetails> intercept(
        Collection<MutationDetails> mutants, Mutater mutater) {
      return mutants.stream()
          .filter(mutant -> open == null || open.contains(name(mutant)))
          .filter(this::isInSample)
          .toList();
    }

    private boolean isInSample(MutationDetails mutant) {
      CRC32 hash = new CRC32();
      hash.update((seed + "\t" + name(mutant)).getBytes(StandardCharsets.UTF_8));
      return hash.getValue() % MILLION < part;
    }

    /** As {@code io.howdah.crashtest.mutate.Mutant.name} has it. */
    private static String name(MutationDetails mutant) {
      return String.join(
          "\t",
          mutant.getClassName().asJavaName(),
          mutant.getMethod(),
          Integer.toString(mutant.getLineNumber()),
          Integer.toString(mutant.getFirstIndex()),
          mutant.getDescription().replace('\t', ' ').replace('\n', ' '));
    }

    @Override
    public void end() {}
  }
}
