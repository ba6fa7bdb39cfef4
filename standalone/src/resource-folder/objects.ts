/** Reads resources of Gatehouse, Secrets and Namespaces from documents; lists are expanded. */
import { formatPath, isObject } from '@gatehouse/crds';
import { API_VERSION, GROUP, isKindName, KINDS, type KindName } from '@gatehouse/crds/kinds';
import { objectKey, type WorldObject } from '@gatehouse/operator/translate';
import type { FieldPath, Position, SourceDocument } from './documents.ts';
import type { FileProblem } from './problem.ts';

/** One object of a file. */
export interface FileObject {
  readonly kind: KindName | 'Secret' | 'Namespace';
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly key: string;
  readonly name: string;
  /** With the default namespace where it had none. */
  readonly value: WorldObject;
  /** It has the default namespace because it names none. */
  readonly inDefaultNamespace: boolean;
  locate(path: FieldPath): Position;
}

export interface FileContent {
  readonly objects: readonly FileObject[];
  readonly problems: readonly Omit<FileProblem, 'file'>[];
  /** Kinds that are not of Gatehouse and were ignored. */
  readonly ignored: readonly string[];
}

interface ReadOptions {
  /** The namespace of objects that name none. */
  readonly defaultNamespace: string;
}

/** Objects of one file, after expanding lists. */
const MAX_OBJECTS = 200_000;
/** Levels of nested lists. */
const MAX_LIST_DEPTH = 4;

export function readObjects(documents: readonly SourceDocument[], options: ReadOptions): FileContent {
  const content = { objects: [] as FileObject[], problems: [] as Omit<FileProblem, 'file'>[], ignored: [] as string[] };
  for (const part of documents.flatMap((document) => [...partsOf(document, document.value, [])])) {
    const read = readObject(part, options);
    if (read === undefined) continue;
    if (typeof read === 'string') content.ignored.push(read);
    else if ('message' in read) content.problems.push(read);
    else if (content.objects.length < MAX_OBJECTS) content.objects.push(read);
  }
  return content;
}

/** A document, or one item of a list in it. */
interface Part {
  readonly value: unknown;
  locate(path: FieldPath): Position;
}

function* partsOf(document: SourceDocument, value: unknown, path: FieldPath, depth = 0): Generator<Part> {
  if (isObject(value) && isList(value) && depth < MAX_LIST_DEPTH) {
    for (const [i, item] of value.items.entries()) yield* partsOf(document, item, [...path, 'items', i], depth + 1);
  } else {
    yield { value, locate: (below) => document.locate([...path, ...below]) };
  }
}

/** `v1/List`, as `kubectl get -o yaml` writes it, and lists in the form of the API server. */
const isList = (value: Record<string, unknown>): value is Record<string, unknown> & { items: unknown[] } =>
  typeof value['kind'] === 'string' && value['kind'].endsWith('List') && Array.isArray(value['items']);

/** The object, a problem, the name of a kind that is ignored, or undefined for an empty document. */
function readObject(
  { value, locate }: Part,
  { defaultNamespace }: ReadOptions,
): FileObject | Omit<FileProblem, 'file'> | string | undefined {
  const problem = (path: FieldPath, message: string) => ({ ...locate(path), path: formatPath(path), message });
  if (value === null) return undefined;
  if (!isObject(value)) return problem([], 'expected a resource: a map with apiVersion, kind and metadata');
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== 'string') return problem(['apiVersion'], 'expected the apiVersion of a resource');
  if (typeof kind !== 'string') return problem(['kind'], 'expected the kind of a resource');
  const known = kindOf(apiVersion, kind);
  if (known === undefined)
    return isInGroup(apiVersion) ? problem(...unknownResource(apiVersion, kind)) : `${apiVersion}/${kind}`;
  const name = isObject(metadata) ? metadata['name'] : undefined;
  if (!isObject(metadata) || typeof name !== 'string' || name === '') {
    return problem(['metadata', 'name'], `the ${kind} needs a name`);
  }
  const namespace = namespaceOf(known, metadata, defaultNamespace);
  return {
    kind: known,
    name,
    key: objectKey(namespace, name),
    // The kind is checked above; for Secret and Namespace the type requires metadata only.
    value: {
      ...value,
      metadata: { ...metadata, ...(namespace === undefined ? {} : { namespace }) },
    } as unknown as WorldObject,
    inDefaultNamespace: namespace !== undefined && namespace !== metadata['namespace'],
    locate,
  };
}

/** The same object in another namespace. */
export const inNamespace = (object: FileObject, namespace: string): FileObject => ({
  ...object,
  key: objectKey(namespace, object.name),
  value: { ...object.value, metadata: { ...object.value.metadata, namespace } },
  inDefaultNamespace: false,
});

function kindOf(apiVersion: string, kind: string): FileObject['kind'] | undefined {
  if (apiVersion === 'v1' && (kind === 'Secret' || kind === 'Namespace')) return kind;
  return apiVersion === API_VERSION && isKindName(kind) ? kind : undefined;
}

const isInGroup = (apiVersion: string): boolean => apiVersion === GROUP || apiVersion.startsWith(`${GROUP}/`);

/** Why a resource of the group is refused: unknown version or kind. */
function unknownResource(apiVersion: string, kind: string): [FieldPath, string] {
  if (apiVersion !== API_VERSION)
    return [['apiVersion'], `unknown version ${apiVersion}; this version supports ${API_VERSION}`];
  return [['kind'], `unknown kind ${kind}; known kinds are ${Object.keys(KINDS).sort().join(', ')}`];
}

function namespaceOf(
  kind: FileObject['kind'],
  { namespace }: Record<string, unknown>,
  defaultNamespace: string,
): string | undefined {
  if (kind === 'Namespace' || (kind !== 'Secret' && KINDS[kind].scope === 'Cluster')) return undefined;
  return typeof namespace === 'string' && namespace !== '' ? namespace : defaultNamespace;
}
