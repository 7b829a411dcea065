package io.howdah.nvmsim.trace;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A place in a program, so that a report can name the source line behind a persist. The registry is
 * shared by the whole process, holds at most {@link Event#MAX_SITES} sites, and is safe for any
 * thread. Identifiers depend on the order of class loading; trace files renumber them.
 *
 * @param id index for {@link #of}
 * @param file source file, empty if unknown
 * @param line line in it, 0 if unknown
 * @param what what the program does there
 */
public record Site(int id, String file, int line, String what) {
  /** The site of an event whose place is not known. */
  public static final Site UNKNOWN = new Site(0, "", 0, "");

  private static final StackWalker WALKER = StackWalker.getInstance();
  private static final List<Site> SITES = new ArrayList<>(List.of(UNKNOWN));
  private static final Map<String, Site> BY_PLACE = new HashMap<>();

  /** Registers the caller's own line; the same line and text always give the same site. */
  public static int here(String what) {
    StackWalker.StackFrame frame = WALKER.walk(frames -> frames.skip(1).findFirst()).orElseThrow();
    String file = frame.getFileName();
    return at(file == null ? "" : file, Math.max(0, frame.getLineNumber()), what);
  }

  /** Registers a place by name, as a trace file does. */
  public static int at(String file, int line, String what) {
    String key = file + ':' + line + ':' + what;
    synchronized (SITES) {
      Site known = BY_PLACE.get(key);
      if (known != null) {
        return known.id;
      }
      if (SITES.size() >= Event.MAX_SITES) {
        return 0;
      }
      Site site = new Site(SITES.size(), file, line, what);
      SITES.add(site);
      BY_PLACE.put(key, site);
      return site.id;
    }
  }

  /** The site with this identifier, {@link #UNKNOWN} if there is none. */
  public static Site of(int id) {
    synchronized (SITES) {
      return id >= 0 && id < SITES.size() ? SITES.get(id) : UNKNOWN;
    }
  }

  @Override
  public String toString() {
    if (id == 0) {
      return "?";
    }
    return what.isEmpty() ? file + ":" + line : what + " (" + file + ":" + line + ")";
  }
}
