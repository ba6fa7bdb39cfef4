/** What is known of one model, without a call to its provider. */
import { AppError } from '../../../errors/index.ts';
import type { Provider } from '../../../providers/contract.ts';
import type { ManagedProvider } from '../../../snapshot/index.ts';
import { textAt } from '../../../wire/json/json.ts';
import type { ResolvedRequest, WholeAnswer } from '../operation.ts';
import { accountsOf } from './catalogue.ts';

/** Throws PARAMETER_INVALID, and MODEL_UNKNOWN for one that no account in reach of the request takes. */
export function answerOfModel(request: ResolvedRequest): WholeAnswer {
  const { params, plan, requestProvider } = request.resolution;
  const model = textAt(params, 'model') ?? '';
  if (model === '') throw new AppError('PARAMETER_INVALID', { param: 'model', detail: 'model is the name of a model' });
  if (requestProvider === undefined && plan.needsRequestProvider) {
    throw unknown('name its account, such as @account/model');
  }
  if (requestProvider?.kind === 'named') return toAnswer(model, requestProvider.provider, undefined);
  const accounts = accountsOf(request);
  const account = accounts.find(({ models }) => models?.has(model) !== false);
  if (account === undefined) throw unknown('the accounts of the request list others');
  return toAnswer(model, account.provider, account);
}

const unknown = (why: string): AppError =>
  new AppError('MODEL_UNKNOWN', { param: 'model', detail: `The model was not found: ${why}` });

function toAnswer(model: string, provider: Provider, account: ManagedProvider | undefined): WholeAnswer {
  const base = account?.baseModels.get(model);
  const name = account?.modelNames.get(model);
  const shown = {
    id: model,
    object: 'model',
    owned_by: provider.id,
    chats: provider.endpoints.chatComplete !== undefined,
    embeds: provider.endpoints.embed !== undefined,
    ...(name === undefined ? {} : { display_name: name }),
    ...(base === undefined ? {} : { base_model: base }),
  };
  return { headers: { 'content-type': 'application/json' }, bytes: Buffer.from(JSON.stringify(shown)) };
}
