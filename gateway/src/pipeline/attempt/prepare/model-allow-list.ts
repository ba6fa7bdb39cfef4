/** Accounts that admit listed models only: what a call asks for is exactly one model of the list, or it is refused. */
import type { Deployment } from '@gatehouse/crds/config';
import { AppError } from '../../../errors/index.ts';
import type { ModelAt } from '../../../providers/engine/index.ts';
import type { ManagedProvider } from '../../../snapshot/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import type { ClientRequest, RequestBody } from '../../exchange.ts';
import type { Operation } from '../../operations/index.ts';
import { nameSuggestion } from '../../resolve/index.ts';
import { isModelName, modelsInBody, type NamedModels } from './named-models.ts';

export interface ModelInput {
  readonly operation: Operation;
  readonly request: Pick<ClientRequest, 'method' | 'path' | 'query' | 'header'>;
  readonly resolution: { readonly body: RequestBody };
  /** The JSON body as it goes to the target; `{}` for other bodies. */
  readonly params: JsonObject;
}

type Account = Pick<ManagedProvider, 'slug' | 'provider' | 'models'>;

/** The rule for a form whose fields have not been read yet: docs/behaviour/providers.md. */
export interface FormModelRule {
  /** Throws AppError MODEL_NOT_ALLOWED for a model that is not listed. */
  admit(model: string): void;
  /** The error for a form that does not say clearly which model it names. */
  refusal(problem: string): AppError;
}

/** Throws AppError MODEL_NOT_ALLOWED; for a form, whose model is in its fields, returns what is left to check. */
export function checkModelAllowList(
  account: Account,
  deployments: readonly Deployment[],
  question: ModelInput,
): FormModelRule | undefined {
  const { models, slug, provider } = account;
  if (models === undefined) return undefined;
  const refusal = (detail: string): AppError =>
    new AppError('MODEL_NOT_ALLOWED', { provider: provider.id, param: 'model', detail });
  const listed = `@${slug} admits listed models only`;
  const place = question.operation.handler.modelAt(provider, question.request);
  if (place === undefined) {
    throw refusal(`${listed}, and which model ${question.request.method} of this path runs is not known`);
  }
  const { named, other } = modelsOf(place, question);
  if (other !== undefined) throw refusal(`${listed}: name one model as text in model, and leave out ${other}`);
  const admit = (model: string): void => {
    if (models.has(model) || deployments.some((each) => each.deploymentId === model && isListed(each, models))) return;
    throw refusal(`The model ${model} is not allowed for @${slug}${nameSuggestion(model, [...models])}`);
  };
  const [model, ...others] = named;
  if (others.length > 0) throw refusal(`${listed}, and the call names ${named.size} of them; name one`);
  if (place.kind === 'body' && model === undefined && isReadableForm(question)) {
    return { admit, refusal: (problem) => refusal(`${listed}: ${problem}`) };
  }
  if (model !== undefined) admit(model);
  else if (place.kind !== 'none') throw refusal(`${listed}: name the model in a JSON body, in model`);
  return undefined;
}

/** Whether the fields of the body can be found. */
function isReadableForm({ request, resolution: { body } }: ModelInput): boolean {
  const encoding = request.header('content-encoding')?.trim().toLowerCase() ?? '';
  return body.kind === 'form' && (encoding === '' || encoding === 'identity');
}

const isListed = ({ alias }: Deployment, models: ReadonlySet<string>): boolean =>
  alias !== undefined && models.has(alias);

function modelsOf(place: ModelAt, { operation, request, params }: ModelInput): NamedModels {
  const inBody = modelsInBody(params);
  const named = new Set(inBody.named);
  let { other } = inBody;
  if (place.kind === 'path') named.add(place.model);
  if (operation.handler.passesQuery) {
    for (const [name, value] of new URLSearchParams(request.query)) {
      if (name === 'model') named.add(value);
      else if (isModelName(name)) other ??= name;
    }
  }
  return { named, other };
}
