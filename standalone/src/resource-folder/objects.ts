/** Reads resources of Gatehouse, Secrets and Namespaces from documents; lists are expanded. */
import { didYouMean, formatPath, isObject, nearestName } from '@gatehouse/crds';
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
  /** The document of the text, and the path of the object in it where it is an item of a list. */
  readonly at: { readonly document: number; readonly path: FieldPath };
  locate(path: FieldPath): Position;
}

/** A problem of a document that is no object. */
export interface DocumentProblem extends Omit<FileProblem, 'file'> {
  /** Keys of what the document was meant to be; see `withheldBy`. */
  readonly withholds: readonly string[];
  /** It may have been meant as a Workspace or an Organisation. */
  readonly mayBeTenancy: boolean;
}

export interface FileContent {
  readonly objects: readonly FileObject[];
  readonly problems: readonly DocumentProblem[];
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
  const content = { objects: [] as FileObject[], problems: [] as DocumentProblem[], ignored: [] as string[] };
  for (const part of documents.flatMap((document, i) => [...partsOf({ ...document, i }, document.value, [])])) {
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
  readonly at: FileObject['at'];
  locate(path: FieldPath): Position;
}

function* partsOf(
  document: SourceDocument & { readonly i: number },
  value: unknown,
  path: FieldPath,
  depth = 0,
): Generator<Part> {
  if (isObject(value) && isList(value) && depth < MAX_LIST_DEPTH) {
    for (const [i, item] of value.items.entries()) yield* partsOf(document, item, [...path, 'items', i], depth + 1);
  } else {
    yield { value, at: { document: document.i, path }, locate: (below) => document.locate([...path, ...below]) };
  }
}

/** `v1/List`, as `kubectl get -o yaml` writes it, and lists in the form of the API server. */
const isList = (value: Record<string, unknown>): value is Record<string, unknown> & { items: unknown[] } =>
  typeof value['kind'] === 'string' && value['kind'].endsWith('List') && Array.isArray(value['items']);

/** The object, a problem, the name of a kind that is ignored, or undefined for an empty document. */
function readObject(
  { value, at, locate }: Part,
  { defaultNamespace }: ReadOptions,
): FileObject | DocumentProblem | string | undefined {
  if (value === null) return undefined;
  const problem = (path: FieldPath, message: string, withholds: readonly string[] = []): DocumentProblem => ({
    ...locate(path),
    path: formatPath(path),
    message,
    withholds,
    mayBeTenancy: isObject(value) && mayBeTenancy(value),
  });
  if (!isObject(value)) return problem([], 'expected a resource: a map with apiVersion, kind and metadata');
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== 'string') return problem(['apiVersion'], 'expected the apiVersion of a resource');
  if (typeof kind !== 'string') return problem(['kind'], 'expected the kind of a resource');
  const known = kindOf(apiVersion, kind);
  const name = isObject(metadata) ? metadata['name'] : undefined;
  if (known === undefined) {
    const mistake = mistakeIn(apiVersion, kind);
    if (mistake === undefined) return `${apiVersion}/${kind}`;
    const { path, message, meant } = mistake;
    if (meant === undefined || !isObject(metadata) || typeof name !== 'string') return problem(path, message);
    const key = objectKey(namespaceOf(meant, metadata, defaultNamespace), name);
    return { ...problem(path, message, withheldBy({ kind: meant, key, value })), object: `${kind}/${name}` };
  }
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
    at,
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

/** Keys of what is missing while the object is not served, `Kind/namespace/name` or `Kind/name`: with a Workspace, its namespace. */
export function withheldBy({ kind, key, value }: WithheldObject): readonly string[] {
  const own = `${kind}/${key}`;
  const spec = kind === 'Workspace' ? value['spec'] : undefined;
  const namespace = isObject(spec) ? spec['namespace'] : undefined;
  return typeof namespace === 'string' ? [own, `Namespace/${namespace}`] : [own];
}

interface WithheldObject extends Pick<FileObject, 'kind' | 'key'> {
  readonly value: Readonly<Record<string, unknown>>;
}

/** Of what is of no kind that is nearly its own, whatever has our group: nothing else tells what it was meant to be. */
function mayBeTenancy({ apiVersion, kind }: Readonly<Record<string, unknown>>): boolean {
  const near = typeof kind === 'string' ? nearestName(kind, KIND_NAMES) : undefined;
  if (near !== undefined) return isTenancy(near);
  return typeof apiVersion === 'string' && nearestName(apiVersion.split('/')[0] ?? '', [GROUP]) !== undefined;
}

/** Whether objects of the kind say which workspaces there are. */
export const isTenancy = (kind: string): boolean => kind === 'Workspace' || kind === 'Organisation';

function kindOf(apiVersion: string, kind: string): FileObject['kind'] | undefined {
  if (apiVersion === 'v1' && (kind === 'Secret' || kind === 'Namespace')) return kind;
  return apiVersion === API_VERSION && isKindName(kind) ? kind : undefined;
}

interface Mistake {
  readonly path: FieldPath;
  readonly message: string;
  /** The kind that was meant. */
  readonly meant: KindName | undefined;
}

const KIND_NAMES = Object.keys(KINDS).filter(isKindName).sort();

/** Why a resource that looks like one of ours is refused; undefined: it is of somebody else. */
function mistakeIn(apiVersion: string, kind: string): Mistake | undefined {
  const near = nearestName(kind, KIND_NAMES);
  const meant = KIND_NAMES.find((name) => name === near);
  const [group = '', version] = apiVersion.split('/');
  if (group === GROUP) return apiVersion === API_VERSION ? unknownKind(kind, meant) : unknownVersion(apiVersion, meant);
  // Others have kinds of the same name, in groups of their own: a group has a dot.
  const isOurs =
    nearestName(group, [GROUP]) === undefined ? isKindName(kind) && !group.includes('.') : meant !== undefined;
  if (!isOurs) return undefined;
  const what = version === undefined ? apiVersion : group;
  return { path: ['apiVersion'], message: `unknown group ${what}; did you mean ${API_VERSION}?`, meant };
}

const unknownVersion = (apiVersion: string, meant: Mistake['meant']): Mistake => ({
  path: ['apiVersion'],
  message: `unknown version ${apiVersion}; this version supports ${API_VERSION}`,
  meant,
});

const unknownKind = (kind: string, meant: Mistake['meant']): Mistake => ({
  path: ['kind'],
  message: `unknown kind ${kind}${meant === undefined ? `; known kinds are ${KIND_NAMES.join(', ')}` : didYouMean(meant)}`,
  meant,
});

function namespaceOf(
  kind: FileObject['kind'],
  { namespace }: Record<string, unknown>,
  defaultNamespace: string,
): string | undefined {
  if (kind === 'Namespace' || (kind !== 'Secret' && KINDS[kind].scope === 'Cluster')) return undefined;
  return typeof namespace === 'string' && namespace !== '' ? namespace : defaultNamespace;
}
