/** The Secret with a minted key, and the next action on it. Random bits are passed in. */
import { randomBytes } from 'node:crypto';
import { isObject } from '@gatehouse/crds';
import type { ApiKey } from '@gatehouse/crds/kinds';
import { type KubeObject, keyOf, type ObjectKey } from '../../runtime/index.ts';
import { mintedSecret, PREVIOUS_KEY } from '../../translate/index.ts';
import { nextRotationMs, policyDaysFor, rotationOf, TRANSITION_MINUTES } from './rotation.ts';

export interface KeySecret extends KubeObject {
  readonly type?: string | undefined;
  /** base64 */
  readonly data?: Readonly<Record<string, string>> | undefined;
}

/** On an ApiKey: a new value rotates the key once. */
export const ROTATE_ANNOTATION = 'gatehouse.dev/rotate';
/** On the Secret: when the key was minted, RFC 3339. */
export const MINTED_AT = 'gatehouse.dev/minted-at';
/** On the Secret: until when the previous key is valid, RFC 3339. */
export const PREVIOUS_UNTIL = 'gatehouse.dev/previous-key-until';
/** On the Secret: the days after which the key is rotated, of the key policy at the time it was generated. */
export const ROTATION_DAYS = 'gatehouse.dev/rotation-days';
/** On the Secret: the last handled value of `ROTATE_ANNOTATION`. */
export const ROTATED_FOR = 'gatehouse.dev/rotated-for';

const PREFIX = 'gwk_';
const KEY_BYTES = 32; // 256 bits
const MINUTE_MS = 60_000;

/** A new gateway key. */
export const mintKey = (): string => PREFIX + randomBytes(KEY_BYTES).toString('base64url');

/** Whether the operator mints the key of an ApiKey. */
export const isMinted = ({ spec }: Pick<ApiKey, 'spec'>): boolean =>
  spec.sha256 === undefined && spec.secretRef === undefined;

/** Whether the ApiKey owns the Secret: one that existed before has another owner and stays unchanged. */
export function isOwn({ metadata }: KeySecret, owner: Pick<KubeObject, 'metadata'>): boolean {
  return (
    metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === owner.metadata.uid) ?? false
  );
}

/** The first Secret of an ApiKey. */
export function newSecret(apiKey: ApiKey, key: string, { nowMs, rotationDays }: Omit<Moment, 'mint'>): KeySecret {
  const { apiVersion, kind, metadata } = apiKey;
  const secret = mintedSecret(metadata.name);
  const request = metadata.annotations?.[ROTATE_ANNOTATION];
  const days = policyDaysFor(apiKey, rotationDays);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: secret.name,
      namespace: metadata.namespace,
      labels: { 'app.kubernetes.io/part-of': 'gatehouse', 'app.kubernetes.io/managed-by': 'gatehouse-operator' },
      annotations: {
        [MINTED_AT]: toTime(nowMs),
        ...(days === undefined ? {} : { [ROTATION_DAYS]: String(days) }),
        ...(request === undefined ? {} : { [ROTATED_FOR]: request }),
      },
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true }],
    },
    type: 'Opaque',
    data: { [secret.key]: encode(key) },
  };
}

/** A merge patch of the Secret. */
export interface SecretPatch {
  readonly metadata: { readonly annotations: Readonly<Record<string, string | null>> };
  readonly data: Readonly<Record<string, string | null>>;
}

export interface NextAction {
  /** The change to make now; undefined: none. */
  readonly patch: SecretPatch | undefined;
  readonly what: 'nothing' | 'repaired' | 'rotated' | 'retired' | 'refused';
  /** When to check again, in ms since 1970; undefined: when something changes. */
  readonly againMs: number | undefined;
}

interface Moment {
  readonly nowMs: number;
  readonly mint: () => string;
  /** Of the key policy for keys of people. */
  readonly rotationDays?: number | undefined;
}

const NOTHING: NextAction = { patch: undefined, what: 'nothing', againMs: undefined };

/** What to do with the Secret of an ApiKey at a time; at most two keys are valid at once. */
export function nextActionOf(apiKey: ApiKey, secret: KeySecret, moment: Moment): NextAction {
  const { key: entry } = mintedSecret(apiKey.metadata.name);
  if (!secret.data?.[entry]) return repair(apiKey, entry, moment);
  return secret.data[PREVIOUS_KEY] === undefined
    ? rotate(apiKey, secret, moment)
    : removePrevious(apiKey, secret, moment);
}

