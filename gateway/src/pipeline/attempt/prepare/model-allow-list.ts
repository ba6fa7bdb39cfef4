/** Accounts that admit listed models only: what a call asks for is exactly one model of the list, or it is refused. */
import type { Deployment } from '@gatehouse/crds/config';
import { AppError } from '../../../errors/index.ts';
import type { ModelAt } from '../../../providers/engine/index.ts';
import type { ManagedProvider } from '../../../snapshot/index.ts';
import type { FormModel, JsonObject } from '../../../wire/contract.ts';
import type { ClientRequest } from '../../exchange.ts';
import type { Operation } from '../../operations/index.ts';
import { nameSuggestion } from '../../resolve/index.ts';
import { isModelName, modelsInBody, type NamedModels } from './named-models.ts';

export interface ModelInput {
  readonly operation: Operation;
  readonly request: Pick<ClientRequest, 'method' | 'path' | 'query'>;
  /** The JSON body as it goes to the target; `{}` for other bodies. */
  readonly params: JsonObject;
  /** A form; the model as it goes to the target, empty where none was found. */
  readonly form?: { readonly fields: FormModel | undefined; readonly model: string } | undefined;
}

type Account = Pick<ManagedProvider, 'slug' | 'provider' | 'models'>;

/** Throws AppError MODEL_NOT_ALLOWED, and what a form throws whose model decides. */
export function checkModelAllowList(account: Account, deployments: readonly Deployment[], question: ModelInput): void {
  const { models, slug, provider } = account;
  if (models === undefined) return;
  const refuse = (detail: string): never => {
    throw new AppError('MODEL_NOT_ALLOWED', { provider: provider.id, param: 'model', detail });
  };
  const place = question.operation.handler.modelAt(provider, question.request);
  if (place === undefined) {
    refuse(
      `@${slug} admits listed models only, and which model ${question.request.method} of this path runs is not known`,
    );
    return;
  }
  const { named, other } = modelsOf(place, question);
  question.form?.fields?.insist?.(isModelName);
  if (other !== undefined) {
    refuse(`@${slug} admits listed models only: name one model as text in model, and leave out ${other}`);
  }
  if (named.size > 1) refuse(`@${slug} admits listed models only, and the call names ${named.size} of them; name one`);
  const [model] = named;
  if (model === undefined) {
    if (place.kind === 'none') return;
    refuse(
      question.form === undefined
        ? `@${slug} admits listed models only: name the model, in model of a JSON body or of the query of a WebSocket`
        : `@${slug} admits listed models only, and no model was found in the form: send the field model before the files`,
    );
  } else if (!models.has(model) && !deployments.some((each) => each.deploymentId === model && isListed(each, models))) {
    refuse(`The model ${model} is not allowed for @${slug}${nameSuggestion(model, [...models])}`);
  }
}

const isListed = ({ alias }: Deployment, models: ReadonlySet<string>): boolean =>
  alias !== undefined && models.has(alias);

function modelsOf(place: ModelAt, { operation, request, params, form }: ModelInput): NamedModels {
  const inBody = modelsInBody(params);
  const named = new Set(inBody.named);
  let { other } = inBody;
  if (place.kind === 'path') named.add(place.model);
  if (form !== undefined && form.model !== '') named.add(form.model);
  if (operation.handler.passesQuery) {
    for (const [name, value] of new URLSearchParams(request.query)) {
      if (name === 'model') named.add(value);
      else if (isModelName(name)) other ??= name;
    }
  }
  return { named, other };
}
