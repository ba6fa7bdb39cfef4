/** The content of a config: in the spelling of clients on the wire, in that of resources in the store. */
import type { Issue } from '@gatehouse/crds';
import { type KindConfig, kindConfig, parseInlineConfig, type RoutingNode, snakeKeys } from '@gatehouse/crds/config';
import { invalid } from '../../http/rest-error.ts';
import type { SecretDraft } from '../../store/index.ts';
import { type Account, isSameAccount, newSecretName } from '../account.ts';
import { MASK } from '../masks.ts';

/** The store knows the caps of the installation, and checks them. */
const NO_CAPS = {
  rootTargets: Number.POSITIVE_INFINITY,
  conditionalRootTargets: Number.POSITIVE_INFINITY,
  nestedTargets: Number.POSITIVE_INFINITY,
};

interface Known {
  readonly before: KindConfig | undefined;
  /** Of the config, and of its first Secret. */
  readonly name: string;
  randomName(length: number): string;
}

interface ContentOfDraft {
  readonly config: KindConfig;
  readonly secret: SecretDraft | undefined;
  readonly retired: readonly string[];
}

/** Throws RestError INVALID, with paths below `config`. */
export function toContent(given: unknown, { before, name, randomName }: Known): ContentOfDraft {
  const parsed = parseInlineConfig(typeof given === 'string' ? fromText(given) : given, { caps: NO_CAPS, saved: true });
  if (!parsed.ok)
    throw invalid(
      parsed.error.map((issue) => ({ ...issue, path: ['config', ...issue.path] })),
      'body',
    );
  // A credential of a config that has some already is never written over another that may go to another place.
  const secretName = secretsOf(before).length === 0 ? name : newSecretName(name, randomName);
  const entries = new Map<string, string>();
  const config = toNode(parsed.value, { before, secretName, entries, path: [], hosts: {} });
  const secret = entries.size === 0 ? undefined : { name: secretName, entries: Object.fromEntries(entries) };
  const used = secretsOf(config);
  return { config, secret, retired: secretsOf(before).filter((one) => !used.includes(one)) };
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

/** The Secrets of the own namespace that the targets of a config name. */
function secretsOf(config: KindConfig | undefined): readonly string[] {
  const { secretRef, targets = [] } = config ?? {};
  const own = secretRef?.namespace === undefined ? secretRef?.name : undefined;
  return [...new Set([...(own === undefined ? [] : [own]), ...targets.flatMap(secretsOf)])];
}

interface Context {
  readonly before: KindConfig | undefined;
  readonly secretName: string;
  /** Of the new Secret. */
  readonly entries: Map<string, string>;
  readonly path: readonly (string | number)[];
  /** What targets have from those above them. */
  readonly hosts: { readonly before?: string | undefined; readonly after?: string | undefined };
}

function toNode({ apiKey, credential: _, targets, ...rest }: RoutingNode, context: Context): KindConfig {
  const { before, path } = context;
  const hosts = {
    before: before?.customHost ?? context.hosts.before,
    after: rest.customHost ?? context.hosts.after,
  };
  const nodes = targets?.map((target, i) =>
    toNode(target, { ...context, before: before?.targets?.[i], path: [...path, 'targets', i], hosts }),
  );
  return {
    ...rest,
    ...(apiKey === undefined
      ? {}
      : { secretRef: secretRefOf(apiKey, { ...rest, customHost: hosts.after }, { ...context, hosts }) }),
    ...(nodes === undefined ? {} : { targets: nodes }),
  };
}

/** A mask keeps the credential of a target that goes to the same place as before. */
function secretRefOf(
  apiKey: string,
  node: Account,
  { before, secretName, entries, path, hosts }: Context,
): KindConfig['secretRef'] {
  if (apiKey === MASK) {
    const isSame = before !== undefined && isSameAccount(node, { ...before, customHost: hosts.before });
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
