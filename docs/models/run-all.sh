#!/usr/bin/env bash
# Runs every model, every mutation and every litmus test, and exits 1 if a claim that must hold is broken, or a
# mutation that must break one does not.
#
#   run-all.sh           everything: about 5 minutes, up to 6 GB of memory
#   run-all.sh --quick   smaller bounds: under a minute, under 1 GB; for CI
#
# Needs g++ and python3. -v also prints the shortest counterexample of each mutation.
set -u
cd "$(dirname "$0")"

quick=false
trace=
for arg in "$@"; do
  case $arg in
    --quick) quick=true ;;
    -v) trace=-t ;;
    *) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
done

# What one program's states took serves the next's: the system's work on fresh pages is a quarter of the time else.
export MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=4000000000

bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
build() { # NAME SOURCE [FLAGS]
  local out=$1 source=$2
  shift 2
  g++ -std=c++17 -O3 -Wall -Wextra -Werror "$@" -o "$bin/$out" "$source" || exit 2
}
for model in dlog tl2 table nodes ckpt generations ring cuts gate wake summary warm; do build $model $model.cpp; done
build dlog3 dlog.cpp -DLANES=3
build dlogp dlog.cpp -DMULTIPART
$quick || build cuts5 cuts.cpp -DNT=5
build generations3 generations.cpp -DNID=3