/** The annotation's value if it has not been handled, and the value to record once it has. */
function requestOf({ metadata }: ApiKey, secret: KeySecret | undefined) {
  const request = metadata.annotations?.[ROTATE_ANNOTATION];
  return {
    isNew: request !== undefined && request !== secret?.metadata.annotations?.[ROTATED_FOR],
    handled: request === undefined ? {} : { [ROTATED_FOR]: request },
  };
}

function repair(apiKey: ApiKey, entry: string, { nowMs, mint }: Moment): NextAction {
  const annotations = { [MINTED_AT]: toTime(nowMs), ...requestOf(apiKey, undefined).handled };
  return {
    patch: { metadata: { annotations }, data: { [entry]: encode(mint()) } },
    what: 'repaired',
    againMs: undefined,
  };
}

/** Removes the previous key when its time is over. */
function removePrevious(apiKey: ApiKey, secret: KeySecret, { nowMs }: Moment): NextAction {
  const untilMs = Date.parse(secret.metadata.annotations?.[PREVIOUS_UNTIL] ?? '');
  // An invalid time must not keep an old key valid.
  if (Number.isNaN(untilMs) || untilMs <= nowMs) return { patch: RETIRED, what: 'retired', againMs: undefined };
  const { isNew, handled } = requestOf(apiKey, secret);
  if (!isNew) return { ...NOTHING, againMs: untilMs };
  return { patch: { metadata: { annotations: handled }, data: {} }, what: 'refused', againMs: untilMs };
}

function rotate(apiKey: ApiKey, secret: KeySecret, { nowMs, mint, rotationDays }: Moment): NextAction {
  const given = Number(secret.metadata.annotations?.[ROTATION_DAYS]);
  const rotation = rotationOf(apiKey, given >= 1 ? given : undefined);
  const { isNew, handled } = requestOf(apiKey, secret);
  const mintedMs = Date.parse(secret.metadata.annotations?.[MINTED_AT] ?? '') || nowMs;
  const dueMs = rotation === undefined ? undefined : nextRotationMs(rotation, mintedMs);
  if (!isNew && (dueMs === undefined || dueMs > nowMs)) return { ...NOTHING, againMs: dueMs };
  const untilMs = nowMs + (rotation?.transitionMinutes ?? TRANSITION_MINUTES) * MINUTE_MS;
  const days = policyDaysFor(apiKey, rotationDays);
  const annotations = {
    [MINTED_AT]: toTime(nowMs),
    [PREVIOUS_UNTIL]: toTime(untilMs),
    [ROTATION_DAYS]: days === undefined ? null : String(days),
    ...handled,
  };
  const { key: entry } = mintedSecret(apiKey.metadata.name);
  const data = { [entry]: encode(mint()), [PREVIOUS_KEY]: secret.data?.[entry] ?? null };
  return { patch: { metadata: { annotations }, data }, what: 'rotated', againMs: untilMs };
}

const RETIRED: SecretPatch = {
  metadata: { annotations: { [PREVIOUS_UNTIL]: null } },
  data: { [PREVIOUS_KEY]: null },
};

const toTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
const encode = (text: string): string => Buffer.from(text).toString('base64');

const SHOWN = 2; // characters shown at each end of a masked key

/** Members of the status about a minted key. */
const MINTED_MEMBERS = ['secretRef', 'maskedKey'] as const;

/** Secrets by key, and whether a missing one is known to be missing. */
export interface KeySecrets {
  readonly store: { get(key: ObjectKey): KeySecret | undefined };
  isKnown(key: ObjectKey): boolean;
}

/** The members of the status about a minted key; unchanged where the Secret cannot be read. */
export function mintedStatus({ metadata, status }: Minting, { store, isKnown }: KeySecrets): object {
  const { name, key } = mintedSecret(metadata.name);
  const place = keyOf({ namespace: metadata.namespace, name });
  if (!isKnown(place)) {
    const present = isObject(status) ? status : {};
    return Object.fromEntries(
      MINTED_MEMBERS.flatMap((member) => (present[member] === undefined ? [] : [[member, present[member]]])),
    );
  }
  const secret = store.get(place);
  const encoded = secret?.data?.[key];
  if (secret === undefined || encoded === undefined || !isOwn(secret, { metadata })) return {};
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  return { secretRef: { name }, maskedKey: `${text.slice(0, SHOWN)}…${text.slice(-SHOWN)}` };
}

interface Minting extends Pick<KubeObject, 'metadata'> {
  readonly status?: unknown;
}
