// Argocd is the part of Argo CD that applies a repository to a cluster: the application controller and the repo server,
// chosen by ARGOCD_BINARY_NAME as in Argo CD's own program. What it leaves out (API server, command line, ApplicationSets,
// notifications) is a quarter of the packages.
package main

import (
	"fmt"
	"os"

	appcontroller "github.com/argoproj/argo-cd/v3/cmd/argocd-application-controller/commands"
	reposerver "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"
	"github.com/argoproj/argo-cd/v3/common"
	"github.com/argoproj/argo-cd/v3/util/log"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
)

func main() {
	klog.SetLogger(log.NewLogrusLogger(log.NewWithCurrentConfig()))
	var command *cobra.Command
	switch name := os.Getenv("ARGOCD_BINARY_NAME"); name {
	case common.CommandApplicationController:
		command = appcontroller.NewCommand()
	case common.CommandRepoServer:
		command = reposerver.NewCommand()
	default:
		fmt.Fprintf(os.Stderr, "ARGOCD_BINARY_NAME is %q\n", name)
		os.Exit(2)
	}
	if command.Execute() != nil {
		os.Exit(1)
	}
}
