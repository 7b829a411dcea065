// Second-opinion judges histories that "howdah test histories --export DIR" has written, with
// porcupine, a checker of linearizability that knows nothing of Howdah. The format is described in
// HistoryFiles.java.
//
// It ends with 0 if porcupine calls all sound histories linearizable, and all controls (histories
// that are wrong on purpose) not linearizable; else with 1.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/anishathalye/porcupine"
)

// header is the first line of a history.
type header struct {
	History   string  `json:"history"`
	Name      string  `json:"name"`
	Sound     bool    `json:"sound"`
	Count     int     `json:"count"`
	Words     int     `json:"words"`
	Map       []int64 `json:"map"`
	SortedMap []int64 `json:"sorted-map"`
	Queue     []int64 `json:"queue"`
}

// tally is what a run has judged.
type tally struct {
	files, sound, linearizable, wrong, unknown int
	controls, noticed                          int
	attempts, givenUp, operations              int
	longest                                    time.Duration
}

func (t *tally) isPassed() bool {
	return t.sound > 0 && t.linearizable == t.sound && t.controls > 0 && t.noticed == t.controls
}

func main() {
	seconds := flag.Float64("seconds", 60, "time limit for each history; then it is unknown")
	counts := flag.String("counts", "", "file for the counts, as lines of name=value")
	flag.Parse()
	if flag.NArg() != 1 || *seconds <= 0 {
		fmt.Fprintln(os.Stderr, "usage: second-opinion [-seconds N] [-counts FILE] DIR")
		os.Exit(2)
	}
	started := time.Now()
	t := &tally{}
	limit := time.Duration(*seconds * float64(time.Second))
	if err := judgeFolder(flag.Arg(0), limit, t); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	spent := time.Since(started)
	fmt.Printf("%d files: %d attempts of transactions, %d of them given up, %d operations of collections\n",
		t.files, t.attempts, t.givenUp, t.operations)
	fmt.Printf("%d sound histories: %d linearizable, %d not, %d unknown\n",
		t.sound, t.linearizable, t.wrong, t.unknown)
	fmt.Printf("%d controls: %d noticed\n", t.controls, t.noticed)
	fmt.Printf("%.1f s, at most %.3f s for a history\n", spent.Seconds(), t.longest.Seconds())
	if *counts != "" {
		if err := os.WriteFile(*counts, []byte(t.lines(spent)), 0o644); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	if !t.isPassed() {
		os.Exit(1)
	}
}

func (t *tally) lines(spent time.Duration) string {
	return fmt.Sprintf("files=%d\nsound=%d\nlinearizable=%d\nwrong=%d\nunknown=%d\ncontrols=%d\n"+
		"noticed=%d\nattempts=%d\ngivenUp=%d\noperations=%d\nmillis=%d\n",
		t.files, t.sound, t.linearizable, t.wrong, t.unknown, t.controls,
		t.noticed, t.attempts, t.givenUp, t.operations, spent.Milliseconds())
}

func judgeFolder(folder string, limit time.Duration, t *tally) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no histories in %s", folder)
	}
	for _, file := range files {
		if err := judgeFile(file, limit, t); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func judgeFile(file string, limit time.Duration, t *tally) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	t.files++
	lines := json.NewDecoder(bufio.NewReader(in))
	lines.DisallowUnknownFields()
	for lines.More() {
		h := header{}
		if err := lines.Decode(&h); err != nil {
			return err
		}
		began := time.Now()
		result, err := judge(h, lines, limit, t)
		if err != nil {
			return fmt.Errorf("%s: %w", h.Name, err)
		}
		t.longest = max(t.longest, time.Since(began))
		t.add(file, h, result)
	}
	return nil
}

// judge reads the rest of a history and judges it.
func judge(h header, lines *json.Decoder, limit time.Duration, t *tally) (porcupine.CheckResult, error) {
	switch h.History {
	case "words":
		var history []porcupine.Operation
		for range h.Count {
			a := &attempt{}
			if err := lines.Decode(a); err != nil {
				return "", err
			}
			if !a.Committed {
				t.givenUp++
			}
			history = append(history, porcupine.Operation{Input: a, Call: a.Begin, Return: a.End})
		}
		t.attempts += h.Count
		return porcupine.CheckOperationsTimeout(wordsModel(h.Words), history, limit), nil
	case "collections":
		on := map[string][]porcupine.Operation{}
		for range h.Count {
			o := &operation{}
			if err := lines.Decode(o); err != nil {
				return "", err
			}
			if o.On != "map" && o.On != "sorted-map" && o.On != "queue" {
				return "", fmt.Errorf("no model for an operation on %q", o.On)
			}
			on[o.On] = append(on[o.On], porcupine.Operation{Input: o, Call: o.Begin, Return: o.End})
		}
		t.operations += h.Count
		return worst(
			porcupine.CheckOperationsTimeout(mapModel(h.Map), on["map"], limit),
			porcupine.CheckOperationsTimeout(mapModel(h.SortedMap), on["sorted-map"], limit),
			porcupine.CheckOperationsTimeout(queueModel(h.Queue), on["queue"], limit)), nil
	}
	return "", fmt.Errorf("no model for a history of %q", h.History)
}

func worst(results ...porcupine.CheckResult) porcupine.CheckResult {
	all := porcupine.Ok
	for _, result := range results {
		if result == porcupine.Illegal || all == porcupine.Ok {
			all = result
		}
	}
	return all
}

func (t *tally) add(file string, h header, result porcupine.CheckResult) {
	if !h.Sound {
		t.controls++
		if result == porcupine.Illegal {
			t.noticed++
		} else {
			fmt.Printf("%s: %s: a control was not noticed: %s\n", file, h.Name, result)
		}
		return
	}
	t.sound++
	switch result {
	case porcupine.Ok:
		t.linearizable++
	case porcupine.Illegal:
		t.wrong++
		fmt.Printf("%s: %s: %s are not linearizable\n", file, h.Name, h.History)
	default:
		t.unknown++
		fmt.Printf("%s: %s: unknown: not decided within the time limit\n", file, h.Name)
	}
}
