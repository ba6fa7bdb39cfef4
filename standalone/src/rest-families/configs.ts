import { isObject } from '@gatehouse/crds';
import { type KindConfig, kindConfig, parseInlineConfig, type RoutingNode, snakeKeys } from '@gatehouse/crds/config';
import { configs } from '@gatehouse/crds/rest';
import { type Body, type Credentials, type Family, type Missing, type Path, Refused, type View } from './family.ts';
import { DISPLAY_NAME, decodeFields, encodeFields, type Fields, pathIn, stepsOf } from './fields.ts';

const FIELDS: Fields = { ...DISPLAY_NAME };

/** The server checks the caps of the installation. */
const NO_CAPS = {
  rootTargets: Number.POSITIVE_INFINITY,
  conditionalRootTargets: Number.POSITIVE_INFINITY,
  nestedTargets: Number.POSITIVE_INFINITY,
};

/** A target as clients write it, with the value of its credential. */
function encodeTarget(
  { secretRef, settings, targets, ...rest }: KindConfig,
  credentials: Credentials,
  path: Path,
): Body {
  const apiKey = secretRef === undefined ? undefined : apiKeyOf(secretRef, credentials, [...path, 'secretRef']);
  const nodes = targets?.map((target, i) => encodeTarget(target, credentials, [...path, 'targets', i]));
  return {
    ...(snakeKeys(kindConfig, rest) as Body), // an object stays one
    ...settings,
    ...(apiKey === undefined ? {} : { api_key: apiKey }),
    ...(nodes === undefined ? {} : { targets: nodes }),
  };
}

function apiKeyOf(ref: NonNullable<KindConfig['secretRef']>, credentials: Credentials, path: Path): string | undefined {
  if (ref.namespace !== undefined) {
    throw new Refused([...path, 'namespace'], 'the management API reads no Secret of another namespace');
  }
  if (ref.key === undefined) {
    throw new Refused(path, 'the management API takes an API key of a target only: name one key, or use a VirtualKey');
  }
  return credentials.entry(ref.name, ref.key, path);
}

/** The config of an answer, with references in place of masks: to the Secret that the management API writes. */
function decodeConfig(view: View, missing: Missing[]): KindConfig {
  const shown = isObject(view['data']) ? view['data']['config'] : view['config'];
  const parsed = parseInlineConfig(shown, { caps: NO_CAPS, saved: true });
  if (!parsed.ok) {
    const [issue] = parsed.error;
    throw new Refused(['spec', 'config', ...(issue?.path ?? [])], issue?.message ?? 'is not a config');
  }
  return decodeTarget(parsed.value, { name: String(view['slug']), path: [], missing });
}

interface DecodeContext {
  readonly name: string;
  /** In the spelling of the body, which is part of the names of entries. */
  readonly path: readonly (string | number)[];
  readonly missing: Missing[];
}

function decodeTarget({ apiKey, credential: _, targets, ...rest }: RoutingNode, context: DecodeContext): KindConfig {
  const { name, path, missing } = context;
  const secret = { name, key: [...path, 'api_key'].join('.') };
  if (apiKey !== undefined) missing.push({ path: ['spec', 'config', ...path, 'secretRef'], secret });
  const nodes = targets?.map((target, i) => decodeTarget(target, { ...context, path: [...path, 'targets', i] }));
  return {
    ...rest,
    ...(apiKey === undefined ? {} : { secretRef: secret }),
    ...(nodes === undefined ? {} : { targets: nodes }),
  };
}

export const CONFIGS: Family<'GatewayConfig'> = {
  kind: 'GatewayConfig',
  operations: configs,
  isListShort: true,
  toBody: ({ config, ...spec }, context) => ({
    ...encodeFields(spec, FIELDS, context),
    config: encodeTarget(config, context.credentials, ['spec', 'config']),
  }),
  toSpec: (view, missing) => ({ ...decodeFields(view, FIELDS), config: decodeConfig(view, missing) }),
  pathOf: (param) => {
    const steps = stepsOf(param);
    const path = pathIn(FIELDS)(param);
    return steps.at(-1) === 'api_key' ? [...path.slice(0, -1), 'secretRef'] : path;
  },
  unknown: ['description'],
};
