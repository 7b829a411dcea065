/** Charts as SVG and PNG: lines, points, bands and bars. It knows nothing of what it draws. */
module io.howdah.plot {
  requires java.desktop;
  requires static org.jspecify;

  exports io.howdah.plot;
}
