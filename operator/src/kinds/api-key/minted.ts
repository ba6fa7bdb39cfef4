/** The Secret with a minted key, and what is to be done with it: pure but for the random bits that are passed in. */
import { randomBytes } from 'node:crypto';
import { isObject } from '@gatehouse/crds';
import type { ApiKey } from '@gatehouse/crds/kinds';
import { type KubeObject, keyOf, type ObjectKey } from '../../runtime/index.ts';
import { mintedSecret, PREVIOUS_KEY } from '../../translate/index.ts';
import { nextRotationMs } from './rotation.ts';

export interface KeySecret extends KubeObject {
  readonly type?: string | undefined;
  /** base64 */
  readonly data?: Readonly<Record<string, string>> | undefined;
}

/** On an ApiKey: a new value rotates the key once. */
export const ROTATE_ANNOTATION = 'gatehouse.dev/rotate';
/** On the Secret: when the key was minted, RFC 3339. */
export const MINTED_AT = 'gatehouse.dev/minted-at';
/** On the Secret: until when the previous key is good, RFC 3339. */
export const PREVIOUS_UNTIL = 'gatehouse.dev/previous-key-until';
/** On the Secret: the value of `ROTATE_ANNOTATION` that was dealt with last. */
export const ROTATED_FOR = 'gatehouse.dev/rotated-for';

const PREFIX = 'gwk_';
const KEY_BYTES = 32; // 256 bits (DESIGN section 9)
const MINUTE_MS = 60_000;
/** The shortest transition, for keys without rules of their own: management-notes 3.3. */
const TRANSITION_MINUTES = 30;

/** A new gateway key. */
export const mintKey = (): string => PREFIX + randomBytes(KEY_BYTES).toString('base64url');

/** Whether the operator makes the key of an ApiKey. */
export const isMinted = ({ spec }: Pick<ApiKey, 'spec'>): boolean =>
  spec.sha256 === undefined && spec.secretRef === undefined;

/** Whether the Secret is the ApiKey's own: one that stood there before is somebody's, and stays as it is. */
export function isOwn({ metadata }: KeySecret, owner: Pick<KubeObject, 'metadata'>): boolean {
  return (
    metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === owner.metadata.uid) ?? false
  );
}

/** The Secret of an ApiKey that has none yet. */
export function newSecret(apiKey: ApiKey, key: string, nowMs: number): KeySecret {
  const { apiVersion, kind, metadata } = apiKey;
  const secret = mintedSecret(metadata.name);
  const request = metadata.annotations?.[ROTATE_ANNOTATION];
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: secret.name,
      namespace: metadata.namespace,
      labels: { 'app.kubernetes.io/part-of': 'gatehouse', 'app.kubernetes.io/managed-by': 'gatehouse-operator' },
      annotations: { [MINTED_AT]: toTime(nowMs), ...(request === undefined ? {} : { [ROTATED_FOR]: request }) },
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
  /** What to change now; undefined: nothing. */
  readonly patch: SecretPatch | undefined;
  readonly what: 'nothing' | 'repaired' | 'rotated' | 'retired' | 'refused';
  /** When to look again, in ms since 1970; undefined: not before something changes. */
  readonly againMs: number | undefined;
}

interface Moment {
  readonly nowMs: number;
  readonly mint: () => string;
}

const NOTHING: NextAction = { patch: undefined, what: 'nothing', againMs: undefined };

/** What the Secret of an ApiKey needs at a time; at most two keys are good at once. */
export function nextActionOf(apiKey: ApiKey, secret: KeySecret, moment: Moment): NextAction {
  const { key: entry } = mintedSecret(apiKey.metadata.name);
  if (!secret.data?.[entry]) return repair(apiKey, entry, moment);
  return secret.data[PREVIOUS_KEY] === undefined ? rotate(apiKey, secret, moment) : finish(apiKey, secret, moment);
}

/** The value of the annotation that has not been dealt with, and what to write down once it has. */
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

/** The previous key is still there. */
function finish(apiKey: ApiKey, secret: KeySecret, { nowMs }: Moment): NextAction {
  const untilMs = Date.parse(secret.metadata.annotations?.[PREVIOUS_UNTIL] ?? '');
  // A time that somebody has spoilt must not keep an old key alive.
  if (Number.isNaN(untilMs) || untilMs <= nowMs) return { patch: RETIRED, what: 'retired', againMs: undefined };
  const { isNew, handled } = requestOf(apiKey, secret);
  if (!isNew) return { ...NOTHING, againMs: untilMs };
  return { patch: { metadata: { annotations: handled }, data: {} }, what: 'refused', againMs: untilMs };
}

function rotate(apiKey: ApiKey, secret: KeySecret, { nowMs, mint }: Moment): NextAction {
  const { rotation } = apiKey.spec;
  const { isNew, handled } = requestOf(apiKey, secret);
  const mintedMs = Date.parse(secret.metadata.annotations?.[MINTED_AT] ?? '') || nowMs;
  const dueMs = rotation === undefined ? undefined : nextRotationMs(rotation, mintedMs);
  if (!isNew && (dueMs === undefined || dueMs > nowMs)) return { ...NOTHING, againMs: dueMs };
  const untilMs = nowMs + (rotation?.transitionMinutes ?? TRANSITION_MINUTES) * MINUTE_MS;
  const annotations = { [MINTED_AT]: toTime(nowMs), [PREVIOUS_UNTIL]: toTime(untilMs), ...handled };
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

const SHOWN = 2; // characters at each end: management-notes 3.3 "masked form"

/** Members of the status that tell of a minted key. */
const TOLD = ['secretRef', 'maskedKey'] as const;

/** Secrets by key, and whether what they say of one is more than that nobody has looked. */
export interface KeySecrets {
  readonly store: { get(key: ObjectKey): KeySecret | undefined };
  isKnown(key: ObjectKey): boolean;
}

/** What the status tells of a minted key; as before where nobody reads the Secret. */
export function mintedStatus({ metadata, status }: Minting, { store, isKnown }: KeySecrets): object {
  const { name, key } = mintedSecret(metadata.name);
  const place = keyOf({ namespace: metadata.namespace, name });
  if (!isKnown(place)) {
    const told = isObject(status) ? status : {};
    return Object.fromEntries(TOLD.flatMap((member) => (told[member] === undefined ? [] : [[member, told[member]]])));
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
