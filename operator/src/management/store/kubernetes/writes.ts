/** Writes of objects: reviewed here, applied by the API server, and read back by the watches before they are answered. */
import { setTimeout } from 'node:timers/promises';
import { err, ok, type Result } from '@gatehouse/crds';
import { API_VERSION, KINDS, type KindName } from '@gatehouse/crds/kinds';
import type { ReviewView } from '../../../review/index.ts';
import type { KubeClient, KubeObject, ObjectMeta } from '../../../runtime/index.ts';
import { type CustomObject, kindRefOf } from '../../../world/index.ts';
import { differences, type FieldEdit, toPlain } from '../differences.ts';
import { ownerOf } from '../owner.ts';
import type { DeleteOptions, Draft, Place, StoredObject, WriteOptions, WriteProblem, Written } from '../port.ts';
import { permittedOnly, problemInReview } from '../review.ts';
import { applySet, FIELD_MANAGER, foreignFields, mergePatchOf, withEdits } from './apply-set.ts';
import type { Followed, KeptObjects } from './kept-objects.ts';
import { type Changed, problemOf, unlessAbsent } from './problems.ts';
import type { SecretWrite, SecretWriter } from './secrets.ts';
import { isBeingDeleted, type ParseOptions, readObject, toResource, toStored } from './stored-object.ts';

export interface WriteParts {
  readonly client: Pick<KubeClient, 'get' | 'apply' | 'mergePatch' | 'delete'>;
  readonly objects: KeptObjects;
  readonly secrets: SecretWriter;
  readonly view: ReviewView;
  readonly parse: ParseOptions;
  readonly signal: AbortSignal;
}

/** How often a change is tried while other processes write the same object. */
const MAX_TRIES = 20;
/** How long the operator may take to read what this process has read; a busy one lags for seconds. */
const OPERATOR_LAG_MS = 5_000;
const RETRY_MS = 100;
/** No object has it: the first version of a new cluster is higher. An apply with it makes an object, and changes none. */
const NEVER = '1';

type Attempt<T> = Promise<Result<T, WriteProblem | Changed>>;

export async function createObject<K extends KindName>(
  parts: WriteParts,
  place: Place<K>,
  { draft, how }: { readonly draft: Draft; readonly how: WriteOptions },
): Written<StoredObject<K>> {
  if (parts.objects.get(place) !== undefined) return err({ kind: 'exists' });
  const object = newObject(place, draft);
  const tried = how.permittedOnly === true ? permittedOnly(object) : object;
  const refused = problemInReview(place, { operation: 'CREATE', object: { ...tried } }, parts.view);
  if (refused !== undefined) return err(refused);
  const make = async (dryRun: boolean): Attempt<CustomObject> => {
    const { metadata, ...rest } = dryRun ? tried : object;
    const wanted = { ...rest, metadata: { ...metadata, resourceVersion: NEVER } };
    const call = parts.client.apply<CustomObject>(kindRefOf(place.kind), wanted, writeOptions(parts, how, dryRun));
    const outcome = await sent(place, call);
    if (outcome.ok || (outcome.error.kind !== 'changed' && outcome.error.kind !== 'owned')) return outcome;
    return err({ kind: 'exists' }); // nobody owns fields of an object that is not there
  };
  const { secret } = draft;
  // A refusal comes before the Secret is written.
  if (how.dryRun === true || how.permittedOnly === true || secret !== undefined) {
    const outcome = await make(true);
    if (!outcome.ok || how.dryRun === true) return settled(parts, place, outcome);
  }
  using followed = parts.objects.follow(place);
  const write = secret && { place, draft: secret, force: how.force };
  const secretWritten = write && (await parts.secrets.write(write));
  if (secretWritten?.ok === false) return secretWritten;
  const made = await make(false);
  if (made.ok && write !== undefined && secretWritten !== undefined) {
    await adopt(parts, write, { object: made.value, written: secretWritten.value });
  }
  return await answered(parts, place, { outcome: made, followed });
}

