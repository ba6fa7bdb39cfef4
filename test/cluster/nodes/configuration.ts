/** The configuration files of a node's programs, as data. */

export interface NodeFacts {
  readonly number: number;
  readonly name: string;
  readonly address: string;
  /** CIDRs of this node's pods and of everybody's. */
  readonly pods: string;
  readonly allPods: string;
  /** Folder of this node's files. */
  readonly folder: string;
  readonly cgroup: string;
  readonly dnsAddress: string;
  readonly snapshotter: string;
  readonly cniFolder: string;
  readonly runc: string;
  readonly shim: string;
  readonly clientCa: string;
  readonly certificate: string;
  readonly key: string;
}

export const CONTAINERD_SOCKET = '/run/containerd/containerd.sock';
export const PAUSE_IMAGE = 'localhost/pause:1';
export const CLUSTER_DOMAIN = 'cluster.local';
export const DNS_READY_PORT = 8181;

export const kubeletConfiguration = (node: NodeFacts) => ({
  kind: 'KubeletConfiguration',
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  address: node.address,
  authentication: {
    anonymous: { enabled: false },
    webhook: { enabled: true },
    x509: { clientCAFile: node.clientCa },
  },
  authorization: { mode: 'Webhook' },
  tlsCertFile: node.certificate,
  tlsPrivateKeyFile: node.key,
  containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
  cgroupDriver: 'cgroupfs',
  cgroupRoot: node.cgroup,
  failCgroupV1: false,
  failSwapOn: false,
  protectKernelDefaults: true, // fails rather than change the machine's settings
  oomScoreAdj: 0,
  clusterDNS: [node.dnsAddress],
  clusterDomain: CLUSTER_DOMAIN,
  resolvConf: `${node.folder}/resolv.conf`,
  podLogsDir: `${node.folder}/pod-logs`,
  volumePluginDir: `${node.folder}/volume-plugins`,
  syncFrequency: '2s', // also how soon a changed ConfigMap or Secret reaches its volume
  // By default a kubelet forgets a Secret that it has not read for minutes, at least one. A container with a variable from
  // that Secret then cannot be started again until the API server answers.
  configMapAndSecretChangeDetectionStrategy: 'Cache',
  nodeStatusUpdateFrequency: '4s',
  kubeAPIQPS: 200,
  kubeAPIBurst: 400,
  // The disk is the machine's: its filling up is no reason to evict pods.
  imageGCHighThresholdPercent: 100,
  evictionHard: {
    'memory.available': '0%',
    'nodefs.available': '0%',
    'nodefs.inodesFree': '0%',
    'imagefs.available': '0%',
    'imagefs.inodesFree': '0%',
  },
});

export const kubeProxyConfiguration = (node: NodeFacts, kubeconfig: string) => ({
  kind: 'KubeProxyConfiguration',
  apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
  clientConnection: { kubeconfig },
  hostnameOverride: node.name,
  mode: 'iptables',
  clusterCIDR: node.allPods,
  oomScoreAdj: 0,
  // Zero leaves the machine's connection tracking as it is.
  conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  iptables: { minSyncPeriod: '100ms' },
});

export const networkConfiguration = (node: NodeFacts) => ({
  cniVersion: '1.0.0',
  name: 'pods',
  plugins: [
    {
      type: 'bridge',
      bridge: 'cni0',
      isGateway: true,
      hairpinMode: true,
      ipMasq: false,
      ipam: { type: 'host-local', ranges: [[{ subnet: node.pods }]], routes: [{ dst: '0.0.0.0/0' }] },
    },
    { type: 'portmap', capabilities: { portMappings: true } },
  ],
});

/** TOML: JSON strings are TOML strings. */
export const containerdConfiguration = (node: NodeFacts): string => {
  const quoted = (value: string): string => JSON.stringify(value);
  return `version = 3
root = ${quoted(`${node.folder}/containerd`)}
state = "/run/containerd"
disabled_plugins = ["io.containerd.nri.v1.nri"]

[grpc]
address = ${quoted(CONTAINERD_SOCKET)}

[plugins."io.containerd.internal.v1.opt"]
path = ${quoted(`${node.folder}/opt`)}

[plugins."io.containerd.cri.v1.images"]
snapshotter = ${quoted(node.snapshotter)}
[plugins."io.containerd.cri.v1.images".pinned_images]
sandbox = ${quoted(PAUSE_IMAGE)}
[plugins."io.containerd.cri.v1.images".registry]
config_path = ${quoted(`${node.folder}/registries`)}

[plugins."io.containerd.cri.v1.runtime"]
# Root without CAP_SYS_RESOURCE cannot lower oom_score_adj, and no sandbox would start.
restrict_oom_score_adj = true
[plugins."io.containerd.cri.v1.runtime".cni]
bin_dirs = [${quoted(node.cniFolder)}]
conf_dir = ${quoted(`${node.folder}/cni`)}
[plugins."io.containerd.cri.v1.runtime".containerd]
default_runtime_name = "runc"
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
runtime_path = ${quoted(node.shim)}
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
BinaryName = ${quoted(node.runc)}
SystemdCgroup = false
`;
};

/** Names of the cluster only: there is no resolver for others. */
export const corednsConfiguration = (address: string, kubeconfig: string): string => `.:53 {
  bind ${address}
  errors
  ready ${address}:${DNS_READY_PORT}
  kubernetes ${CLUSTER_DOMAIN} in-addr.arpa {
    kubeconfig ${kubeconfig}
    ttl 1
  }
}
`;
