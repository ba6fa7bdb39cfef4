// A real HashiCorp Vault for tests: in memory, unsealed, with the engines that SecretReferences read and the ways to log in that they use.
// Vault's own command cannot be built outside its repository, since its go.mod replaces modules by folders. Prints its address and
// root token as one line of JSON, and ends with its standard input.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	log "github.com/hashicorp/go-hclog"
	kubernetes "github.com/hashicorp/vault-plugin-auth-kubernetes"
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/builtin/credential/approle"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

var engines = map[string]logical.Factory{"kv": kv.Factory}
var logins = map[string]logical.Factory{"approle": approle.Factory, "kubernetes": kubernetes.Factory}

func main() {
	core, token := start()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	ready := map[string]string{"address": "http://" + listener.Addr().String(), "token": token}
	check(json.NewEncoder(os.Stdout).Encode(ready))
	handler := vaulthttp.Handler.Handler(&vault.HandlerProperties{Core: core, ListenerConfig: &configutil.Listener{}})
	go func() { check(http.Serve(listener, handler)) }()
	_, err = io.Copy(io.Discard, os.Stdin)
	check(err)
}

func start() (*vault.Core, string) {
	logger := log.New(&log.LoggerOptions{Level: log.Warn, Output: os.Stderr})
	storage, err := inmem.NewInmem(nil, logger)
	check(err)
	core, err := vault.NewCore(&vault.CoreConfig{
		Physical:           storage,
		Logger:             logger,
		DisableMlock:       true,
		LogicalBackends:    engines,
		CredentialBackends: logins,
		BuiltinRegistry:    builtins{},
	})
	check(err)
	seal := &vault.SealConfig{SecretShares: 1, SecretThreshold: 1}
	made, err := core.Initialize(context.Background(), &vault.InitParams{BarrierConfig: seal})
	check(err)
	_, err = core.Unseal(made.SecretShares[0])
	check(err)
	return core, made.RootToken
}

// builtins are the plugins of this server.
type builtins struct{}

func (builtins) of(kind consts.PluginType) map[string]logical.Factory {
	switch kind {
	case consts.PluginTypeSecrets:
		return engines
	case consts.PluginTypeCredential:
		return logins
	}
	return nil
}

func (b builtins) Contains(name string, kind consts.PluginType) bool {
	_, found := b.of(kind)[name]
	return found
}

func (b builtins) Get(name string, kind consts.PluginType) (func() (interface{}, error), bool) {
	factory, found := b.of(kind)[name]
	return func() (interface{}, error) { return factory, nil }, found
}

func (b builtins) Keys(kind consts.PluginType) []string {
	names := []string{}
	for name := range b.of(kind) {
		names = append(names, name)
	}
	return names
}

func (b builtins) DeprecationStatus(name string, kind consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, b.Contains(name, kind)
}

func (builtins) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