function newObject({ kind, name, namespace }: Place, { annotations, labels, spec }: Draft): CustomObject {
  const scope = KINDS[kind].scope === 'Cluster' || namespace === undefined ? {} : { namespace };
  const own = toPlain({ annotations, labels }) as Pick<ObjectMeta, 'annotations' | 'labels'>; // undefined is gone
  return { apiVersion: API_VERSION, kind, metadata: { name, ...scope, ...own }, spec: toPlain(spec) };
}

interface Update<K extends KindName> {
  readonly change: (current: StoredObject<K>) => Draft;
  readonly how: WriteOptions;
}

export async function updateObject<K extends KindName>(
  parts: WriteParts,
  place: Place<K>,
  update: Update<K>,
): Written<StoredObject<K>> {
  using followed = parts.objects.follow(place);
  for (let i = 0; i < MAX_TRIES; i += 1) {
    const outcome = await tryUpdate(parts, place, update);
    if (outcome.ok || outcome.error.kind !== 'changed') return await answered(parts, place, { outcome, followed });
  }
  return err({ kind: 'contended' });
}

async function tryUpdate<K extends KindName>(
  parts: WriteParts,
  place: Place<K>,
  { change, how }: Update<K>,
): Attempt<CustomObject> {
  const live = await liveObject(parts, place);
  const current = live && toStored(place.kind, readObject(place.kind, live, parts.parse));
  if (live === undefined || current === undefined) return err({ kind: 'absent' });
  const draft = change(current);
  const edits = editsOf(current, draft);
  const refused = refusalOf(parts, place, { live, edits, how });
  if (refused !== undefined) return err(refused);
  const { secret } = draft;
  const send = (dryRun: boolean): Attempt<CustomObject> =>
    edits.length === 0
      ? Promise.resolve(ok(live))
      : sent(place, sendEdits(parts, { live, edits }, writeOptions(parts, how, dryRun)));
  if (how.dryRun === true) return send(true);
  if (secret === undefined) return emptied(parts, place, { draft, outcome: await send(false) });
  const tried = await send(true); // a refusal comes before the Secret is written
  if (!tried.ok) return tried;
  const write = { place, draft: secret, force: how.force, uid: current.meta.uid };
  const written = await parts.secrets.write(write);
  if (!written.ok) return written;
  const outcome = await send(false);
  if (outcome.ok) await adopt(parts, write, { object: outcome.value, written: written.value });
  return emptied(parts, place, { draft, outcome });
}

/** The object is written: what cannot be taken out of its old Secrets now goes with it. */
async function emptied<T extends Result<unknown, unknown>>(
  { secrets }: WriteParts,
  place: Place,
  { draft: { retired = [] }, outcome }: { readonly draft: Draft; readonly outcome: T },
): Promise<T> {
  if (outcome.ok) await Promise.allSettled(retired.map((name) => secrets.empty(place, name)));
  return outcome;
}

const editsOf = ({ spec, meta }: StoredObject, draft: Draft): readonly FieldEdit[] => [
  ...differences(toPlain(spec), toPlain(draft.spec), ['spec']),
  ...differences(meta.annotations, toPlain({ ...meta.annotations, ...draft.annotations }), ['metadata', 'annotations']),
  ...differences(meta.labels, toPlain({ ...meta.labels, ...draft.labels }), ['metadata', 'labels']),
];

interface Change {
  readonly live: CustomObject;
  readonly edits: readonly FieldEdit[];
}

function refusalOf(
  { view }: WriteParts,
  place: Place,
  { live, edits, how }: Change & { readonly how: WriteOptions },
): WriteProblem | undefined {
  if (edits.length === 0) return undefined;
  if (!how.force) {
    const owner = markedOwner(live);
    const foreign = foreignFields(live, edits);
    const fields = edits.map(({ path }) => path.join('.'));
    if (owner !== undefined) return { kind: 'owned', owner, fields };
    if (foreign.managers.length > 0)
      return { kind: 'owned', owner: foreign.managers.join(', '), fields: foreign.fields };
  }
  const before = { ...toResource(live) };
  return problemInReview(place, { operation: 'UPDATE', object: withEdits(before, edits), oldObject: before }, view);
}

const markedOwner = ({ metadata: { labels = {}, annotations = {} } }: KubeObject): string | undefined =>
  ownerOf({ labels, annotations });

