/** Calls that open sessions elsewhere: whatever has to hold for them could not, so that they are refused; docs/behaviour/realtime.md#what-is-refused. */
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { isTranscription } from '../../wire/openai/index.ts';
import { arePassedBy } from '../guardrails/index.ts';
import { type LimitPorts, unmeteredLimit } from '../limits/index.ts';
import type { Prepared } from './prepare/index.ts';
import { modelsOf } from './session-models.ts';

/** Throws SESSION_NOT_SEEN, MODEL_REQUIRED and MODEL_NOT_ALLOWED. */
export function refuseUnseenSession(ports: LimitPorts, prepared: Prepared): void {
  const { input, leaf, operation, provider, call } = prepared;
  if (operation.opensElsewhere !== true) return;
  if (arePassedBy(input, leaf))
    throw notSeen(prepared, 'Guardrails of the config, the workspace or the organisation hold');
  const isTranscribing = isTranscription(prepared.params) || isTranscription(prepared.params['session']);
  // What is transcribed with is a setting, which those who have the session change.
  const isAnyModel = operation.answersSecret === true || isTranscribing;
  const limit = unmeteredLimit(prepared, ports, isAnyModel);
  if (limit !== undefined) throw notSeen(prepared, `${limit} holds`);
  const mayName = !isTranscribing && operation.id !== 'createTranscriptionSession';
  if (mayName && call.model === '' && input.exchange.snapshot.policies(input.caller.workspace.name).length > 0) {
    throw new AppError('MODEL_REQUIRED', {
      param: 'model',
      provider: provider.id,
      detail: 'Policies of the workspace may limit by model: name it, in model of the session or of the query',
    });
  }
  refuseOtherModels(prepared, isAnyModel);
}

const notSeen = ({ provider, call }: Prepared, what: string): AppError =>
  new AppError('SESSION_NOT_SEEN', {
    provider: provider.id,
    detail: `${what} for this call, and could not hold for the session that ${call.operation} opens: it does not pass the gateway. Open it as a WebSocket (GET /v1/realtime), or call under a key and config that nothing of the kind holds for`,
  });

/** The models of a session beside its own, such as that of transcriptions, and a prompt that the provider keeps, which may have one. */
function refuseOtherModels({ params, resolved: { managed }, provider }: Prepared, isAnyModel: boolean): void {
  const models = managed?.models;
  if (managed === undefined || models === undefined) return;
  const { model: _, ...settings } = params;
  const other =
    modelsOf(settings).find(([, model]) => typeof model !== 'string' || !models.has(model))?.[0] ??
    [settings, settings['session']].flatMap((each) =>
      isObject(each) && isObject(each['prompt']) ? ['prompt'] : [],
    )[0] ??
    (isAnyModel ? 'type' : undefined);
  if (other === undefined) return;
  throw new AppError('MODEL_NOT_ALLOWED', {
    provider: provider.id,
    param: other.slice(0, 64),
    detail: `@${managed.slug} admits listed models only: leave out ${other.slice(0, 64)} of the session, or name a listed model there`,
  });
}
