module example.org/harness

go 1.21
