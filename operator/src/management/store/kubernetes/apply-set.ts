/** What a change sends to the API server. */
import { isObject } from '@gatehouse/crds';
import type { KubeObject } from '../../../runtime/index.ts';
import type { CustomObject } from '../../../world/index.ts';
import type { FieldEdit } from '../differences.ts';
import { hasField, type ManagedEntry, managedEntries, ownedPart } from './managed-fields.ts';

/** It never changes: fields in clusters belong to it. */
export const FIELD_MANAGER = 'gatehouse-management';

type Members = Readonly<Record<string, unknown>>;

/**
 * All that our manager sets once the edits are made: what it owns already, and the edits. What it leaves out is taken away by the
 * API server where nobody else owns it.
 */
export function applySet(live: CustomObject, edits: readonly FieldEdit[]): KubeObject {
  const own = managedEntries(live.metadata).find(isOurApply);
  const owned = own === undefined ? {} : ownedPart(live, own.fields);
  const { metadata = {}, spec = {} } = (isObject(owned) ? owned : {}) as Partial<Record<string, Members>>; // of an object
  const { apiVersion, kind } = live;
  const { name, namespace, resourceVersion } = live.metadata;
  const place = { name, ...(namespace === undefined ? {} : { namespace }), resourceVersion };
  const edited = withEdits({ metadata, spec }, edits) as Record<string, Members>; // both are objects
  // An empty map of ours would later stand for all that others have put into it.
  const kept = Object.entries(edited['metadata'] ?? {}).filter(([, part]) => !isEmptyMap(part));
  return { apiVersion, kind, metadata: { ...Object.fromEntries(kept), ...place }, ...{ spec: edited['spec'] } };
}

const isEmptyMap = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;

/** A merge patch (RFC 7396) with the edits: it takes fields away whoever owns them. */
export function mergePatchOf(live: CustomObject, edits: readonly FieldEdit[]): Members {
  const { resourceVersion } = live.metadata;
  return withEdits(
    { metadata: { resourceVersion } },
    edits.map(({ path, value }) => ({ path, value: value === undefined ? null : value })),
  );
}

/** A copy with the edits, whose paths go through maps. */
export function withEdits(value: Members, edits: readonly FieldEdit[]): Members {
  return edits.reduce((root, { path, value: to }) => withEdit(root, path, to), value);
}

function withEdit(value: Members, [step = '', ...rest]: FieldEdit['path'], to: unknown): Members {
  const { [step]: before, ...others } = value;
  if (rest.length === 0) return to === undefined ? others : { ...value, [step]: to };
  if (!isObject(before) && to === undefined) return value;
  return { ...value, [step]: withEdit(isObject(before) ? before : {}, rest, to) };
}

/** Fields of a change that somebody else has set. */
export interface ForeignFields {
  /** Other managers, sorted. */
  readonly managers: readonly string[];
  /** `spec.value` */
  readonly fields: readonly string[];
  /** Whether an apply would leave something of what is to be taken away, since it is not ours alone. */
  readonly outlastApply: boolean;
  /** Whether an earlier patch of ours has set something, which an apply takes over by force only. */
  readonly wasPatched: boolean;
}

export function foreignFields(live: KubeObject, edits: readonly FieldEdit[]): ForeignFields {
  const entries = managedEntries(live.metadata);
  const managers = new Set<string>();
  const fields = new Set<string>();
  let [outlastApply, wasPatched] = [false, false];
  for (const { path, value } of edits) {
    const owning = entries.filter((entry) => hasField(entry.fields, path));
    const isOursAlone = owning.length === 1 && owning.every(isOurApply);
    // Items of a list may have several owners; members of maps are edits of their own.
    const takesAway = (value === undefined || typeof value === 'object') && valueAt(live, path) !== undefined;
    outlastApply ||= takesAway && !isOursAlone;
    wasPatched ||= owning.some((entry) => entry.manager === FIELD_MANAGER && entry.operation === 'Update');
    for (const { manager } of owning.filter((entry) => entry.manager !== FIELD_MANAGER)) {
      managers.add(manager);
      fields.add(path.join('.'));
    }
  }
  return { managers: [...managers].sort(), fields: [...fields], outlastApply, wasPatched };
}

const isOurApply = ({ manager, operation }: ManagedEntry): boolean =>
  manager === FIELD_MANAGER && operation === 'Apply';

const valueAt = (object: unknown, path: FieldEdit['path']): unknown =>
  path.reduce((value, step) => (isObject(value) ? value[step] : undefined), object);
