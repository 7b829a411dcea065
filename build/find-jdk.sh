# Sourced by shell scripts: find_jdk prints the home of a JDK 25, or returns 1. It starts no JVM, so that
# it costs a start script nothing.

is_jdk_25() {
  [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] && [ -f "$1/release" ] \
    && grep -q '^JAVA_VERSION="25[".]' "$1/release"
}

# Where Maven's toolchains plugin looks too, so both find the same JDKs.
jdk_candidates() {
  local variable java home=${HOME:-/nonexistent}
  printf '%s\n' "${JAVA_HOME:-}"
  for variable in $(compgen -e | grep -E '^(JAVA|JDK).*25.*|^JAVA.*_HOME$'); do
    printf '%s\n' "${!variable}"
  done
  if java=$(command -v java) && java=$(readlink -f "$java"); then
    printf '%s\n' "${java%/bin/java}"
  fi
  printf '%s\n' /usr/lib/jvm/* /usr/java/* /opt/* /opt/java/* "$home"/.sdkman/candidates/java/* \
    "$home"/.jdks/* "$home"/.asdf/installs/java/* /Library/Java/JavaVirtualMachines/*/Contents/Home
  [ -f "$home/.m2/toolchains.xml" ] \
    && sed -n 's:.*<jdkHome>\(.*\)</jdkHome>.*:\1:p' "$home/.m2/toolchains.xml"
}

find_jdk() {
  local candidate
  while IFS= read -r candidate; do
    if [ -n "$candidate" ] && is_jdk_25 "$candidate"; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done < <(jdk_candidates 2>/dev/null) # which complains of a closed pipe where SIGPIPE is ignored
  return 1
}
