/** Tools that keep resources as a repository has them, and what they write on them. */
import type { StoredMeta } from './port.ts';

const MANAGED_BY = 'app.kubernetes.io/managed-by';
/** On objects that groups of a directory have made. */
export const SCIM_LABELS: Readonly<Record<string, string>> = { [MANAGED_BY]: 'scim' };
const RELEASE = 'meta.helm.sh/release-name';

/** Labels and annotations of a tool, with the name that it has for the object's source. */
const MARKS: readonly { readonly mark: string; readonly tool: string }[] = [
  { mark: 'argocd.argoproj.io/tracking-id', tool: 'Argo CD' },
  { mark: 'argocd.argoproj.io/instance', tool: 'Argo CD' },
  { mark: 'kustomize.toolkit.fluxcd.io/name', tool: 'Flux kustomization' },
  { mark: 'helm.toolkit.fluxcd.io/name', tool: 'Flux Helm release' },
];

/** Whether groups of a directory have made it: its mappings change it, and nobody else. */
export const isScimMade = ({ labels }: Pick<StoredMeta, 'labels'>): boolean => labels[MANAGED_BY] === 'scim';

/** Who would undo a change: `Flux kustomization apps`; undefined: nobody that is known. */
export function ownerOf({ labels, annotations }: Pick<StoredMeta, 'labels' | 'annotations'>): string | undefined {
  for (const { mark, tool } of MARKS) {
    const source = annotations[mark] ?? labels[mark];
    if (source !== undefined) return `${tool} ${source.split(':')[0] ?? ''}`.trim();
  }
  if (isScimMade({ labels })) return 'SCIM';
  const release = annotations[RELEASE];
  return release !== undefined || labels[MANAGED_BY] === 'Helm' ? `Helm release ${release ?? ''}`.trim() : undefined;
}
