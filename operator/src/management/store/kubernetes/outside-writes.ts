/** Writes as watches show them: whose they are is in `metadata.specWrites`. */
import { isDeepStrictEqual } from 'node:util';
import type { KindName } from '@gatehouse/crds/kinds';
import type { ObjectMeta, SpecWrite } from '../../../runtime/index.ts';
import type { CustomObject } from '../../../world/index.ts';
import type { OutsideWrite } from '../outside-write.ts';
import { FIELD_MANAGER } from './apply-set.ts';
import { isBeingDeleted } from './stored-object.ts';

type Seen = CustomObject | undefined;

/** The writes between two states under one name; writes of metadata and status are none. */
export function outsideWrites(kind: KindName, previous: Seen, object: Seen): readonly OutsideWrite[] {
  const isSame = previous !== undefined && previous.metadata.uid === object?.metadata.uid;
  const before = previous === undefined || isBeingDeleted(previous.metadata) ? undefined : previous;
  const after = object === undefined || isBeingDeleted(object.metadata) ? undefined : object;
  if (isSame && before !== undefined && after !== undefined)
    return generationOf(before) === generationOf(after) ? [] : [written(kind, before, after)];
  const writes: OutsideWrite[] = [];
  if (before !== undefined) writes.push(deleted(kind, before, isSame ? object : undefined));
  if (after !== undefined) writes.push(written(kind, undefined, after));
  return writes;
}

const generationOf = ({ metadata }: CustomObject): number => metadata.generation ?? 0;

const nameOf = (kind: KindName, { namespace, name, uid = '' }: ObjectMeta) => ({ kind, namespace, name, uid });

function deleted(kind: KindName, before: CustomObject, ending: Seen): OutsideWrite {
  return {
    ...nameOf(kind, before.metadata),
    generation: generationOf(before),
    action: 'delete',
    time: ending?.metadata.deletionTimestamp ?? undefined,
    mayBeCall: true,
    manager: undefined,
    before: before.spec,
    after: undefined,
  };
}

function written(kind: KindName, before: Seen, after: CustomObject): OutsideWrite {
  const last = lastOfSpec(before, after);
  return {
    ...nameOf(kind, after.metadata),
    generation: generationOf(after),
    action: before === undefined ? 'create' : 'update',
    time: last?.time,
    mayBeCall: last?.manager === FIELD_MANAGER,
    manager: last?.manager,
    before: before?.spec,
    after: after.spec,
  };
}

/** Times are whole seconds: of several managers it is the one whose time has changed. */
function lastOfSpec(before: Seen, after: CustomObject): SpecWrite | undefined {
  const known = before?.metadata.specWrites ?? [];
  const all = after.metadata.specWrites ?? [];
  const changed = all.filter((write) => !known.some((one) => isDeepStrictEqual(one, write)));
  return (changed.length === 0 ? all : changed).toSorted((a, b) => a.time.localeCompare(b.time)).at(-1);
}
