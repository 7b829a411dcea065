package io.howdah.cli.command;

import picocli.CommandLine.IVersionProvider;

/** The version of the program, as {@code -V} prints it: from the jar's manifest. */
public final class HowdahVersion implements IVersionProvider {

  /** Makes one, for the command line. */
  public HowdahVersion() {}

  @Override
  public String[] getVersion() {
    String version = HowdahVersion.class.getPackage().getImplementationVersion();
    return new String[] {
      "howdah " + (version == null ? "(unpackaged)" : version),
      "commit " + BuildIdentity.commit(),
      "JVM " + Runtime.version()
    };
  }
}
