import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.ImportOrderer;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Formats every Java source below a folder, or checks that it is formatted: {@code check|write
 * ROOT}.
 */
final class FormatJava {
  public static void main(String[] args) throws IOException {
    boolean write = args[0].equals("write");
    Path root = Path.of(args[1]);
    AtomicBoolean failed = new AtomicBoolean();
    sources(root).parallelStream()
        .forEach(
            file -> {
              try {
                String before = Files.readString(file);
                String after = format(before);
                if (after.equals(before)) {
                  return;
                }
                if (write) {
                  Files.writeString(file, after);
                } else {
                  System.err.println("not formatted: " + root.relativize(file));
                  failed.set(true);
                }
              } catch (IOException | FormatterException e) {
                System.err.println(root.relativize(file) + ": " + e.getMessage());
                failed.set(true);
              }
            });
    if (failed.get()) {
      System.err.println("run ./format");
      System.exit(1);
    }
  }

  private static String format(String source) throws FormatterException {
    String imports =
        RemoveUnusedImports.removeUnusedImports(
            ImportOrderer.reorderImports(source, JavaFormatterOptions.Style.GOOGLE));
    return new Formatter().formatSource(imports);
  }

  private static List<Path> sources(Path root) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            String name = folder.getFileName().toString();
            boolean skipped =
                !folder.equals(root) && (name.startsWith(".") || name.equals("target"));
            return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".java")) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }
}