passed=0 failed=0
verdict() { # WANTED MODEL [ARGUMENTS]
  local wanted=$1 out code
  shift
  out=$(nice "$bin/$1" "${@:2}" 2>&1)
  code=$?
  printf '%s\n' "$out"
  if [ $code -eq "$wanted" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "    <-- UNEXPECTED: exit code $code, wanted $wanted: $*"
  fi
}
holds() { verdict 0 "$@"; }
breaks() { verdict 1 "$@" $trace; }
each() { # MODEL MUTATIONS [ARGUMENTS]
  local model=$1 m
  for m in $2; do breaks "$model" -m "$m" "${@:3}"; done
}

# Random programs that some claims are tried on.
few=40
$quick && few=10

echo "== must hold"
holds ring
holds ring -m countUnchecked
holds ring -len -m zeroNext
holds gate
holds table
holds wake
holds wake -m spinFirst
holds summary -n $few
holds summary -n $few -m stableIsL0 # the check of the cut does the rest
if $quick; then
  holds warm -kills 1 -n 1 -s 2
else
  holds warm -n 1 -s 2
  holds warm -kills 1 -n 2
fi
holds warm -copy -kills 1 -n 1 -s 2
holds warm -kills 1 -n 1 -s 2 -m namedBeforeOwned # no commit begins before both
for m in noReread relaxedPoll; do holds wake -m $m; done # the queue keeps the flusher awake
for m in partsAfterLock partsAfterLsn; do holds dlogp -N 2 -n $few -m $m; done
holds dlogp -shared -N 2 -n $((few / 2))
if $quick; then
  holds dlog -N 2 -n 40
  holds dlog -shared -N 2 -n 20
  holds dlog3 -shared -noflush -nopower -N 4 -n 6
  holds ckpt -shared -parity -ck 1 -n 2
  holds dlogp -N 2 -n $few
  holds dlog3 -noflush -nopower -N 4 -n 6
  holds cuts
  holds tl2 -n 16
  holds nodes -n 21
  holds ckpt -ck 1 -n 2
  holds ckpt -parity -ck 1 -n 2
  holds ckpt -lines -parity -ck 1 -n 2
  holds ckpt -lines -garbage -parity -ck 1 -n 2
  holds generations3
else
  holds dlog -N 3 -n 40
  holds dlog -shared -N 3 -n 20
  holds dlog3 -shared -noflush -nopower -N 4 -n 40
  holds ckpt -shared -parity -n 4
  holds dlogp -N 3 -n 6
  holds dlog3 -noflush -nopower -N 4 -n 60
  holds cuts
  holds cuts5 -nofilter
  holds tl2 -n 900
  holds nodes -n 200
  holds ckpt -n 6
  holds ckpt -restart -n 4
  holds ckpt -parity -n 4
  holds ckpt -lines -parity -n 4
  holds ckpt -lines -garbage -parity -n 4
  holds ckpt -logdirty -m noDrain -n 4
  holds generations
fi

echo "== must break"
each ring "tailBeforeWords checkBeforeLease freeAtCopy forcedAtCopy scanFromZero noDedupe dedupeByLsn groupUnchecked
  releaseBetweenParts commitFirst noRoomForCommit dedupeByLsn,countUnchecked"
breaks ring -len
each gate "gateBeforeLease noGate noWait openBeforeCommit laneBeforeGate irrevocableIgnoresHold opensHeldGate holdsOnce
  swapsBlindly"
each table "noRecheck recheckFirst ignoreDepth storesFirst dropSilently"
breaks table -m extendNoValidate -s 28
each wake "noRecheck lookBeforeQueue heapForgotten queueBeforeStable"
each summary "beforeStable noDrain L1isL0 mapBeforeDrain noBinding lastBatchUnforced" -n 12
each warm "applyingAfterPublication clearedBeforeStores clearedBeforeMarks appliedByTheRing redoFromTheRingOnly redoNotMarked
  oneMapOnly clearedBeforeItCounts nonceNotCompared closeNamesAnyMemory resetBeforeTheFence redoLast" -n 6 -s 2
breaks warm -copy -kills 1 -m clearedForNotSet -n 6 -s 2
each dlogp "partsInOtherLane commitBeforeParts partGroupAsLsn partIndexAsDep" -N 2 -n 40
each dlog "clockAfterInflight tailsBeforeInflight announceAfterTake withdrawBeforePublish noVoid noValidate
  depAgainstHomeLane ackWithoutDep stableBeforeSecondForce stableIsClock readOnlyWithoutDep" -n 40 -N 3 -nokill
breaks dlog -m noTaint -s 10 -n 31 -N 3 -nokill
each dlog "noAppendLock unlockBeforeWithdraw" -shared -n 12 -N 3 -nokill
each ckpt drainByFlushers -shared -parity -n 6
breaks dlog -m onlyFlagged -s 4 -n 37 -N 3 -nokill
breaks dlog3 -noflush -nopower -killDensity -N 4 -n 60
breaks dlog3 -noflush -nopower -m releaseBeforePublish -N 4 -n 20
breaks dlog3 -noflush -nopower -oneRingLost -N 4 -n 20
each cuts "noTaint noOverwriteDep"
each tl2 "lsnAfterValidate skipTooEager extendClockAfter extendNoValidate noVersionCheck noReread readIgnoresLock
  validateIgnoresLock validateOwnLockBlind" -n 60
each nodes "noSecondLook leafNotNoted innerKept noDead earlierRowWins rowsInOwnPage" -n 40
breaks nodes -m noStripes -s 49 -n 1
each ckpt "noDrain L0isClock L0afterCopy L1isL0 headerEarly noJournalForce noHeaderForce foldBeforeHeader noFoldForce
  trimL1 stampOnlyEqual headerBeforeFoldDone" -n 12
breaks ckpt -m stampBeforeData -s 12 -n 1
each ckpt noRemark -restart -n 6
each ckpt oldMapOnly -parity -n 6
each ckpt pageSumUnchecked -lines -garbage -parity -n 12
each ckpt "noJournalForce foldBeforeHeader noFoldForce headerBeforeFoldDone" -lines -parity -n 12
each generations3 "singleRecord noLogForce noRecordForce noRecord noGeneration baseIsCut noRelog densityAfterKill"

echo "== litmus tests"
if python3 -B litmus/run.py; then passed=$((passed + 1)); else failed=$((failed + 1)); fi

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
