/** Secrets that belong to objects of the management API. */
import { isObject } from '@gatehouse/crds';
import type { Place, SecretDraft, WriteProblem } from '@gatehouse/operator/management';
import { objectKey, type WorldObject } from '@gatehouse/operator/translate';
import type { Files } from './files.ts';
import { keyOf } from './stored-objects.ts';
import type { Edit } from './yaml-edit/index.ts';

/** Names the object that a Secret belongs to: `Kind/name`. */
const OWNER = 'gatehouse.dev/belongs-to';

interface SecretWrite {
  readonly place: Place;
  readonly draft: SecretDraft | undefined;
  readonly force: boolean;
  /** The object does not exist yet: what its Secret has of an earlier one is taken away. */
  readonly isNew: boolean;
}

const ownerOf = ({ kind, name }: Place): string => `${kind}/${name}`;

/** Writes the entries into the Secret of the object, in a file of its own that only the owner of the process may read. */
export async function writeSecret(
  files: Files,
  { place, draft, force, isNew }: SecretWrite,
): Promise<WriteProblem | undefined> {
  if (draft === undefined) return undefined;
  const { namespace = '' } = place;
  const id = `Secret/${objectKey(namespace, draft.name)}`;
  const found = files.located(id);
  const entries = Object.entries(draft.entries);
  if (found === undefined) {
    const stringData = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
    const metadata = { name: draft.name, namespace, annotations: { [OWNER]: ownerOf(place) } };
    const content = { apiVersion: 'v1', kind: 'Secret', metadata, stringData };
    return files.add({ path: [namespace, 'secret', draft.name], content, isPrivate: true });
  }
  const isOwn = annotationsOf(found.object.value)[OWNER] === ownerOf(place);
  if (!force && !isOwn) {
    return { kind: 'owned', owner: `whoever wrote the Secret ${draft.name}`, fields: entries.map(([name]) => name) };
  }
  const earlier = isNew && isOwn ? entryNames(found.object.value) : [];
  const written = new Map([...earlier.map((name) => [name, undefined] as const), ...entries]);
  return files.editById(
    id,
    [...written].flatMap(([name, value]): Edit[] => [
      { path: ['data', name], value: undefined },
      { path: ['stringData', name], value },
    ]),
  );
}

const entryNames = ({ data, stringData }: WorldObject & { readonly data?: unknown; readonly stringData?: unknown }) =>
  [data, stringData].flatMap((entries) => (isObject(entries) ? Object.keys(entries) : []));

/** Removes the Secrets of an object that is gone, or those of one that it does not use any more. */
export async function removeSecretsOf(files: Files, place: Place, names?: readonly string[]): Promise<void> {
  const prefix = keyOf(place).slice(0, -place.name.length);
  const own = [...files.all()].filter(
    ([id, { object }]) =>
      id === `Secret/${prefix}${object.name}` &&
      annotationsOf(object.value)[OWNER] === ownerOf(place) &&
      (names?.includes(object.name) ?? true),
  );
  for (const [id] of own) await files.remove(id);
}

const annotationsOf = ({ metadata }: WorldObject): Readonly<Record<string, unknown>> => {
  const { annotations } = metadata;
  return isObject(annotations) ? annotations : {};
};