/** An apply; what it would leave in place is taken away by a patch, which does the same for others. */
function sendEdits({ client }: WriteParts, { live, edits }: Change, how: ReturnType<typeof writeOptions>) {
  const ref = kindRefOf(live.kind as KindName); // the kind that was asked for
  const { outlastApply, wasPatched } = foreignFields(live, edits);
  if (outlastApply) return client.mergePatch<CustomObject>(ref, live.metadata, mergePatchOf(live, edits), how);
  return client.apply<CustomObject>(ref, applySet(live, edits), { ...how, force: how.force || wasPatched });
}

export async function deleteObject(parts: WriteParts, place: Place, how: DeleteOptions): Written<undefined> {
  using followed = parts.objects.follow(place);
  const live = await liveObject(parts, place);
  if (live === undefined) return err({ kind: 'absent' });
  const owner = how.force ? undefined : markedOwner(live);
  if (owner !== undefined) return err({ kind: 'owned', owner, fields: [] });
  const refused = problemInReview(place, { operation: 'DELETE', oldObject: { ...toResource(live) } }, parts.view);
  if (refused !== undefined) return err(refused);
  const outcome = await sendDeletion(parts, place, { live, how });
  if (!outcome.ok) return err(outcome.error.kind === 'changed' ? { kind: 'contended' } : outcome.error);
  if (how.dryRun !== true) await followed.untilRead(undefined);
  return ok(undefined);
}

/** Waits for an operator that has not read yet that the users are gone, as long as there is something to read. */
async function sendDeletion(
  { client, signal, objects }: WriteParts,
  place: Place,
  { live, how }: { readonly live: CustomObject; readonly how: DeleteOptions },
): Attempt<unknown> {
  const lastMs = performance.now() + OPERATOR_LAG_MS - objects.msSinceChange();
  for (;;) {
    const given = { uid: live.metadata.uid, dryRun: how.dryRun === true, signal };
    const outcome = await sent(place, client.delete(kindRefOf(place.kind), live.metadata, given));
    if (outcome.ok || outcome.error.kind !== 'in-use' || performance.now() > lastMs) return outcome;
    if (how.expects !== undefined && outcome.error.users.every(how.expects)) return outcome;
    await setTimeout(RETRY_MS, undefined, { signal });
  }
}

async function liveObject({ client, signal }: WriteParts, { kind, ...name }: Place): Promise<CustomObject | undefined> {
  const live = await unlessAbsent(client.get<CustomObject>(kindRefOf(kind), name, { signal }));
  return live === undefined || isBeingDeleted(live.metadata) ? undefined : live;
}

const writeOptions = ({ signal }: WriteParts, { force }: WriteOptions, dryRun: boolean) => ({
  fieldManager: FIELD_MANAGER,
  force,
  dryRun,
  signal,
});

async function sent<T>(place: Place, call: Promise<T>): Attempt<T> {
  try {
    return ok(await call);
  } catch (error) {
    return err(problemOf(error, place));
  }
}

async function adopt(
  { secrets }: WriteParts,
  write: SecretWrite,
  { object, written }: { readonly object: KubeObject; readonly written: ObjectMeta },
): Promise<void> {
  const { uid } = object.metadata;
  if (uid !== undefined) await secrets.adopt({ ...write, uid }, written);
}

interface Outcome {
  readonly outcome: Awaited<Attempt<CustomObject>>;
  readonly followed: Followed;
}

/** Lists have the object as soon as the write is answered; to be awaited while the object is followed. */
async function answered<K extends KindName>(
  parts: WriteParts,
  place: Place<K>,
  { outcome, followed }: Outcome,
): Written<StoredObject<K>> {
  if (outcome.ok) await followed.untilRead(outcome.value.metadata.resourceVersion);
  return settled(parts, place, outcome);
}

function settled<K extends KindName>(
  { parse }: WriteParts,
  { kind }: Place<K>,
  outcome: Outcome['outcome'],
): Awaited<Written<StoredObject<K>>> {
  if (!outcome.ok) return err(outcome.error.kind === 'changed' ? { kind: 'contended' } : outcome.error);
  const stored = toStored(kind, readObject(kind, outcome.value, parse));
  return stored === undefined ? err({ kind: 'contended' }) : ok(stored);
}
