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
  const { slug, provider } = account;
  if (account.models === undefined) return;
  const place = question.operation.handler.modelAt(provider, question.request);
  if (place === undefined) {
    throw notAllowed(
      account,
      `@${slug} admits listed models only, and which model ${question.request.method} of this path runs is not known`,
    );
  }
  if (place.kind === 'rows') return;
  const named = modelsOf(place, question);
  question.form?.fields?.insist?.(isModelName);
  checkNamed(account, deployments, { named, mayNameNone: place.kind === 'none', isForm: question.form !== undefined });
}

/** The same of the body of one row of a batch. Throws AppError MODEL_NOT_ALLOWED. */
export function checkModelOfRow(
  account: Account & Pick<ManagedProvider, 'deployments'>,
  given: readonly Deployment[],
  body: JsonObject,
): void {
  if (account.models === undefined) return;
  const deployments = given.length > 0 ? given : account.deployments;
  checkNamed(account, deployments, { named: modelsInBody(body), mayNameNone: false, isForm: false });
}

interface Named {
  readonly named: NamedModels;
  readonly mayNameNone: boolean;
  readonly isForm: boolean;
}

function checkNamed(account: Account, deployments: readonly Deployment[], question: Named): void {
  const { models = NO_MODELS, slug } = account;
  const { named, other } = question.named;
  const refuse = (detail: string): never => {
    throw notAllowed(account, detail);
  };
  if (other !== undefined) {
    refuse(`@${slug} admits listed models only: name one model as text in model, and leave out ${other}`);
  }
  if (named.size > 1) refuse(`@${slug} admits listed models only, and the call names ${named.size} of them; name one`);
  const [model] = named;
  if (model === undefined) {
    if (question.mayNameNone) return;
    refuse(
      !question.isForm
        ? `@${slug} admits listed models only: name the model, in model of a JSON body or of the query of a WebSocket`
        : `@${slug} admits listed models only, and no model was found in the form: send the field model before the files`,
    );
  } else if (!models.has(model) && !deployments.some((each) => each.deploymentId === model && isListed(each, models))) {
    refuse(`The model ${model} is not allowed for @${slug}${nameSuggestion(model, [...models])}`);
  }
}

const NO_MODELS: ReadonlySet<string> = new Set();

const notAllowed = ({ provider }: Account, detail: string): AppError =>
  new AppError('MODEL_NOT_ALLOWED', { provider: provider.id, param: 'model', detail });

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
