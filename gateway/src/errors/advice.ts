/** What the caller should do, for errors raised with nothing but a code; other errors have it in their detail. */
import { type ErrorCode, errorRow } from '@gatehouse/crds/errors';

type Advice = (param: string | undefined) => string;

const ADVICE: ReadonlyMap<ErrorCode, Advice> = new Map<ErrorCode, Advice>([
  ['KEY_WITHOUT_WORKSPACE', () => 'the key belongs to no workspace, and the organisation names no default workspace'],
  ['KEY_EXPIRED', () => 'ask for a new key, or have the expiry of this one moved'],
  [
    'CONFIG_LOCKED',
    (param = 'x-gw-config') =>
      `${param === 'model' ? 'send the model without @provider/' : `leave out ${param}`}, or have allowConfigOverride set on the key`,
  ],
  [
    'CONFIG_NO_PROVIDER',
    () => 'name a provider in the config (provider or targets), or send x-gw-provider, for example @my-provider',
  ],
]);

/** The sentence about an error that has no detail of its own. */
export function messageOf(code: ErrorCode, param: string | undefined): string {
  const { summary } = errorRow(code);
  const advice = ADVICE.get(code)?.(param);
  return advice === undefined ? summary : `${summary.replace(/[.!]$/, '')}: ${advice}`;
}
