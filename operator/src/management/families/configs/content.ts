/** The content of a config: in the spelling of clients on the wire, in that of resources in the store. */
import { isDeepStrictEqual } from 'node:util';
import type { Issue } from '@gatehouse/crds';
import { type KindConfig, kindConfig, parseInlineConfig, type RoutingNode, snakeKeys } from '@gatehouse/crds/config';
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { invalid } from '../../http/rest-error.ts';
import type { SecretDraft } from '../../store/index.ts';
import { MASK } from '../masks.ts';

/** The store knows the caps of the installation, and checks them. */
const NO_CAPS = {
  rootTargets: Number.POSITIVE_INFINITY,
  conditionalRootTargets: Number.POSITIVE_INFINITY,
  nestedTargets: Number.POSITIVE_INFINITY,
};

interface Known {
  readonly before: KindConfig | undefined;
  /** The Secret of the config. */
  readonly secretName: string;
}

interface ContentOfDraft {
  readonly config: KindConfig;
  readonly secret: SecretDraft | undefined;
}

/** Throws RestError INVALID, with paths below `config`. */
export function toContent(given: unknown, { before, secretName }: Known): ContentOfDraft {
  const parsed = parseInlineConfig(typeof given === 'string' ? fromText(given) : given, { caps: NO_CAPS, saved: true });
  if (!parsed.ok)
    throw invalid(
      parsed.error.map((issue) => ({ ...issue, path: ['config', ...issue.path] })),
      'body',
    );
  const entries = new Map<string, string | undefined>(
    ownEntriesOf(before, secretName).map((entry) => [entry, undefined]),
  );
  const config = toNode(parsed.value, { before, secretName, entries, path: [] });
  for (const entry of ownEntriesOf(config, secretName)) {
    if (entries.get(entry) === undefined) entries.delete(entry); // a mask keeps it
  }
  const secret = { name: secretName, entries: Object.fromEntries(entries) };
  return { config, secret: entries.size === 0 ? undefined : secret };
}

function fromText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw problem([], 'expected an object, or its JSON text');
  }
}

const problem = (path: Issue['path'], message: string) =>
  invalid([{ code: 'invalid', path: ['config', ...path], message }], 'body');

/** Entries of a Secret that the targets of a config name. */
function ownEntriesOf(config: KindConfig | undefined, secret: string): readonly string[] {
  const { secretRef, targets = [] } = config ?? {};
  const own = secretRef?.name === secret && secretRef.namespace === undefined ? secretRef.key : undefined;
  return [...(own === undefined ? [] : [own]), ...targets.flatMap((target) => ownEntriesOf(target, secret))];
}

interface Context extends Known {
  /** Of the Secret; undefined takes one away. */
  readonly entries: Map<string, string | undefined>;
  readonly path: readonly (string | number)[];
}

function toNode({ apiKey, credential: _, targets, ...rest }: RoutingNode, context: Context): KindConfig {
  const { before, path } = context;
  const nodes = targets?.map((target, i) =>
    toNode(target, { ...context, before: before?.targets?.[i], path: [...path, 'targets', i] }),
  );
  return {
    ...rest,
    ...(apiKey === undefined ? {} : { secretRef: secretRefOf(apiKey, rest, context) }),
    ...(nodes === undefined ? {} : { targets: nodes }),
  };
}

type Account = Pick<KindConfig, 'provider' | 'customHost' | 'settings'>;

/** Where the credential of a target is sent. */
function accountOf({ provider, customHost, settings = {} }: Account): object {
  const fields = PROVIDER_CATALOGUE.get(provider ?? '')?.fields ?? [];
  const routing = fields.filter(({ kind }) => kind === 'routing').map(({ key }) => [key, settings[key]]);
  return { provider, customHost, ...Object.fromEntries(routing) };
}

/** A mask keeps the credential of a target that goes to the same place as before. */
function secretRefOf(
  apiKey: string,
  node: Account,
  { before, secretName, entries, path }: Context,
): KindConfig['secretRef'] {
  if (apiKey === MASK) {
    const isSame = before !== undefined && isDeepStrictEqual(accountOf(node), accountOf(before));
    if (isSame && before.secretRef !== undefined) return before.secretRef;
    throw problem([...path, 'api_key'], 'it is masked; send the value');
  }
  const key = [...path, 'api_key'].join('.');
  entries.set(key, apiKey);
  return { name: secretName, key };
}

/** The content as clients write it, with masks for credentials. */
export function showContent({ secretRef, settings, targets, ...rest }: KindConfig): Record<string, unknown> {
  const members = snakeKeys(kindConfig, rest) as Record<string, unknown>; // an object stays one
  return {
    ...members,
    ...settings,
    ...(secretRef === undefined ? {} : { api_key: MASK }),
    ...(targets === undefined ? {} : { targets: targets.map(showContent) }),
  };
}
