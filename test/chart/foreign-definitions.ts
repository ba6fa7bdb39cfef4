/** CustomResourceDefinitions of other projects, taken from their Go modules. */
import { join } from 'node:path';
import { z } from 'zod';
import { run } from '../../scripts/machine/index.ts';

interface Module {
  readonly path: string;
  readonly version: string;
  /** As in a go.sum file. */
  readonly sum: string;
  readonly files: readonly string[];
}

const MONITORING = 'example/prometheus-operator-crd/monitoring.coreos.com_';

export const GATEWAY_API: Module = {
  path: 'sigs.k8s.io/gateway-api',
  version: 'v1.4.0',
  sum: 'h1:ZwlNM6zOHq0h3WUX2gfByPs2yAEsy/EenYJB78jpQfQ=',
  files: ['httproutes', 'referencegrants'].map((name) => `config/crd/standard/gateway.networking.k8s.io_${name}.yaml`),
};

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

const download = z.looseObject({ Dir: z.string(), Sum: z.string() });

/** The files; downloads what the module cache lacks. */
export async function foreignDefinitions(modules: readonly Module[]): Promise<string[]> {
  const files: string[] = [];
  for (const module of modules) {
    const answer = await run(['go', 'mod', 'download', '-json', `${module.path}@${module.version}`], { cwd: '/' });
    const { Dir: folder, Sum: sum } = download.parse(JSON.parse(answer));
    if (sum !== module.sum) throw new Error(`${module.path} is not the one that was pinned: ${sum}`);
    files.push(...module.files.map((file) => join(folder, file)));
  }
  return files;
}
