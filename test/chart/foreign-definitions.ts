/** CustomResourceDefinitions of other projects, taken from their Go modules. */
import { join } from 'node:path';
import { z } from 'zod';
import { capture, run } from '../../scripts/machine/index.ts';

interface Module {
  readonly path: string;
  readonly version: string;
  /** As in a go.sum file. */
  readonly sum: string;
  readonly files: readonly string[];
}

const MONITORING = 'example/prometheus-operator-crd/monitoring.coreos.com_';

/** Versions of the Gateway API by what of it the chart uses; the first is the oldest one, the last the newest. */
const GATEWAY_API_SUMS = {
  'v1.0.0': 'h1:iPTStSv41+d9p0xFydll6d7f7MOBGuqXM6p2/zVYMAs=', // HTTPRoute is v1
  'v1.2.1': 'h1:fZZ/+RyRb+Y5tGkwxFKuYuSRQHu9dZtbjenblleOLHM=', // timeouts are in the standard channel
  'v1.4.0': 'h1:ZwlNM6zOHq0h3WUX2gfByPs2yAEsy/EenYJB78jpQfQ=', // BackendTLSPolicy is v1
  'v1.7.0': 'h1:duVnm7nO6oXfMMUWfcDoBph47CYR/ME3NGxccOVglaY=',
} as const;
export type GatewayApiVersion = keyof typeof GATEWAY_API_SUMS;

export const GATEWAY_API_CHANNELS = ['standard', 'experimental'] as const;
export type GatewayApiChannel = (typeof GATEWAY_API_CHANNELS)[number];

/** The kinds of the Gateway API that the chart makes or the operator reads. */
export function gatewayApi(version: GatewayApiVersion, channel: GatewayApiChannel = 'standard'): Module {
  const policies = version === 'v1.0.0' || version === 'v1.2.1' ? [] : ['backendtlspolicies'];
  return {
    path: 'sigs.k8s.io/gateway-api',
    version,
    sum: GATEWAY_API_SUMS[version],
    files: ['httproutes', 'referencegrants', ...policies].map(
      (name) => `config/crd/${channel}/gateway.networking.k8s.io_${name}.yaml`,
    ),
  };
}

export const GATEWAY_API = gatewayApi('v1.7.0');

/** Of objects that the chart makes. */
export const CHART_MODULES: readonly Module[] = [
  {
    path: 'github.com/prometheus-operator/prometheus-operator',
    version: 'v0.92.0',
    sum: 'h1:tAbsod3+9sQsxDeAvLP27dAe9terToht5M+YdDwLGP0=',
    files: ['podmonitors', 'prometheusrules', 'servicemonitors'].map((name) => `${MONITORING}${name}.yaml`),
  },
  GATEWAY_API,
  {
    path: 'github.com/cert-manager/cert-manager',
    version: 'v1.19.1',
    sum: 'h1:Txh8L/nLWTDcb7ZnXuXbTe15BxQnLbLirXmbNk0fGgY=',
    files: ['certificates', 'issuers'].map((name) => `deploy/crds/cert-manager.io_${name}.yaml`),
  },
];

/** Of what Flux's kustomize-controller watches. */
export const FLUX_MODULES: readonly Module[] = [
  {
    path: 'github.com/fluxcd/source-controller',
    version: 'v1.9.5',
    sum: 'h1:MFPyCodUi9hZIMaKDsC/rYbNoyzpvrAdrPVixj7W9F0=',
    files: ['buckets', 'externalartifacts', 'gitrepositories', 'ocirepositories'].map(
      (name) => `config/crd/bases/source.toolkit.fluxcd.io_${name}.yaml`,
    ),
  },
  {
    path: 'github.com/fluxcd/kustomize-controller',
    version: 'v1.9.5',
    sum: 'h1:/XY2zy3K7fntyppEXIHG7oRMzmfgIt50eJzUfaPX1Kc=',
    files: ['config/crd/bases/kustomize.toolkit.fluxcd.io_kustomizations.yaml'],
  },
];

/** Of what Argo CD's application controller watches, and its configuration as its own manifests install it. */
export const ARGO_MODULE: Module = {
  path: 'github.com/argoproj/argo-cd/v3',
  version: 'v3.5.7',
  sum: 'h1:Xm1BF+I5OgDKUG3SDK49vn2/Y5AMyaNVko+/JT08gj0=',
  files: [
    ...['application', 'appproject', 'applicationset'].map((name) => `manifests/crds/${name}-crd.yaml`),
    ...['cm', 'cmd-params-cm', 'rbac-cm', 'secret', 'ssh-known-hosts-cm', 'tls-certs-cm'].map(
      (name) => `manifests/base/config/argocd-${name}.yaml`,
    ),
  ],
};

const download = z.looseObject({ Dir: z.string().optional(), Sum: z.string() });

/** The files; downloads what the module cache lacks. */
export async function foreignDefinitions(modules: readonly Module[]): Promise<string[]> {
  const files: string[] = [];
  for (const { path, version, sum: pinned, files: names } of modules) {
    const { stdout, stderr } = await capture(['go', 'mod', 'download', '-json', `${path}@${version}`], { cwd: '/' });
    const answer = download.safeParse(JSON.parse(stdout || '{}'));
    if (!answer.success) throw new Error(`${path}@${version} cannot be had: ${stdout}${stderr}`);
    if (answer.data.Sum !== pinned) throw new Error(`${path} is not the one that was pinned: ${answer.data.Sum}`);
    const folder = answer.data.Dir ?? (await inModuleCache(`${path}@${version}`));
    files.push(...names.map((file) => join(folder, file)));
  }
  return files;
}

/** Where a module is that asks for a newer Go than there is: it has been downloaded, and its files ask for none. */
async function inModuleCache(module: string): Promise<string> {
  return join((await run(['go', 'env', 'GOMODCACHE'], { cwd: '/' })).trim(), module);
}
