/** The message of a process without a folder: what it found, and how to use it. */
import type { StandaloneProcess } from '../app/index.ts';
import {
  defaultRouteOf,
  type FoundProvider,
  type FoundProviders,
  MOCKED,
  USUAL_VARIABLES,
  unsendableText,
} from '../environment-resources/index.ts';
import { ADMIN_KEY } from '../variables.ts';
import { baseUrl, curl } from './first-request.ts';

interface WelcomeWithoutFolder {
  readonly process: StandaloneProcess;
  readonly host: string;
  /** Of the listener with metrics and status. */
  readonly adminHost: string;
  readonly mockUrl: string | undefined;
  readonly providers: FoundProviders;
  /** The admin key, if it was generated on this start. */
  readonly adminKey: string | undefined;
  /** The folder that holds its hash. */
  readonly data: string;
  /** Whether the admin key is a variable of the environment. */
  readonly isKeyGiven: boolean;
}

export function welcomeWithoutFolder(options: WelcomeWithoutFolder): string {
  const { process, host, adminHost, providers, mockUrl } = options;
  const { found, gatewayKeys, unsendable } = providers;
  const base = baseUrl(host, process.port);
  const served = found.length > 0 ? found : MOCKED;
  return [
    ...(found.length > 0 ? foundLines(found, base) : mockedLines(base)),
    ...gatewayKeys.map((name) => `${name} holds a key of the gateway, which no provider gets`),
    ...unsendable.map(unsendableText),
    `Metrics and status are on ${baseUrl(adminHost, process.adminPort)}`,
    ...(found.length > 0 && mockUrl !== undefined ? [`The mock provider answers on ${mockUrl}`] : []),
    ...keyLines(options),
    ...requestLines(served, base),
  ].join('\n');
}

function foundLines(found: readonly FoundProvider[], base: string): readonly string[] {
  const width = Math.max(...found.map(({ id }) => id.length));
  return [
    `Gatehouse serves the providers of the environment on ${base}/v1`,
    ...found.map(({ id, variables }) => `  @${id.padEnd(width)}  ${variables.join(', ')}`),
    ...routeLines(found),
  ];
}

function routeLines(found: readonly FoundProvider[]): readonly string[] {
  const route = defaultRouteOf(found);
  if (route === undefined) return ['Every request names its provider: the model is written @PROVIDER/MODEL'];
  const { messages, others } = route;
  const special = messages === others ? '' : `, those to /v1/messages to @${messages}`;
  return [`Requests that name no provider go to @${others}${special}`];
}

const mockedLines = (base: string): readonly string[] => [
  `Gatehouse serves a mock provider on ${base}/v1; its answers are made up`,
  `For real ones set ${USUAL_VARIABLES.join(', ')} or the variable of another provider, and start again`,
];

function keyLines({ adminKey, isKeyGiven, data }: WelcomeWithoutFolder): readonly string[] {
  if (adminKey !== undefined) return ['', 'The admin key, shown only now:', `  export ${ADMIN_KEY}=${adminKey}`];
  if (isKeyGiven) return [];
  return ['', `${ADMIN_KEY} below is the key of the first start; remove ${data}/admin-key.json to get a new one`];
}

function requestLines(served: readonly FoundProvider[], base: string): readonly string[] {
  const first = served.find(({ model }) => model !== undefined);
  if (first === undefined) return [];
  const native = served.find(({ defines }) => defines === 'messages');
  const authorization = `"authorization: Bearer $${ADMIN_KEY}"`;
  return [
    '',
    'A first request:',
    curl({ base, authorization, model: modelOf(first) }),
    '',
    ...sdkLines('OpenAI', `${base}/v1`, modelOf(first)),
    ...(native === undefined ? [] : sdkLines('Anthropic', base, modelOf(native))),
  ];
}

const modelOf = ({ id, model }: FoundProvider): string => `@${id}/${model}`;

const sdkLines = (name: string, url: string, model: string): readonly string[] => [
  `The ${name} SDK, with models such as ${model}:`,
  `  Python:      ${name}(base_url="${url}", api_key=os.environ["${ADMIN_KEY}"])`,
  `  JavaScript:  new ${name}({ baseURL: '${url}', apiKey: process.env['${ADMIN_KEY}'] })`,
];
