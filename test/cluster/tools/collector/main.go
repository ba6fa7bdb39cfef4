// The OTLP receiver of the OpenTelemetry Collector for tests. Prints its addresses as one line of JSON, then what it has received, a line of
// OTLP JSON for each export, and ends with its standard input.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
)

func main() {
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig().(*otlpreceiver.Config)
	http, grpc := freeAddress(), freeAddress()
	config.Protocols.HTTP.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = http
	config.Protocols.GRPC.GetOrInsertDefault().NetAddr.Endpoint = grpc
	settings := receiver.Settings{
		ID:                component.NewID(factory.Type()),
		TelemetrySettings: componenttest.NewNopTelemetrySettings(),
		BuildInfo:         component.NewDefaultBuildInfo(),
	}
	sink, err := consumer.NewTraces(printed())
	check(err)
	traces, err := factory.CreateTraces(context.Background(), settings, config, sink)
	check(err)
	check(traces.Start(context.Background(), componenttest.NewNopHost()))
	check(json.NewEncoder(os.Stdout).Encode(map[string]string{"http": "http://" + http, "grpc": "http://" + grpc}))
	_, err = io.Copy(io.Discard, os.Stdin)
	check(err)
	check(traces.Shutdown(context.Background()))
}

func printed() consumer.ConsumeTracesFunc {
	var turn sync.Mutex
	marshaler := ptrace.JSONMarshaler{}
	return func(_ context.Context, traces ptrace.Traces) error {
		text, err := marshaler.MarshalTraces(traces)
		if err != nil {
			return err
		}
		turn.Lock()
		defer turn.Unlock()
		_, err = fmt.Println(string(text))
		return err
	}
}

func freeAddress() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	defer listener.Close()
	return listener.Addr().String()
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
