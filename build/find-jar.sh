# Sourced: finds the jar of a module among what a build has left.

# find_jar FOLDER NAME: prints the jar of the module NAME in FOLDER. A published build leaves jars of sources
# and of Javadoc beside it.
find_jar() {
  local each
  for each in "$1/$2"-*.jar; do
    case $each in
      *-sources.jar | *-javadoc.jar | *-tests.jar) ;;
      *) [ -f "$each" ] && printf '%s\n' "$each" && return ;;
    esac
  done
  return 1
}
