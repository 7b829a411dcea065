package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

const limit = 10 * time.Second

// The files are those that the Java tests of HistoryFiles expect to be written.
func TestFilesOfTheExportAreJudged(t *testing.T) {
	counted := &tally{}
	if err := judgeFolder("testdata", limit, counted); err != nil {
		t.Fatal(err)
	}
	if !counted.isPassed() || counted.files != 2 || counted.linearizable != 2 ||
		counted.noticed != 1 || counted.attempts != 6 || counted.givenUp != 2 || counted.operations != 7 {
		t.Errorf("counted %+v", *counted)
	}
}

func TestAttemptsOnWords(t *testing.T) {
	wrote := `{"begin":0,"end":10,"committed":true,"reads":[],"writes":[[3,1],[4,2]]}`
	gaveUp := `{"begin":0,"end":10,"committed":false,"reads":[],"writes":[[3,1]]}`
	overwrote := `{"begin":20,"end":30,"committed":true,"reads":[],"writes":[[3,5]]}`
	cases := []struct {
		name  string
		lines []string
		want  porcupine.CheckResult
	}{
		{"reads what was committed", []string{wrote,
			`{"begin":20,"end":30,"committed":true,"reads":[[3,1]],"writes":[[3,5]]}`}, porcupine.Ok},
		{"reads the state before a commit under way", []string{wrote,
			`{"begin":5,"end":30,"committed":false,"reads":[[3,0],[4,0]],"writes":[]}`}, porcupine.Ok},
		{"dirty read", []string{gaveUp,
			`{"begin":5,"end":9,"committed":true,"reads":[[3,1]],"writes":[]}`}, porcupine.Illegal},
		{"stale read", []string{wrote,
			`{"begin":20,"end":30,"committed":true,"reads":[[3,0]],"writes":[]}`}, porcupine.Illegal},
		{"lost update", []string{
			`{"begin":0,"end":30,"committed":true,"reads":[[3,0]],"writes":[[3,1]]}`,
			`{"begin":0,"end":30,"committed":true,"reads":[[3,0]],"writes":[[3,2]]}`}, porcupine.Illegal},
		{"write skew", []string{
			`{"begin":0,"end":30,"committed":true,"reads":[[3,0],[4,0]],"writes":[[3,1]]}`,
			`{"begin":0,"end":30,"committed":true,"reads":[[3,0],[4,0]],"writes":[[4,2]]}`}, porcupine.Illegal},
		{"attempt given up that saw half of a commit", []string{wrote,
			`{"begin":5,"end":30,"committed":false,"reads":[[3,1],[4,0]],"writes":[]}`}, porcupine.Illegal},
		{"attempt given up that saw two states", []string{wrote, overwrote,
			`{"begin":5,"end":40,"committed":false,"reads":[[3,5],[4,0]],"writes":[]}`}, porcupine.Illegal},
		{"attempt given up that saw a later state", []string{wrote, overwrote,
			`{"begin":5,"end":15,"committed":false,"reads":[[3,5]],"writes":[]}`}, porcupine.Illegal},
	}
	for _, c := range cases {
		judged(t, c.name, `{"history":"words","name":"t","sound":true,"words":24,"count":`, c.lines, c.want)
	}
}

