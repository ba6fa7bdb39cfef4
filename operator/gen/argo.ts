/** Argo CD's health checks: one script for every Kind, in the layout of its own repository and as a patch of its ConfigMap. */
import { type AnyKind, GROUP, KINDS } from '@gatehouse/crds/kinds';
import { stringify } from 'yaml';

const kinds: readonly AnyKind[] = Object.values(KINDS);

/** The files by path below `charts/argo`. */
export function argoFiles(script: string): ReadonlyMap<string, string> {
  const patch = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'argocd-cm',
      namespace: 'argocd',
      labels: { 'app.kubernetes.io/name': 'argocd-cm', 'app.kubernetes.io/part-of': 'argocd' },
    },
    data: Object.fromEntries(kinds.map(({ kind }) => [`resource.customizations.health.${GROUP}_${kind}`, script])),
  };
  return new Map([
    ...kinds.map(({ kind }) => [`${GROUP}/${kind}/health.lua`, script] as const),
    ['argocd-cm.yaml', stringify(patch, { aliasDuplicateObjects: false, lineWidth: 0 })],
  ]);
}
