// Prints every field that the generated Go parsers find in the files named on standard input.
// The form of a line is told in test_parsers.py; `parsers` is in a file that the test writes.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"os"
	"reflect"
	"sort"
	"strings"

	"github.com/kaitai-io/kaitai_struct_go_runtime/kaitai"
)

func dump(value reflect.Value) string {
	switch value.Kind() {
	case reflect.Pointer, reflect.Interface:
		if value.IsNil() {
			return ""
		}
		return dump(value.Elem())
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			return raw(value.Bytes())
		}
		parts := []string{}
		for i := 0; i < value.Len(); i++ {
			parts = append(parts, dump(value.Index(i)))
		}
		if len(parts) == 0 {
			return ""
		}
		return "[" + strings.Join(parts, ",") + "]"
	case reflect.String:
		return raw([]byte(value.String()))
	case reflect.Struct:
		parts := []string{}
		for i := 0; i < value.NumField(); i++ {
			field := value.Type().Field(i)
			if !field.IsExported() {
				continue
			}
			if text := dump(value.Field(i)); text != "" {
				parts = append(parts, strings.ToLower(field.Name)+"="+text)
			}
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, " ") + "}"
	}
	if value.IsZero() {
		return ""
	}
	if value.Kind() == reflect.Bool {
		return "1"
	}
	if value.CanFloat() {
		number := value.Float()
		if number != math.Trunc(number) {
			return fmt.Sprintf("~%d", int64(number))
		}
		return fmt.Sprintf("%d", int64(number))
	}
	return fmt.Sprintf("%d", value.Interface())
}

func raw(data []byte) string {
	switch {
	case len(data) == 0:
		return ""
	case len(data) <= 64:
		return fmt.Sprintf("x%x", data)
	}
	return fmt.Sprintf("x%d:%x:%x", len(data), data[:16], data[len(data)-16:])
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		parts := strings.Split(lines.Text(), "\t")
		data, err := os.ReadFile(parts[0])
		if err == nil {
			var tree any
			if tree, err = parsers[parts[2]+" "+parts[3]](kaitai.NewStream(bytes.NewReader(data))); err == nil {
				fmt.Println(dump(reflect.ValueOf(tree)))
				continue
			}
		}
		fmt.Println("error " + err.Error())
	}
}