func TestOperationsOnCollections(t *testing.T) {
	operation := func(on, verb string, begin, end, value, seen string) string {
		return `{"begin":` + begin + `,"end":` + end + `,"on":"` + on + `","key":0,"verb":"` + verb +
			`","value":` + value + `,"seen":` + seen + `}`
	}
	type testCase struct {
		name  string
		lines []string
		want  porcupine.CheckResult
	}
	var cases []testCase
	for _, on := range []string{"map", "sorted-map"} {
		put := operation(on, "put", "0", "10", "8", "0")
		cases = append(cases,
			testCase{on + ": get of what is put", []string{put, operation(on, "get", "11", "12", "0", "8")}, porcupine.Ok},
			testCase{on + ": get before a put", []string{put, operation(on, "get", "1", "2", "0", "4")}, porcupine.Ok},
			testCase{on + ": stale get", []string{put, operation(on, "get", "11", "12", "0", "4")}, porcupine.Illegal},
			testCase{on + ": value nobody wrote", []string{put, operation(on, "get", "1", "12", "0", "-1")}, porcupine.Illegal},
			testCase{on + ": two updates of one value", []string{
				operation(on, "get-and-put", "0", "10", "8", "4"),
				operation(on, "get-and-put", "0", "10", "9", "4")}, porcupine.Illegal},
			testCase{on + ": removed once", []string{
				operation(on, "remove", "0", "10", "0", "1"),
				operation(on, "remove", "0", "10", "0", "0")}, porcupine.Ok},
			testCase{on + ": removed twice", []string{
				operation(on, "remove", "0", "10", "0", "1"),
				operation(on, "remove", "0", "10", "0", "1")}, porcupine.Illegal})
	}
	add := operation("queue", "add", "0", "10", "8", "0")
	cases = append(cases,
		testCase{"queue in order", []string{add,
			operation("queue", "poll", "0", "10", "0", "4"),
			operation("queue", "poll", "0", "12", "0", "8"),
			operation("queue", "peek", "13", "14", "0", "0")}, porcupine.Ok},
		testCase{"queue out of order", []string{add,
			operation("queue", "poll", "0", "10", "0", "8"),
			operation("queue", "poll", "11", "12", "0", "4")}, porcupine.Illegal},
		testCase{"element polled twice", []string{
			operation("queue", "poll", "0", "10", "0", "4"),
			operation("queue", "poll", "0", "12", "0", "4")}, porcupine.Illegal})
	for _, c := range cases {
		judged(t, c.name, `{"history":"collections","name":"t","sound":true,"map":[4],"sorted-map":[4],"queue":[4],"count":`,
			c.lines, c.want)
	}
}

// judged checks a verdict twice: a history is called sound, and a control.
func judged(t *testing.T, name, header string, lines []string, want porcupine.CheckResult) {
	t.Helper()
	header += string(rune('0'+len(lines))) + "}\n"
	text := header + strings.Join(lines, "\n") + "\n"
	sound := tallyOf(t, text)
	if (sound.linearizable == 1) != (want == porcupine.Ok) || (sound.wrong == 1) != (want == porcupine.Illegal) {
		t.Errorf("%s: not %s but %+v", name, want, *sound)
	}
	control := tallyOf(t, strings.Replace(text, `"sound":true`, `"sound":false`, 1))
	if (control.noticed == 1) != (want == porcupine.Illegal) || control.controls != 1 {
		t.Errorf("%s as a control: %+v", name, *control)
	}
}

func TestWhatIsUnknownDoesNotPass(t *testing.T) {
	counted := &tally{controls: 1, noticed: 1}
	counted.add("file", header{Sound: true}, porcupine.Ok)
	if !counted.isPassed() {
		t.Error("all is well, and it does not pass")
	}
	counted.add("file", header{Sound: true}, porcupine.Unknown)
	if counted.isPassed() || counted.unknown != 1 {
		t.Error("unknown counts as passed")
	}
	unknownControl := &tally{sound: 1, linearizable: 1}
	unknownControl.add("file", header{}, porcupine.Unknown)
	if unknownControl.isPassed() {
		t.Error("an unknown control counts as noticed")
	}
}

func TestDamagedFilesAreErrors(t *testing.T) {
	for _, text := range []string{
		`{"history":"words","name":"t","sound":true,"words":24,"count":2}` + "\n",
		`{"history":"lists","name":"t","sound":true,"count":0}` + "\n",
		`{"history":"collections","name":"t","sound":true,"count":1}` + "\n" + `{"on":"list"}` + "\n",
		`no JSON` + "\n",
	} {
		if err := judgeFile(written(t, text), limit, &tally{}); err == nil {
			t.Errorf("no error for %s", text)
		}
	}
	if err := judgeFolder(t.TempDir(), limit, &tally{}); err == nil {
		t.Error("no error for an empty folder")
	}
}

func tallyOf(t *testing.T, text string) *tally {
	t.Helper()
	counted := &tally{}
	if err := judgeFile(written(t, text), limit, counted); err != nil {
		t.Fatal(err)
	}
	return counted
}

func written(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "t.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}
