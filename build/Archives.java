import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/**
 * Packs a folder as .tar.gz and as .zip whose bytes depend on the files' names and contents alone.
 *
 * <p>Arguments: the folder above, the name of the folder, and the time that all files get. The
 * JVM's time zone must be UTC, since a zip has local times.
 */
final class Archives {

  private static final int BLOCK = 512;
  private static final String PROGRAM = "bin/";

  private final Path folder;
  private final List<Path> files;
  private final Instant moment;

  private Archives(Path folder, List<Path> files, Instant moment) {
    this.folder = folder;
    this.files = files;
    this.moment = moment;
  }

  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]).toAbsolutePath();
    Path root = folder.resolve(args[1]);
    List<Path> files;
    try (Stream<Path> all = Files.walk(root)) {
      files = all.filter(Files::isRegularFile).sorted().toList();
    }
    Archives archives = new Archives(folder, files, Instant.parse(args[2]));
    archives.zip(folder.resolve(args[1] + ".zip"));
    archives.tar(folder.resolve(args[1] + ".tar.gz"));
  }

  /** Returns the name in an archive; its first folder is the packed one. */
  private String name(Path file) {
    return folder.relativize(file).toString();
  }

  private static boolean isProgram(String name) {
    return name.substring(name.indexOf('/') + 1).startsWith(PROGRAM);
  }

  private void zip(Path archive) throws IOException {
    Files.deleteIfExists(archive);
    FileTime time = FileTime.from(moment);
    Map<String, ?> options = Map.of("create", "true", "enablePosixFileAttributes", "true");
    try (FileSystem zip =
        FileSystems.newFileSystem(URI.create("jar:" + archive.toUri()), options)) {
      for (Path file : files) {
        String name = name(file);
        Path entry = zip.getPath(name);
        Files.createDirectories(entry.getParent());
        Files.write(entry, Files.readAllBytes(file));
        Files.setPosixFilePermissions(
            entry, PosixFilePermissions.fromString(isProgram(name) ? "rwxr-xr-x" : "rw-r--r--"));
      }
      try (Stream<Path> all = Files.walk(zip.getPath("/"))) {
        for (Path entry : all.filter(each -> each.getNameCount() > 0).toList()) {
          if (Files.isDirectory(entry)) {
            Files.setPosixFilePermissions(entry, PosixFilePermissions.fromString("rwxr-xr-x"));
          }
          Files.getFileAttributeView(entry, BasicFileAttributeView.class)
              .setTimes(time, time, time);
        }
      }
    }
  }

  private void tar(Path archive) throws IOException {
    try (OutputStream out =
        new GZIPOutputStream(new BufferedOutputStream(Files.newOutputStream(archive)))) {
      for (Path file : files) {
        byte[] bytes = Files.readAllBytes(file);
        out.write(header(name(file), bytes.length));
        out.write(bytes);
        out.write(new byte[Math.floorMod(-bytes.length, BLOCK)]);
      }
      out.write(new byte[2 * BLOCK]);
    }
  }

  /** Returns the header of a file in the format ustar (POSIX.1-1988). */
  private byte[] header(String name, long length) {
    if (name.length() > 100) {
      throw new IllegalArgumentException("a name has at most 100 characters: " + name);
    }
    byte[] header = new byte[BLOCK];
    put(header, 0, name);
    put(header, 100, isProgram(name) ? "0000755" : "0000644");
    put(header, 108, "0000000"); // user
    put(header, 116, "0000000"); // group
    put(header, 124, "%011o".formatted(length));
    put(header, 136, "%011o".formatted(moment.getEpochSecond()));
    Arrays.fill(header, 148, 156, (byte) ' ');
    put(header, 156, "0"); // a file
    put(header, 257, "ustar\0" + "00");
    int sum = 0;
    for (byte each : header) {
      sum += each & 0xFF;
    }
    put(header, 148, "%06o\0 ".formatted(sum));
    return header;
  }

  private static void put(byte[] header, int at, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(bytes, 0, header, at, bytes.length);
  }
}
