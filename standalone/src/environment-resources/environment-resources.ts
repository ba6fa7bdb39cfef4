/** The resources of a process that was given no folder: one workspace, and an account for each provider. */
import { API_VERSION } from '@gatehouse/crds/kinds';
import { API_KEY, CONVENTIONS, PROVIDER_CATALOGUE, secretFieldsOf } from '@gatehouse/crds/providers';
import type { FoundProvider } from './found-providers.ts';

const WORKSPACE = 'default';
/** Beside the settings of an account. */
const CUSTOM_HOST = 'custom_host';
/** The config of requests that name neither a provider nor a config. */
const DEFAULT_CONFIG = 'default';

/** Where requests that name no provider go, by slug. */
export interface DefaultRoute {
  /** Requests in Anthropic's format. */
  readonly messages: string;
  readonly others: string;
}

/** A provider that clients of its API expect goes first; among several others none is chosen. */
export function defaultRouteOf(found: readonly FoundProvider[]): DefaultRoute | undefined {
  const [first, ...more] = found;
  if (first === undefined) return undefined;
  if (more.length === 0) return { messages: first.id, others: first.id };
  const others = found.find(({ defines }) => defines === 'chat completions')?.id;
  const messages = found.find(({ defines }) => defines === 'messages')?.id;
  const either = others ?? messages;
  return either === undefined ? undefined : { messages: messages ?? either, others: others ?? either };
}

/** The providers that the mock provider imitates, with the path of their base URL there. */
const MOCK_PATHS: Readonly<Record<string, string>> = { openai: '/v1', anthropic: '/v1', google: '' };

/** What is served where no credential is found; the mock provider accepts any. */
export const MOCKED: readonly FoundProvider[] = [...CONVENTIONS]
  .filter(([id]) => MOCK_PATHS[id] !== undefined)
  .map(([id, { model, defines }]) => ({
    id,
    fields: { [API_KEY]: 'not-a-real-key' },
    variables: [],
    model,
    defines,
  }));

export interface EnvironmentResourceOptions {
  /** The URL of a mock provider that answers instead of the providers. */
  readonly mockUrl?: string;
}

/** The resources, as files would have them. */
export function toResources(
  found: readonly FoundProvider[],
  { mockUrl }: EnvironmentResourceOptions = {},
): readonly object[] {
  const route = defaultRouteOf(found);
  const defaults = route === undefined ? {} : { defaults: { configRef: { name: DEFAULT_CONFIG } } };
  return [
    resource('Organisation', { name: 'default' }, { defaultWorkspaceRef: { name: WORKSPACE } }),
    resource('Workspace', { name: WORKSPACE }, { namespace: WORKSPACE, ...defaults }),
    ...(route === undefined ? [] : [configOf(route)]),
    ...found.flatMap((provider) => accountOf(provider, mockUrl)),
  ];
}

const resource = (kind: string, metadata: object, spec: object): object => ({
  apiVersion: API_VERSION,
  kind,
  metadata,
  spec,
});

const inWorkspace = (name: string): object => ({ name, namespace: WORKSPACE });

function configOf({ messages, others }: DefaultRoute): object {
  const config =
    messages === others
      ? { provider: `@${others}` }
      : {
          strategy: {
            mode: 'conditional',
            // biome-ignore lint/suspicious/noThenProperty: the name is the wire contract of configs
            conditions: [{ query: { 'url.pathname': { $regex: '^/v1/messages' } }, then: 'messages' }],
            default: 'others',
          },
          targets: [
            { name: 'messages', provider: `@${messages}` },
            { name: 'others', provider: `@${others}` },
          ],
        };
  return resource('GatewayConfig', inWorkspace(DEFAULT_CONFIG), { config });
}

function accountOf({ id, fields }: FoundProvider, mockUrl: string | undefined): readonly object[] {
  const entry = PROVIDER_CATALOGUE.get(id);
  const secret = entry === undefined ? [] : secretFieldsOf(entry);
  const part = (isWanted: (field: string) => boolean): Record<string, string> =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => isWanted(field)));
  const settings = part((field) => !secret.includes(field) && field !== CUSTOM_HOST);
  const customHost = mockUrl === undefined ? fields[CUSTOM_HOST] : mockUrl + (MOCK_PATHS[id] ?? '');
  const credentials = part((field) => secret.includes(field));
  const account = resource('VirtualKey', inWorkspace(id), {
    provider: id,
    ...(isEmpty(credentials) ? {} : { secretRef: { name: id } }),
    ...(isEmpty(settings) ? {} : { settings }),
    ...(customHost === undefined ? {} : { customHost }),
  });
  if (isEmpty(credentials)) return [account];
  return [{ apiVersion: 'v1', kind: 'Secret', metadata: inWorkspace(id), stringData: credentials }, account];
}

const isEmpty = (fields: object): boolean => Object.keys(fields).length === 0;
