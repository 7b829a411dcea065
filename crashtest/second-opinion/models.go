package main

import (
	"slices"

	"github.com/anishathalye/porcupine"
)

// attempt is an attempt of a transaction over words; reads and writes are pairs of word and value.
type attempt struct {
	Begin     int64      `json:"begin"`
	End       int64      `json:"end"`
	Committed bool       `json:"committed"`
	Reads     [][2]int64 `json:"reads"`
	Writes    [][2]int64 `json:"writes"`
}

// operation is an operation on a collection; 0 stands for no value.
type operation struct {
	Begin int64  `json:"begin"`
	End   int64  `json:"end"`
	On    string `json:"on"`
	Key   int    `json:"key"`
	Verb  string `json:"verb"`
	Value int64  `json:"value"`
	Seen  int64  `json:"seen"`
}

// words is the content of all words. The hash follows from it.
type words struct {
	values []int64
	hash   uint64
}

// wordsModel lets each attempt happen at one moment. It must find what it has read; if it has
// committed, it writes. An attempt that was given up only reads, so it must have read one state
// that was there between its begin and its end.
func wordsModel(count int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return &words{values: make([]int64, count)} },
		Step: func(state, input, _ any) (bool, any) {
			now, a := state.(*words), input.(*attempt)
			for _, read := range a.Reads {
				if now.values[read[0]] != read[1] {
					return false, nil
				}
			}
			if !a.Committed || len(a.Writes) == 0 {
				return true, now
			}
			next := &words{values: slices.Clone(now.values), hash: now.hash}
			for _, write := range a.Writes {
				word, value := write[0], write[1]
				next.hash ^= mix(word, next.values[word]) ^ mix(word, value)
				next.values[word] = value
			}
			return true, next
		},
		Equal: func(a, b any) bool {
			return a == b || slices.Equal(a.(*words).values, b.(*words).values)
		},
		Hash: func(state any) uint64 { return state.(*words).hash },
	}
}

// mix is a hash of one word's content, by the finalizer of SplitMix64.
func mix(word, value int64) uint64 {
	z := uint64(value)*31 + uint64(word) + 0x9e3779b97f4a7c15
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// mapModel is a map whose keys are judged one by one: an operation touches one key only, and what
// is linearizable for each object by itself is linearizable (Herlihy and Wing, 1990).
func mapModel(before []int64) porcupine.Model {
	type content struct {
		isKnown bool // of a part's key, as soon as its first operation is there
		value   int64
	}
	return porcupine.Model{
		Partition: byKey,
		Init:      func() any { return content{} },
		Step: func(state, input, _ any) (bool, any) {
			now, o := state.(content), input.(*operation)
			if !now.isKnown {
				now = content{true, before[o.Key]}
			}
			switch o.Verb {
			case "put":
				return true, content{true, o.Value}
			case "get-and-put":
				return now.value == o.Seen, content{true, o.Value}
			case "remove":
				return (now.value != 0) == (o.Seen != 0), content{true, 0}
			case "get":
				return now.value == o.Seen, now
			}
			return false, nil
		},
	}
}

func byKey(history []porcupine.Operation) [][]porcupine.Operation {
	keys := map[int][]porcupine.Operation{}
	for _, o := range history {
		key := o.Input.(*operation).Key
		keys[key] = append(keys[key], o)
	}
	var parts [][]porcupine.Operation
	for _, part := range keys {
		parts = append(parts, part)
	}
	return parts
}

// queueModel is a queue, first in, first out.
func queueModel(before []int64) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return before },
		Step: func(state, input, _ any) (bool, any) {
			now, o := state.([]int64), input.(*operation)
			if o.Verb == "add" {
				return true, append(slices.Clone(now), o.Value)
			}
			var head int64
			if len(now) > 0 {
				head = now[0]
			}
			switch {
			case head != o.Seen:
				return false, nil
			case o.Verb == "poll" && len(now) > 0:
				return true, now[1:]
			}
			return o.Verb == "poll" || o.Verb == "peek", now
		},
		Equal: func(a, b any) bool { return slices.Equal(a.([]int64), b.([]int64)) },
		// Adds under way together leave many orders of the same elements.
		Hash: func(state any) uint64 {
			var hash uint64
			for i, value := range state.([]int64) {
				hash ^= mix(int64(i), value)
			}
			return hash
		},
	}
}
