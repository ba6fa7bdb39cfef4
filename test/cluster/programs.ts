/** The programs of the test cluster: which Go module builds each, and with which flags. */

/** Programs that share one Go module, so that they are resolved and compiled together. */
interface Family {
  /** Folder of the go.mod, relative to this one. */
  readonly folder: string;
  /** Linker flags that carry the version; without them some programs report a placeholder. */
  readonly versionFlags: readonly string[];
  /** Program name to Go package. */
  readonly programs: Readonly<Record<string, string>>;
}

const KUBERNETES_VERSION = 'v1.36.3';
const KUBERNETES_STAMP = 'k8s.io/component-base/version';

export const FAMILIES = {
  kubernetes: {
    folder: 'tools/kubernetes',
    versionFlags: [
      `-X ${KUBERNETES_STAMP}.gitVersion=${KUBERNETES_VERSION}`,
      `-X ${KUBERNETES_STAMP}.gitMajor=1`,
      `-X ${KUBERNETES_STAMP}.gitMinor=36`,
      `-X ${KUBERNETES_STAMP}.gitCommit=unknown`,
      `-X ${KUBERNETES_STAMP}.gitTreeState=clean`,
      `-X k8s.io/client-go/pkg/version.gitVersion=${KUBERNETES_VERSION}`,
    ],
    programs: {
      'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
      'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
      kubectl: 'k8s.io/kubernetes/cmd/kubectl',
      'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
      kubelet: 'k8s.io/kubernetes/cmd/kubelet',
      'kube-proxy': 'k8s.io/kubernetes/cmd/kube-proxy',
    },
  },
  etcd: {
    folder: 'tools/etcd',
    versionFlags: [],
    programs: { etcd: 'go.etcd.io/etcd/server/v3' },
  },
  containerd: {
    folder: 'tools/containerd',
    versionFlags: ['-X github.com/containerd/containerd/v2/version.Version=v2.3.7'],
    programs: {
      containerd: 'github.com/containerd/containerd/v2/cmd/containerd',
      'containerd-shim-runc-v2': 'github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2',
      ctr: 'github.com/containerd/containerd/v2/cmd/ctr',
    },
  },
  coredns: {
    folder: 'tools/coredns',
    versionFlags: [],
    programs: { coredns: 'github.com/coredns/coredns' },
  },
  helm: {
    folder: 'tools/helm',
    versionFlags: ['-X helm.sh/helm/v4/internal/version.version=v4.3.1'],
    programs: { helm: 'helm.sh/helm/v4/cmd/helm' },
  },
  kubeconform: {
    folder: 'tools/kubeconform',
    versionFlags: ['-X main.version=v0.8.0'],
    programs: { kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform' },
  },
  flux: {
    folder: 'tools/flux',
    versionFlags: [],
    programs: { 'kustomize-controller': 'github.com/fluxcd/kustomize-controller' },
  },
  argo: {
    folder: 'tools/argo',
    versionFlags: ['-X github.com/argoproj/argo-cd/v3/common.version=3.5.7'],
    programs: { argocd: '.' },
  },
  vault: {
    folder: 'tools/vault',
    versionFlags: [],
    programs: { vault: '.' },
  },
  collector: {
    folder: 'tools/collector',
    versionFlags: [],
    programs: { collector: '.' },
  },
  pause: {
    folder: 'tools/pause',
    versionFlags: [],
    programs: { pause: '.' },
  },
} as const satisfies Record<string, Family>;

export type FamilyName = keyof typeof FAMILIES;
export type ProgramName = { [F in FamilyName]: keyof (typeof FAMILIES)[F]['programs'] }[FamilyName];

const CONTROL_PLANE = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'] as const;
const NODE = [
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
  'containerd',
  'containerd-shim-runc-v2',
  'ctr',
  'coredns',
  'pause',
] as const;

/** 1: a control plane, for any user. 2: nodes with real pods on top, for root on Linux. */
export type Tier = 1 | 2;

export const PROGRAMS_OF_TIER: Readonly<Record<Tier, readonly ProgramName[]>> = {
  1: CONTROL_PLANE,
  2: [...CONTROL_PLANE, ...NODE],
};

/** Whether one of the Go modules builds a program of this name. */
export const isProgramName = (name: string): name is ProgramName =>
  Object.values(FAMILIES).some(({ programs }) => Object.hasOwn(programs, name));

/** The Go module that builds a program. */
export const familyOf = (program: ProgramName): FamilyName => {
  const found = (Object.keys(FAMILIES) as FamilyName[]).find((name) => program in FAMILIES[name].programs); // its own keys
  if (found === undefined) throw new Error(`No Go module builds ${program}`);
  return found;
};
