/** The chart of the CustomResourceDefinitions, which is also a kustomization: its templates are plain YAML. */
import { crdOf } from '@gatehouse/crds/gen';
import { type AnyKind, GROUP, KINDS } from '@gatehouse/crds/kinds';
import { stringify } from 'yaml';

const kinds: readonly AnyKind[] = Object.values(KINDS);
const fileName = ({ plural }: AnyKind): string => `templates/${plural}.${GROUP}.yaml`;

/** The files by path below the chart. */
export function customResourceFiles(): ReadonlyMap<string, string> {
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: kinds.map(fileName),
  };
  return new Map([
    ...kinds.map((kind) => [fileName(kind), definitionOf(kind)] as const),
    ['kustomization.yaml', stringify(kustomization)],
  ]);
}

/** Helm keeps it when the chart is removed: without the definition all objects of the kind would be deleted. */
function definitionOf(kind: AnyKind): string {
  const { metadata, ...rest } = crdOf(kind);
  const kept = { ...(metadata as object), annotations: { 'helm.sh/resource-policy': 'keep' } }; // every definition has metadata
  const { apiVersion, kind: type, ...body } = rest;
  const text = stringify(
    { apiVersion, kind: type, metadata: kept, ...body },
    { aliasDuplicateObjects: false, lineWidth: 0 },
  );
  if (text.includes('{{')) throw new Error(`The definition of ${kind.kind} would be read as a template`);
  return text;
}
