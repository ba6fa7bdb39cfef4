/** Secrets that belong to objects: created and patched, and never read; answers have nothing but their metadata. */
import { err, ok, type Result } from '@gatehouse/crds';
import { KINDS } from '@gatehouse/crds/kinds';
import { apiVersionOf, hasReason, type KubeClient, type KubeObject, type ObjectMeta } from '../../../runtime/index.ts';
import { kindRefOf, SECRETS, type SecretObject } from '../../../world/index.ts';
import type { Place, SecretDraft, WriteProblem } from '../port.ts';
import { FIELD_MANAGER } from './apply-set.ts';
import { managedEntries } from './managed-fields.ts';
import { problemOf, unlessAbsent } from './problems.ts';

/** Names the object that a Secret belongs to: `Kind/name`. */
const OWNER = 'gatehouse.dev/belongs-to';
/** How often a Secret is tried while others change it. */
const MAX_TRIES = 5;

export interface SecretWrite {
  readonly place: Place;
  readonly draft: SecretDraft;
  readonly force: boolean;
  /** Absent: the object does not exist yet, and what a Secret has of an earlier one is taken away. */
  readonly uid?: string | undefined;
}

export interface SecretWriter {
  /** The metadata of the Secret as it was written. */
  write(write: SecretWrite): Promise<Result<ObjectMeta, WriteProblem>>;
  /**
   * Makes a Secret go with its object, and writes it again where somebody else has changed it since: of two that create the same
   * object at the same time, one has written the Secret of both.
   */
  adopt(write: SecretWrite & { readonly uid: string }, written: ObjectMeta): Promise<void>;
  /** Takes everything out of a Secret that belongs to the object; another stays as it is. */
  empty(place: Place, name: string): Promise<void>;
}

interface SecretWriterOptions {
  readonly client: Pick<KubeClient, 'create' | 'mergePatch'>;
  /** Whether the object exists in the cluster, not only in what was read before. */
  readonly exists: (place: Place) => Promise<boolean>;
  readonly signal: AbortSignal;
}

export function createSecretWriter({ client, exists, signal }: SecretWriterOptions): SecretWriter {
  const how = { fieldManager: FIELD_MANAGER, metadataOnly: true, signal };
  const patch = (
    name: { readonly name: string; readonly namespace?: string | undefined },
    body: object,
    dryRun = false,
  ) => client.mergePatch<KubeObject>(SECRETS, name, body, { ...how, dryRun });
  /** A patch that changes nothing, and is not made: the right to read Secrets would show what is in them. */
  const metadataOf = async (write: SecretWrite): Promise<ObjectMeta | undefined> =>
    (await unlessAbsent(patch(nameOf(write), {}, true)))?.metadata;

  const tryWrite = async (write: SecretWrite): Promise<Result<ObjectMeta, WriteProblem>> => {
    const present = await metadataOf(write);
    if (present === undefined) return ok((await client.create(SECRETS, newSecret(write), how)).metadata);
    const { place, draft, force, uid } = write;
    const isOwn = present.annotations?.[OWNER] === ownerOf(place);
    if (!isOwn && !force) {
      const owner = `whoever wrote the Secret ${draft.name}`;
      return err({ kind: 'owned', owner, fields: Object.keys(draft.entries) });
    }
    const isNew = isOwn && uid === undefined;
    // An object whose Secret still goes with it was created meanwhile, or its Secret is about to be removed with it.
    if (isNew && (present.ownerReferences ?? []).length > 0 && (await exists(place))) return err({ kind: 'exists' });
    const { resourceVersion } = present;
    const metadata = { resourceVersion, ...(isNew ? { ownerReferences: null } : {}) };
    const earlier = isNew ? entryNames(present).map((name) => [name, null]) : [];
    const data = { ...Object.fromEntries(earlier), ...toData(draft) };
    return ok((await patch(nameOf(write), { metadata, data })).metadata);
  };

  return {
    write: async (write) => {
      if (write.place.namespace === undefined) return err(NO_NAMESPACE);
      for (let i = 0; i < MAX_TRIES; i += 1) {
        try {
          return await tryWrite(write);
        } catch (error) {
          const problem = problemOf(error, { ...write.place, name: write.draft.name });
          if (problem.kind !== 'changed' && problem.kind !== 'exists' && problem.kind !== 'absent') return err(problem);
        }
      }
      return err({ kind: 'contended' });
    },
    adopt: async (write, written) => {
      if (written.annotations?.[OWNER] !== ownerOf(write.place)) return;
      if (written.ownerReferences?.some(({ uid }) => uid === write.uid) === true) return;
      const ownerReferences = [referenceTo(write.place, write.uid)];
      let body: object = { metadata: { resourceVersion: written.resourceVersion, ownerReferences } };
      for (let i = 0; i < MAX_TRIES && !(await isDone(patch(nameOf(write), body))); i += 1) {
        const resourceVersion = (await metadataOf(write))?.resourceVersion;
        body = { metadata: { resourceVersion, ownerReferences }, data: toData(write.draft) };
      }
    },
    empty: async (place, name) => {
      const write = { place, draft: { name, entries: {} }, force: false };
      for (let i = 0; i < MAX_TRIES; i += 1) {
        const present = await metadataOf(write);
        if (present?.annotations?.[OWNER] !== ownerOf(place)) return;
        const data = Object.fromEntries(entryNames(present).map((entry) => [entry, null]));
        const { resourceVersion } = present;
        if (await isDone(patch(nameOf(write), { metadata: { resourceVersion }, data }))) return;
      }
    },
  };
}

/** False after a conflict. Some clusters let only those change owners who may delete: the Secret then stays when its object goes. */
const isDone = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => true,
    (error: unknown) => {
      if (hasReason(error, 'Forbidden', 'NotFound')) return true;
      if (hasReason(error, 'Conflict')) return false;
      throw error;
    },
  );

const NO_NAMESPACE: WriteProblem = { kind: 'forbidden', message: 'A Secret needs an object with a namespace' };

const ownerOf = ({ kind, name }: Place): string => `${kind}/${name}`;

const nameOf = ({ place: { namespace }, draft: { name } }: SecretWrite) => ({ name, namespace });

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');

const toData = ({ entries }: SecretDraft): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    Object.entries(entries).map(([name, value]) => [name, value === undefined ? null : toBase64(value)]),
  );

function newSecret({ place, draft, uid }: SecretWrite): SecretObject {
  const entries = Object.entries(toData(draft)).filter((entry): entry is [string, string] => entry[1] !== null);
  const { namespace } = place;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: draft.name,
      namespace,
      annotations: { [OWNER]: ownerOf(place) },
      ...(uid === undefined ? {} : { ownerReferences: [referenceTo(place, uid)] }),
    },
    type: 'Opaque',
    data: Object.fromEntries(entries),
  };
}

function referenceTo({ kind, name }: Place, uid: string) {
  const ref = kindRefOf(kind);
  return { apiVersion: apiVersionOf(ref), kind: KINDS[kind].kind, name, uid };
}

/** Who has set which entry names all of them. */
const entryNames = (metadata: ObjectMeta): readonly string[] => [
  ...new Set(
    managedEntries(metadata).flatMap(({ fields }) =>
      Object.keys(fields['f:data'] ?? {}).flatMap((key) => (key.startsWith('f:') ? [key.slice('f:'.length)] : [])),
    ),
  ),
];
