package howdah;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
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
 * the system property {@code howdah.open} names, one a line, and all mutants if it is not set.
 * {@code howdah test mutate} compiles it, as pitest is on no class path of the build.
 */
public final class OpenMutants implements MutationInterceptorFactory {

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
      return new Filter(file == null ? null : Set.copyOf(Files.readAllLines(Path.of(file))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private record Filter(Set<String> open) implements MutationInterceptor {

    @Override
    public InterceptorType type() {
      return InterceptorType.MODIFY_COSMETIC; // behind all filters: some of them join mutants
    }

    @Override
    public void begin(ClassTree tree) {}

    @Override
    public Collection<MutationDetails> intercept(
        Collection<MutationDetails> mutants, Mutater mutater) {
      return open == null
          ? mutants
          : mutants.stream().filter(mutant -> open.contains(name(mutant))).toList();
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
