/** Accounts that admit listed models only: what a call asks for is exactly one model of the list, or it is refused. */
import type { Deployment } from '@gatehouse/crds/config';
import { AppError } from '../../errors/index.ts';
import type { ManagedProvider } from '../../snapshot/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import type { ClientRequest } from '../exchange.ts';
import type { Operation } from '../operation.ts';
import { suggestion } from '../resolve/index.ts';

export interface ModelQuestion {
  readonly operation: Operation;
  readonly request: Pick<ClientRequest, 'method' | 'path' | 'query'>;
  /** The JSON body as it goes to the target; `{}` for other bodies. */
  readonly params: JsonObject;
}

type Account = Pick<ManagedProvider, 'slug' | 'provider' | 'models'>;

/** Throws AppError MODEL_NOT_ALLOWED. */
export function checkModelList(account: Account, deployments: readonly Deployment[], question: ModelQuestion): void {
  const { models, slug, provider } = account;
  if (models === undefined) return;
  const refuse = (detail: string): never => {
    throw new AppError('MODEL_NOT_ALLOWED', { provider: provider.id, param: 'model', detail });
  };
  const { named, other } = modelsOf(account, question);
  if (other !== undefined) {
    refuse(`@${slug} admits listed models only: name one model as text in model, and leave out ${other}`);
  }
  if (named.size > 1) refuse(`@${slug} admits listed models only, and the call names ${named.size} of them; name one`);
  const [model] = named;
  if (model === undefined) {
    if (needsNoModel(question)) return;
    refuse(`@${slug} admits listed models only: name the model in a JSON body, in model`);
  } else if (!models.has(model) && !deployments.some((each) => each.deploymentId === model && isListed(each, models))) {
    refuse(`The model ${model} is not allowed for @${slug}${suggestion(model, [...models])}`);
  }
}

const isListed = ({ alias }: Deployment, models: ReadonlySet<string>): boolean =>
  alias !== undefined && models.has(alias);

interface Named {
  readonly named: ReadonlySet<string>;
  /** A member or parameter by which an upstream may take a model that is not looked at. */
  readonly other: string | undefined;
}

function modelsOf({ provider }: Account, { operation, request, params }: ModelQuestion): Named {
  const named = new Set<string>();
  let other = Object.keys(params).find((name) => name !== 'model' && isModelName(name));
  const { model } = params;
  if (typeof model === 'string' && model !== '') named.add(model);
  else if (model !== undefined && model !== '' && model !== null) other ??= 'a model that is no text';
  if (operation.id === 'proxy') {
    const inPath = provider.proxy.modelOf?.(proxiedPath(request));
    if (inPath !== undefined) named.add(inPath);
    for (const [name, value] of new URLSearchParams(request.query)) {
      if (name === 'model') named.add(value);
      else if (isModelName(name)) other ??= name;
    }
  }
  return { named, other };
}

/**
 * Names of members by which one upstream or another takes a model, further models, or the model to fall back to. Some read
 * names without regard to case.
 */
const MODEL_NAMES: ReadonlySet<string> = new Set([
  ...['model', 'models', 'modelid', 'modelname', 'modelarn', 'modeluri', 'modelversion', 'modelpackage', 'basemodel'],
  ...['fallbackmodel', 'fallbackmodels', 'fallbacks', 'engine', 'deployment', 'deploymentid', 'deploymentname'],
  ...['adapterid', 'adaptersource'],
]);

const isModelName = (name: string): boolean => MODEL_NAMES.has(name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ''));

/** As the path goes to the provider, without its query. */
function proxiedPath({ path }: Pick<ClientRequest, 'path'>): string {
  const below = path.slice('/v1'.length);
  return below === '/proxy' || below.startsWith('/proxy/') ? below.slice('/proxy'.length) : below;
}

const ID = '[^/]+';

interface Row {
  readonly methods: readonly string[];
  /** Below the version segment, in the words of the OpenAI and Anthropic APIs. */
  readonly path: string;
}

const WRITE = ['POST', 'DELETE'];

/**
 * Everything else runs a model, or does something we know nothing of. A run of an assistant names its model in the call;
 * batches name theirs in a file.
 */
const WITHOUT_MODEL: readonly Row[] = [
  { methods: ['GET'], path: '/.*' },
  { methods: WRITE, path: `/files(?:/${ID})?` },
  { methods: WRITE, path: `/uploads(?:/${ID}(?:/(?:parts|complete|cancel))?)?` },
  { methods: WRITE, path: `/assistants/${ID}` },
  { methods: WRITE, path: `/threads(?:/(?!runs$)${ID}(?:/messages(?:/${ID})?)?)?` },
  { methods: ['POST'], path: `/threads/${ID}/runs/${ID}(?:/(?:cancel|submit_tool_outputs))?` },
  { methods: WRITE, path: `/vector_stores(?:/${ID}(?:/(?:files|file_batches)(?:/${ID}(?:/cancel)?)?|/search)?)?` },
  { methods: WRITE, path: `/conversations(?:/${ID}(?:/items(?:/${ID})?)?)?` },
  { methods: ['POST'], path: `/batches/${ID}/cancel` },
  { methods: WRITE, path: `/messages/batches/${ID}(?:/cancel)?` },
  { methods: ['POST'], path: `/fine_tuning/jobs/${ID}/(?:cancel|pause|resume)` },
  { methods: WRITE, path: `/chat/completions/${ID}` },
  { methods: ['POST'], path: `/responses/${ID}/cancel` },
];

const ROWS = WITHOUT_MODEL.map(({ methods, path }) => ({
  methods: new Set(methods),
  path: new RegExp(`^(?:/openai)?(?:/v1)?${path}$`),
}));

/** Typed operations without a body read or delete what is stored. */
function needsNoModel({ operation, request }: ModelQuestion): boolean {
  if (operation.id !== 'proxy') return !operation.json;
  const path = proxiedPath(request);
  return ROWS.some((row) => row.methods.has(request.method) && row.path.test(path));
}
