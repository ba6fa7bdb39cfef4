// Pause holds namespaces open: as the first process of a pod, and of a test node. It reaps what is left to it and
// leaves on SIGTERM. As `pause hold` it also leaves when its standard input ends, so that a node goes with its owner.
package main

import (
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	if len(os.Args) > 1 && os.Args[1] == "hold" {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		}()
	}
	for received := range signals {
		if received != syscall.SIGCHLD {
			return
		}
		for reap() {
		}
	}
}

func reap() bool {
	pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	return pid > 0 || err == syscall.EINTR
}
