// A harness for @FORMAT@: it answers the questions of `journalspec run`, one JSON object per line.
// Build it with `go build -o harness .`, then: journalspec run --impl ./harness --format @FORMAT@
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// Request has the members of a question; see docs/reference/protocol for all of them.
type Request struct {
	Seq     json.RawMessage   `json:"seq"`
	Cmd     string            `json:"cmd"`
	Format  string            `json:"format"`
	Edition string            `json:"edition"`
	Policy  string            `json:"policy"`
	Dir     string            `json:"dir"`
	Params  map[string]string `json:"params"`
}

const hello = `"protocol":1,"impl":{"name":"my-@FORMAT@","version":"0"},"formats":{"@FORMAT@":@CLAIMS@}`

// read answers what the files in `request.Dir` hold: integers as decimal strings, bytes as hex digits.
//
//	return `"ok":{"verdict":"clean","records":[...]}`
func read(request Request) string {
	return `"unsupported":{"what":"read"}`
}

// recover answers what recovery keeps under `request.Policy`.
func recoverJournal(request Request) string {
	return `"unsupported":{"what":"recover"}`
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var request Request
		if err := json.Unmarshal(line, &request); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		answer := hello
		switch request.Cmd {
		case "bye":
			return
		case "read":
			answer = read(request)
		case "recover":
			answer = recoverJournal(request)
		}
		fmt.Fprintf(out, "{\"seq\":%s,%s}\n", request.Seq, answer)
		out.Flush() // the runner waits for the line
	}
}
